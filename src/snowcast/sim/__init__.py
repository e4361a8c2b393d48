"""A whole cluster in one process, on a virtual clock: same seed, same trace, byte for byte.

The nodes are the real ones, `core.node.Node` or a baseline; only time, the network and what
befalls the machines are made up here. docs/SIMULATION.md says what is modelled and what is not.
"""
