"""One run by kernel: what `sim.run` does with nodes, for scenarios that have too many of them.

The same arguments, the same rows in the trace: runs, nodes, messages and the arrivals of data.
There are no checkers, as there are no nodes to look at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from snowcast import __version__
from snowcast.core.errors import UsageError
from snowcast.kernels.results import Arrivals
from snowcast.kernels.scenario import Prepared, Sent
from snowcast.sim.cluster import address_of
from snowcast.sim.run import Progress
from snowcast.sim.scenario import Scenario
from snowcast.trace.files import MANIFEST, TraceWriter
from snowcast.trace.recorder import Write
from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow, Role, RunRow

WriteArrivals: TypeAlias = Callable[[str, Arrivals, Sequence[str]], None]
"""Takes a message's id, its arrivals in columns, and the nodes' names.

In the columns nodes are numbers: places in the list of names.
"""


class KernelResult(msgspec.Struct, frozen=True):
    """What there is to say about a run when it is over."""

    seed: int
    protocol: str
    nodes: int
    messages: int
    deliveries: int
    missed: int
    """How many deliveries there would have to be more for all of the living to have everything."""
    frames: int
    """How many have arrived."""
    lost: int
    """How many were sent to the dead."""
    received_bytes: int
    hops_max: int
    last_us: int
    """From the sending of a message to its last delivery: the longest."""


def run(
    scenario: Scenario,
    seed: int,
    *,
    name: str = "",
    variant: str = "",
    out: Path | None = None,
    progress: Progress = lambda done, of: None,
) -> KernelResult:
    """Run `scenario` under `seed`; write a trace to `out`, if given."""
    if out is None:
        return _summed_up(Prepared(scenario, seed), lambda sent: None, progress)
    if (out / MANIFEST).exists():
        raise UsageError(f"{out}: there is a trace already")
    try:
        with TraceWriter(out) as writer:
            write = writer.write
            return record(scenario, seed, write, name=name, variant=variant, progress=progress)
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror}") from None


def record(
    scenario: Scenario,
    seed: int,
    write: Write,
    write_arrivals: WriteArrivals | None = None,
    *,
    name: str = "",
    variant: str = "",
    label: str = "",
    progress: Progress = lambda done, of: None,
) -> KernelResult:
    """Run `scenario` under `seed` and hand every row of its trace to `write`.

    Arrivals go to `write_arrivals`, if given, in columns, a message at a time. Names as with
    `sim.run.record`.
    """
    prepared = Prepared(scenario, seed)
    scenario, crashed_us = prepared.scenario, prepared.crashed_us
    cluster = scenario.cluster
    words = name or "run", variant, scenario.protocol, str(seed)
    run = label or "-".join(filter(None, words))
    nodes = [str(address_of(index, cluster.ipv6)) for index in range(cluster.nodes)]

    def rows(message: str, arrivals: Arrivals, names: Sequence[str]) -> None:
        for row in arrival_rows(run, message, arrivals, names):
            write(row)

    def take(sent: Sent) -> None:
        message = f"{nodes[sent.origin]}/1/{sent.sequence}"
        write(_message_row(run, message, nodes[sent.origin], sent))
        (write_arrivals or rows)(message, sent.arrivals(), nodes)

    result = _summed_up(prepared, take, progress)
    row = RunRow(
        run=run,
        protocol=scenario.protocol,
        scenario=name,
        variant=variant or None,
        seed=seed,
        nodes=cluster.nodes,
        fanout=cluster.fanout,
        config=msgspec.json.encode(cluster.settings()).decode(),
        version=__version__,
        is_virtual=True,
    )
    write(row)
    for index, is_straggler in enumerate(prepared.stragglers.tolist()):
        write(_node_row(run, nodes[index], is_straggler, crashed_us.get(index)))
    return result


def arrival_rows(
    run: str, message: str, arrivals: Arrivals, names: Sequence[str]
) -> Iterator[ArrivalRow]:
    """Columns as rows, for those who want these."""
    columns = (
        arrivals.node,
        arrivals.sender,
        arrivals.at_us,
        arrivals.bytes,
        arrivals.hop,
        arrivals.tree,
        arrivals.first,
    )
    for node, sender, at_us, size, hop, tree, first in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        yield ArrivalRow(
            run=run,
            message=message,
            node=names[node],
            sender=names[sender],
            kind="data",
            at_us=at_us,
            bytes=size,
            hop=hop,
            tree=tree,
            first=first,
        )


def _summed_up(
    prepared: Prepared, take: Callable[[Sent], None], progress: Progress
) -> KernelResult:
    """Run all messages, let `take` have each, and add them up."""
    scenario = prepared.scenario
    messages = deliveries = missed = frames = sent_frames = received = hops_max = last_us = 0
    of = scenario.workload.messages
    for sent in prepared.messages():
        take(sent)
        spread = sent.spread
        arrived = int(spread.copies.sum(dtype="int64"))
        messages += 1
        deliveries += spread.reached - 1
        missed += spread.live - spread.reached
        frames += arrived
        sent_frames += spread.frames_sent
        received += int(spread.received_bytes.sum())
        hops_max, last_us = max(hops_max, spread.hops_max), max(last_us, spread.last_us)
        progress(messages, of)
    return KernelResult(
        seed=prepared.seed,
        protocol=scenario.protocol,
        nodes=scenario.cluster.nodes,
        messages=messages,
        deliveries=deliveries,
        missed=missed,
        frames=frames,
        lost=sent_frames - frames,
        received_bytes=received,
        hops_max=hops_max,
        last_us=last_us,
    )


def _message_row(run: str, message: str, origin: str, sent: Sent) -> MessageRow:
    return MessageRow(
        run=run,
        message=message,
        origin=origin,
        at_us=sent.at_us,
        payload_bytes=sent.payload_bytes,
        mode=sent.mode.value,
        reliable=False,
    )


def _node_row(run: str, node: str, is_straggler: bool, crashed_us: int | None) -> NodeRow:
    return NodeRow(
        run=run,
        node=node,
        life=1,
        role=Role.STRAGGLER if is_straggler else Role.PLAIN,
        stable=crashed_us is None,
        joined_us=0,
        crashed_us=crashed_us,
    )
