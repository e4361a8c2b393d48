"""Many real nodes on one machine, with a network between them that can be made bad.

Nothing but the CLI imports this room. Start at `namespaces.py` and `hub.py`.
"""
