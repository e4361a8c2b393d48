"""The paper's metrics of a simulated run, message by message: a naive twin of the pipeline's.

Paper, Metrics; the roster and the living are as the pipeline has them. All arrivals of messages are
held in memory and looked through by plain loops, which is slow and hard to get wrong.

Rules of this file:
- Numbers of nodes, bytes and microseconds are whole; only what is a ratio or a mean is not.
"""

from __future__ import annotations

from statistics import fmean
from typing import NamedTuple

from snowcast.sim.run import RunResult, record
from snowcast.sim.scenario import Scenario
from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow, Row


class Measured(NamedTuple):
    """One message."""

    intended: int
    """The fixed roster without the origin; those who die stay on it, as in the paper."""
    delivered: int
    intended_live: int
    delivered_live: int
    copies: int
    data_bytes: int
    first_us: int
    """From the send to the first delivery, and to the last one."""
    last_us: int

    @property
    def missed(self) -> int:
        """How many of the living have not got it."""
        return self.intended_live - self.delivered_live


class Run(NamedTuple):
    """A run and its messages, in the order they were sent."""

    result: RunResult
    nodes: list[NodeRow]
    sent: list[MessageRow]
    messages: list[Measured]

    @property
    def reliability(self) -> float:
        """The mean over messages, as all that follow."""
        return fmean(one.delivered / one.intended for one in self.messages)

    @property
    def reliability_live(self) -> float:
        """Where the dead are no receivers. The pipeline divides sums instead: a run's means differ
        in the fourth place where messages meet different numbers of dead."""
        return fmean(one.delivered_live / one.intended_live for one in self.messages)

    @property
    def rmr_bytes(self) -> float:
        """Bytes for each of the roster."""
        return fmean(one.data_bytes / one.intended for one in self.messages)

    @property
    def ldt_ms(self) -> float:
        """From the send to the last delivery."""
        return fmean(one.last_us / 1_000 for one in self.messages)

    @property
    def ldt_first_to_last_ms(self) -> float:
        """The paper's: from the first delivery."""
        return fmean((one.last_us - one.first_us) / 1_000 for one in self.messages)

    @property
    def copies_mean(self) -> float:
        """Frames with the message for each that delivered it."""
        return fmean(one.copies / one.delivered for one in self.messages)


def measured(scenario: Scenario, seed: int) -> Run:
    """Run a scenario with as many full nodes, and measure it."""
    nodes: list[NodeRow] = []
    sent: list[MessageRow] = []
    arrivals: dict[str, list[ArrivalRow]] = {}

    def write(row: Row) -> None:
        match row:
            case NodeRow():
                nodes.append(row)
            case MessageRow():
                sent.append(row)
            case ArrivalRow(kind="data", message=str(message)):
                arrivals.setdefault(message, []).append(row)

    result = record(scenario, seed, write)
    sent.sort(key=lambda row: (row.at_us, row.message))
    roster = _roster(nodes, min((row.at_us for row in sent), default=0))
    messages = [_measured(message, arrivals.get(message.message, []), roster) for message in sent]
    return Run(result, nodes, sent, messages)


def _roster(nodes: list[NodeRow], starts_us: int) -> dict[str, int | None]:
    """Who was there when the first message was sent and never leaves; and when they crash."""
    roster: dict[str, int | None] = {}
    for row in nodes:
        was_there = row.joined_us is not None and row.joined_us <= starts_us
        crashes = was_there and row.left_us is None and row.crashed_us is not None
        if row.stable or crashes:
            roster[row.node] = row.crashed_us
    return roster


def _measured(
    message: MessageRow, arrivals: list[ArrivalRow], roster: dict[str, int | None]
) -> Measured:
    receivers = {node: at_us for node, at_us in roster.items() if node != message.origin}
    came = [row for row in arrivals if row.node in receivers]
    firsts: dict[str, int] = {}
    for row in came:
        if row.first:  # of its life: a node that was started again may have another
            took_us = row.at_us - message.at_us
            firsts[row.node] = min(took_us, firsts.get(row.node, took_us))
    last_us = max(firsts.values(), default=0)
    ends_us = message.at_us + last_us
    dead = {node for node, at_us in receivers.items() if at_us is not None and at_us <= ends_us}
    return Measured(
        intended=len(receivers),
        delivered=len(firsts),
        intended_live=len(receivers) - len(dead),
        delivered_live=len(firsts.keys() - dead),
        copies=len(came),
        data_bytes=sum(row.bytes for row in came),
        first_us=min(firsts.values(), default=0),
        last_us=last_us,
    )
