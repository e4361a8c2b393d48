"""A broadcast on paper: its trees walked and drawn before anything is sent.

Pure: numbers and texts in, numbers and texts out. Nodes go by their place on the ring, 0 to n-1.
"""
