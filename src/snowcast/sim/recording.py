"""A simulated run as a trace: an observer that hands what it sees to a `Recorder`."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from snowcast import __version__
from snowcast.core.address import Address
from snowcast.core.codec import frame_size
from snowcast.core.effects import Joined, Notice, Send
from snowcast.core.events import Broadcast
from snowcast.core.frames import Frame, MessageId, Ping
from snowcast.sim.cluster import Cluster
from snowcast.sim.observer import NodeChange, Observer
from snowcast.sim.simnode import SimNode
from snowcast.trace.recorder import Recorder, Write
from snowcast.trace.schema import NodeRow, Role, RunRow


@dataclass
class _Life:
    """What becomes of one life of a node, in the time of its own clock."""

    joined_us: int | None = None
    left_us: int | None = None
    crashed_us: int | None = None
    is_stable: bool = False


class Recording(Observer):
    """Writes all tables of one run. Call `finish` when it is over: runs and nodes come then.

    Stable are the nodes that were members at `stable_from_us` and until the end.
    """

    def __init__(self, run: str, write: Write, stable_from_us: int = 0) -> None:
        self._recorder = Recorder(run, write)
        self._stable_from_us = stable_from_us
        self._lives: dict[tuple[Address, int], _Life] = {}
        self._nodes: dict[Address, SimNode] = {}
        self._booted = 0

    def on_send(self, now_us: int, sender: Address, send: Send, frame_bytes: int) -> None:
        if isinstance(send.frame, Ping):
            shown_us = self._nodes[sender].shown_us(now_us)
            self._recorder.frame_sent(shown_us, sender, send.to, send.frame, send.is_datagram)

    def on_frame(self, now_us: int, node: SimNode, sender: Address, frame: Frame) -> None:
        shown_us, size = node.shown_us(now_us), frame_size(frame)
        self._recorder.frame_received(shown_us, node.address, sender, frame, size)

    def on_broadcast(self, now_us: int, node: SimNode, id: MessageId, broadcast: Broadcast) -> None:
        self._recorder.message_sent(
            node.shown_us(now_us),
            id,
            len(broadcast.payload),
            broadcast.mode,
            broadcast.is_reliable,
        )

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        if isinstance(notice, Joined):
            self._joined(now_us, node)

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        shown_us = node.shown_us(now_us)
        if what in (NodeChange.BOOTED, NodeChange.JOINING, NodeChange.RESTARTED):
            self._nodes[node.address] = node
            self._recorder.node_started(node.address)
            self._lives[node.address, node.life] = _Life()
            if what is NodeChange.BOOTED:
                self._booted += 1
                self._joined(now_us, node)
            return
        life = self._lives[node.address, node.life]
        if what is NodeChange.LEAVING:
            life.left_us = shown_us
        elif what in (NodeChange.CRASHED, NodeChange.KILLED):
            life.crashed_us = shown_us
        if what not in (NodeChange.PAUSED, NodeChange.RESUMED):
            life.is_stable = False

    def finish(
        self, cluster: Cluster, protocol: str = "snow", scenario: str = "", variant: str = ""
    ) -> None:
        """Write what is known when the run is over."""
        config = cluster.config
        row = RunRow(
            run=self._recorder.run,
            protocol=protocol,
            scenario=scenario,
            variant=variant or None,
            seed=cluster.seed,
            nodes=self._booted,
            fanout=config.fanout,
            config=msgspec.json.encode(config).decode(),
            version=__version__,
            is_virtual=True,
        )
        self._recorder.write(row)
        for (address, number), life in self._lives.items():
            self._recorder.write(self._node_row(address, number, life))

    def _joined(self, now_us: int, node: SimNode) -> None:
        life = self._lives[node.address, node.life]
        life.joined_us = node.shown_us(now_us)
        life.is_stable = now_us <= self._stable_from_us

    def _node_row(self, address: Address, number: int, life: _Life) -> NodeRow:
        node = self._nodes[address]
        return NodeRow(
            run=self._recorder.run,
            node=str(address),
            life=number,
            name=node.name or None,
            role=Role.STRAGGLER if node.is_straggler else Role.PLAIN,
            stable=life.is_stable,
            joined_us=life.joined_us,
            left_us=life.left_us,
            crashed_us=life.crashed_us,
        )
