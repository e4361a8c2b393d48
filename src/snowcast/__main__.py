"""`python -m snowcast`: the command line, for when its script is not on the path."""

import sys

from snowcast.cli.main import main

sys.exit(main())
