"""The summary of a run counts frames by kind."""

import msgspec

from snowcast.core.effects import Delivered
from snowcast.core.frames import Data, Ping
from snowcast.core.trees import Tree
from snowcast.sim.cluster import address_of
from snowcast.sim.observer import Lost
from snowcast.sim.tally import Tally, kind_of
from support.stage import message, sim_node

DATA = Data(message(), Tree.STANDARD, None, None, b"")


def test_announcements_are_told_from_messages() -> None:
    assert kind_of(DATA) == "Data"
    assert kind_of(msgspec.structs.replace(DATA, is_system=True)) == "Announcement"
    assert kind_of(msgspec.structs.replace(DATA, is_control=True)) == "Control"
    assert kind_of(Ping(1)) == "Ping"


def test_arrivals_losses_and_deliveries_are_counted() -> None:
    tally, node = Tally(), sim_node(0)
    for frame in (DATA, Ping(1), Ping(2)):
        tally.on_frame(0, node, address_of(1), frame)
    tally.on_drop(0, address_of(1), node.address, Ping(3), Lost.SILENT)
    tally.on_notice(0, node, Delivered(message(), b"", 1))

    assert tally.frames == {"Data": 1, "Ping": 2}
    assert tally.lost == {"silent": 1}
    assert tally.deliveries == 1
