"""The figures, one file a kind. Start at `catalogue.py`."""
