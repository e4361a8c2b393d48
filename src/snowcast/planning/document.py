"""A plan as JSON, for programs to read.

The keys are a promise: `nodes`, `fanout`, `origin`, `mode` and `trees`; of each tree `name`,
`root`, `levels` and `edges`, which are `[parent, child]`. `levels` counts those of the tree under
its own root, the root's included. The edges of a secondary tree begin with the origin's to its
root. With a relay view there are also `missed` and `duplicates`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from snowcast.planning.build import Plan
from snowcast.planning.figures import reach


def to_json(plan: Plan) -> str:
    """The plan in one line, with its newline."""
    document: dict[str, Any] = {
        "nodes": plan.nodes,
        "fanout": plan.fanout,
        "origin": plan.origin,
        "mode": plan.mode.value,
        "trees": [
            {
                "name": tree.name,
                "root": tree.root,
                "levels": tree.levels,
                "edges": [(edge.parent, edge.child) for edge in tree.edges],
            }
            for tree in plan.trees
        ],
    }
    if plan.views is not None:
        reached = reach(plan)
        document |= {"missed": reached.missed, "duplicates": reached.duplicates}
    return msgspec.json.encode(document).decode() + "\n"
