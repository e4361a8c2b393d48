"""The `snowcast` command: wiring only, one command group a file."""
