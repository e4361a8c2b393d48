"""Snow, a self-organizing broadcast protocol for clusters."""

__version__ = "0.1.0"
