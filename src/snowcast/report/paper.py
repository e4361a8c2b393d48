"""The numbers that the paper publishes, copied from its table "Performance Comparison".

n = 500, k = 4. Its Plumtree is `plumtree-paper` here: the timers and links of its own comparison.
"""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """One protocol in one scenario."""

    ldt_ms: float
    rmr_bytes: float
    reliability: float


SIZE = (500, 4)
"""n and k of the paper's table."""


class Setting(NamedTuple):
    """One table of the comparison: what was run, and the paper's experiment that it repeats."""

    title: str
    text: str
    scenario: str
    variant: str
    published: str


SETTINGS = {
    "stable": Setting(
        "Stable",
        "500 nodes, k = 4, 100 messages of 100 bytes; nobody joins, leaves or dies. 5 % of the "
        "nodes are stragglers, at random places.",
        "stable",
        "",
        "stable",
    ),
    "aligned": Setting(
        "Stable, stragglers where the paper has them",
        "The same, with the stragglers at every 20th address. Then none of them is an inner node "
        "of one of the two trees of Coloring.",
        "stragglers",
        "processing.stragglers=aligned,processing.straggler_every=20",
        "stable",
    ),
    "churn": Setting(
        "Frequent leaving and joining",
        "A node joins before every tenth message and leaves ten messages later. Stable nodes only.",
        "churn",
        "",
        "churn",
    ),
    "breakdown": Setting(
        "Breakdown",
        "Before every tenth message a node falls silent. Reliability counts the dead as the paper "
        "does; among live nodes they do not count.",
        "breakdown",
        "",
        "breakdown",
    ),
}
"""The tables of a report by name, in their order."""

PAPER = {
    ("gossip", "stable"): Published(1608, 432, 0.954),
    ("gossip", "churn"): Published(1278, 432, 0.950),
    ("gossip", "breakdown"): Published(1250, 428, 0.971),
    ("plumtree-paper", "stable"): Published(3183, 160, 0.999),
    ("plumtree-paper", "churn"): Published(8099, 184, 0.998),
    ("plumtree-paper", "breakdown"): Published(4588, 160, 0.990),
    ("standard", "stable"): Published(1560, 122, 1),
    ("standard", "churn"): Published(1561, 122, 1),
    ("standard", "breakdown"): Published(1598, 121, 0.990),
    ("coloring", "stable"): Published(652, 244, 1),
    ("coloring", "churn"): Published(634, 244, 1),
    ("coloring", "breakdown"): Published(760, 241, 0.991),
}

DIFFERENCES = (
    (
        "LDT",
        "The paper's runs from the first receipt to the last (`ldt_first_to_last_ms`); ours, "
        "`ldt_ms`, from the send. Its stragglers stand at every 20th address, which keeps them "
        "out of the inner nodes of one of the two trees: the second table has them there, in the "
        "others they stand anywhere.",
    ),
    (
        "RMR",
        "The paper's are header arithmetic: 22 bytes and 100 of payload, twice that for Coloring. "
        "Our frames leave out the boundaries of leaves, and so are smaller on average.",
    ),
    (
        "Reliability of Gossip",
        "With k = 4 a gossip reaches the fixed point r = 1 - exp(-4 r), which is 0.980. The "
        "paper's 0.954 and 0.950 do not agree with its own RMR, which implies 0.98 too.",
    ),
    (
        "Reliability in Breakdown",
        "The paper counts dead nodes as receivers, so its 0.991 is all of the living. "
        "`reliability` counts as the paper does, `reliability_live` the living alone.",
    ),
    (
        "Plumtree",
        "The paper's waits 1 s before it tells what it has and 6 s before it asks, over random "
        "directed links: that is `plumtree-paper` here. `plumtree` is as published in 2007.",
    ),
)
"""Why some of our numbers differ from the paper's: what, and the reason."""
