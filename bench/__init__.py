"""The numbers to reach, measured: `python -m bench`, `python -m bench plan`, `--list`.

A benchmark is a module of this package with a function `rows()`; name it in NAMES. Whatever it is
compared with is measured in the same run, side by side.
"""

NAMES = ("plan", "sim", "kernels", "relay", "brokers", "idle", "pipeline")
