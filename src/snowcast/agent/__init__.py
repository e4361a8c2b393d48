"""The agent: a node that runs by itself, with a control API, metrics and manners."""
