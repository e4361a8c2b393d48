"""The pure heart of Snow: a state machine and its data, with no clock, no socket and no task.

Nothing here reads time, draws from a global random stream, logs or counts. Time, randomness and
identity are arguments. `node.Node.handle` is the one way in.
"""
