"""Other broadcast algorithms, each plugged into the same node, and the names of them all."""
