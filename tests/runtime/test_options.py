"""How one node is to be run."""

from __future__ import annotations

from snowcast.core.config import Config
from snowcast.runtime.options import Options


def test_by_default_a_node_can_be_reached_from_this_machine_only() -> None:
    options = Options()
    assert options.bind == "127.0.0.1:0"
    assert options.config == Config()
