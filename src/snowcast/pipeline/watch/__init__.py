"""The metrics of a cluster as it runs: Structured Streaming over the traces that its agents append.

`source` tells Spark what is new in the files, `fold` puts it to what is still open and closes the
windows that are over, `state` keeps what is open between two batches, `bands` says which windows
are out of bounds, `watch` runs it.
"""
