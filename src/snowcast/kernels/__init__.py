"""Compiled twins of the dissemination, for 10^5 to 10^6 nodes; needs the extra `kernels`.

Paper, Evaluation, at sizes where a node each would take too long. Numbers in, numbers out: the
functions of `children` and `compiled` are plain arithmetic that Numba compiles at the first call;
`dissemination` has the typed way in, and `scenario` a run of many messages. Tests hold them equal
to the core, node by node.
"""

try:
    import numba as _numba  # noqa: F401
    import numpy as _numpy  # noqa: F401
except ImportError as error:
    raise ImportError(
        "snowcast.kernels needs numba and numpy: pip install 'snowcast[kernels]'"
    ) from error
