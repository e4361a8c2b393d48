"""Twins of the metrics: what each of them is, in plain Python over the rows of one run.

Each table is a function, each column of it an entry; what several entries need is in `Facts`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import mean, pstdev
from typing import Any

from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow
from support.trace_rows import Trace

Rows = list[dict[str, Any]]
ACKS = ("ack", "ack_query")


class Member:
    """What all rows about one node say."""

    def __init__(self, rows: Sequence[NodeRow], trace: Trace) -> None:
        starts_us = min([sent.at_us for sent in trace.messages], default=math.inf)
        lives = sorted({one.life for one in rows})
        of_life = {life: [one for one in rows if one.life == life] for life in lives}
        there = [
            life for life in lives if _is_there(of_life[life], life == lives[0], starts_us)
        ]  # at the first message; or earlier and, as it seems, still
        since = [one for one in rows if there and one.life >= there[-1]]
        self.role = of_life[lives[-1]][0].role
        self.crashed_us = min(_known(since, "crashed_us"), default=None)
        stable = max(_known(since, "stable"), default=None)
        may_be_stable = stable is not False or self.crashed_us is not None
        stayed = bool(there) and not _known(since, "left_us") and may_be_stable
        self.on_roster = stable is True or stayed


def _is_there(life: Sequence[NodeRow], is_first: bool, starts_us: float) -> bool:
    joined_us, stable = _known(life, "joined_us"), _known(life, "stable")
    if any(stable):
        return True
    return min(joined_us) <= starts_us if joined_us else is_first and not stable


def _known(rows: Sequence[NodeRow], column: str) -> list[Any]:
    return [value for one in rows if (value := getattr(one, column)) is not None]


def members(trace: Trace) -> dict[str, Member]:
    """Everybody the table of nodes has, by name."""
    lives = defaultdict(list)
    for one in trace.nodes:
        lives[one.node].append(one)
    return {name: Member(rows, trace) for name, rows in lives.items()}


class Facts:
    """What the metrics of a message are made of."""

    def __init__(self, trace: Trace, sent: MessageRow) -> None:
        crashed = {n: m.crashed_us for n, m in members(trace).items() if m.on_roster}
        self.receivers = {n: c for n, c in crashed.items() if n != sent.origin}
        about = [one for one in trace.arrivals if one.message == sent.message]
        self.copies = [
            one
            for one in about
            if one.kind == "data" and one.node in self.receivers and self._lives_at(one)
        ]
        firsts = sorted([one for one in self.copies if one.first], key=_by_time, reverse=True)
        self.first = list({one.node: one for one in firsts}.values())  # the earliest of each
        self.delays_us = sorted([one.at_us - sent.at_us for one in self.first])
        self.acks = [one for one in about if one.kind in ACKS]
        ended_us = sent.at_us + (self.delays_us[-1] if self.delays_us else 0)
        self.live = {
            name
            for name, crashed_us in self.receivers.items()
            if crashed_us is None or crashed_us > ended_us
        }
        self.sent = sent

    def _lives_at(self, arrival: ArrivalRow) -> bool:
        crashed_us = self.receivers[arrival.node]
        return crashed_us is None or arrival.at_us <= crashed_us

    def certain_us(self) -> int | None:
        """The last complete ack at the origin, in the tree where that was earlier; where it was
        later if somebody never got the message.
        """
        last: dict[Any, int] = {}
        for one in self.acks:
            if one.complete and one.node == self.sent.origin:
                last[one.tree] = max(last.get(one.tree, one.at_us), one.at_us)
        choose = min if len(self.first) == len(self.receivers) else max
        return choose(last.values(), default=None)


def _by_time(arrival: ArrivalRow) -> tuple[int, int]:
    assert arrival.hop is not None
    return arrival.at_us, arrival.hop


def messages(trace: Trace) -> Rows:
    """`message_metrics`, without the keys."""
    in_order = sorted(trace.messages, key=lambda sent: (sent.at_us, sent.message))
    return [_message(Facts(trace, sent), number) for number, sent in enumerate(in_order)]


def _message(of: Facts, number: int) -> dict[str, Any]:
    sent, delays_us = of.sent, of.delays_us
    live_first = [one for one in of.first if one.node in of.live]
    certain_us = of.certain_us()
    row = {
        "run": sent.run,
        "message": sent.message,
        "number": number,
        "origin": sent.origin,
        "mode": sent.mode,
        "reliable": sent.reliable,
        "sent_us": sent.at_us,
        "payload_bytes": sent.payload_bytes,
        "intended": len(of.receivers),
        "delivered": len(of.first),
        "intended_live": len(of.live),
        "delivered_live": len(live_first),
        "reliability": share(len(of.first), len(of.receivers)),
        "reliability_live": share(len(live_first), len(of.live)),
        "ldt_ms": delays_us[-1] / 1000 if delays_us else None,
        "ldt_first_to_last_ms": (delays_us[-1] - delays_us[0]) / 1000 if delays_us else None,
        "last_delivery_hop": max([one.hop for one in of.first], default=None),
        "copies": len(of.copies),
        "data_bytes": sum([one.bytes for one in of.copies]),
        "rmr_bytes": share(sum([one.bytes for one in of.copies]), len(of.receivers)),
        "redundancy": len(of.copies) / len(of.first) - 1 if of.first else None,
        "ack_bytes": sum([one.bytes for one in of.acks]),
        "certain_ms": None if certain_us is None else (certain_us - sent.at_us) / 1000,
    }
    for percent in (50, 90, 99):
        us = nearest_rank(delays_us, percent)
        row[f"p{percent}_ms"] = None if us is None else us / 1000
    return row


def share(part: float, whole: float) -> float | None:
    """A ratio, of nothing None."""
    return part / whole if whole else None


def nearest_rank(values: Sequence[int], percent: int) -> int | None:
    """The least value that `percent` of them do not exceed."""
    enough = [x for x in values if 100 * sum([y <= x for y in values]) >= percent * len(values)]
    return min(enough, default=None)


def bins_of(time_us: int) -> tuple[int, int, int]:
    """The bin of a time, counted from the first one on: its number, and its ends."""
    number, from_us, width = 0, 0, 1
    while from_us + width <= max(time_us, 0):
        number, from_us = number + 1, from_us + width
        if number >= 64 and number % 32 == 0:
            width *= 2
    return number, from_us, from_us + width


def histogram(trace: Trace) -> Rows:
    """`delivery_histogram`, without the keys."""
    all_of_it = [Facts(trace, sent) for sent in trace.messages]
    intended = sum([len(of.receivers) for of in all_of_it])
    counts = Counter([bins_of(delay_us) for of in all_of_it for delay_us in of.delays_us])
    return [
        {
            "run": trace.runs[0].run,
            "bin": number,
            "from_us": from_us,
            "to_us": to_us,
            "deliveries": count,
            "delivered_share": sum([n for bin, n in counts.items() if bin[0] <= number]) / intended,
        }
        for (number, from_us, to_us), count in sorted(counts.items())
    ]


def load(trace: Trace) -> Rows:
    """`node_load`, without the keys."""
    known = members(trace)
    ends = {name for one in trace.arrivals for name in (one.node, one.sender)}
    rows = []
    for name in sorted(known.keys() | ends):
        sent = [one for one in trace.arrivals if one.sender == name]
        got = [one for one in trace.arrivals if one.node == name]
        rows.append(
            {
                "run": trace.runs[0].run,
                "node": name,
                "role": known[name].role if name in known else None,
                "on_roster": name in known and known[name].on_roster,
                "data_frames_sent": sum([one.kind == "data" for one in sent]),
                "data_bytes_sent": sum([one.bytes for one in sent if one.kind == "data"]),
                "data_bytes_received": sum([one.bytes for one in got if one.kind == "data"]),
                "control_bytes_sent": sum([one.bytes for one in sent if one.kind != "data"]),
                "control_bytes_received": sum([one.bytes for one in got if one.kind != "data"]),
            }
        )
    return rows


def traffic(trace: Trace) -> Rows:
    """`traffic`, without the keys."""
    return [
        {
            "run": trace.runs[0].run,
            "kind": kind,
            "frames": sum([one.kind == kind for one in trace.arrivals]),
            "bytes": sum([one.bytes for one in trace.arrivals if one.kind == kind]),
        }
        for kind in sorted({one.kind for one in trace.arrivals})
    ]


def changes(trace: Trace) -> list[tuple[int, str, str]]:
    """Every change after the first message: when, who, what; each life's once."""
    starts_us = min([sent.at_us for sent in trace.messages], default=math.inf)
    times: dict[tuple[str, int, str], int] = {}
    for one in trace.nodes:
        for change, column in [
            ("join", "joined_us"),
            ("leave", "left_us"),
            ("crash", "crashed_us"),
        ]:
            at_us = getattr(one, column)
            if at_us is not None:
                key = one.node, one.life, change
                times[key] = min(times.get(key, at_us), at_us)
    found = {(at_us, name, change) for (name, _, change), at_us in times.items()}
    return sorted([one for one in found if one[0] > starts_us])


def recovery(trace: Trace) -> Rows:
    """`recovery`, without the keys."""
    rows, of_messages, all_changes = [], messages(trace), changes(trace)
    for at_us, name, change in all_changes:
        next_us = min([other for other, *_ in all_changes if other > at_us], default=math.inf)
        sent = [row for row in of_messages if at_us <= row["sent_us"] < next_us]
        bad_us = [row["sent_us"] for row in sent if row["delivered_live"] < row["intended_live"]]
        last_us = max(bad_us, default=-1)
        good_us = min([row["sent_us"] for row in sent if row["sent_us"] > last_us], default=None)
        took_us = 0 if sent and not bad_us else None if good_us is None else good_us - at_us
        rows.append(
            {
                "run": trace.runs[0].run,
                "node": name,
                "change": change,
                "at_us": at_us,
                "messages": len(sent),
                "incomplete": len(bad_us),
                "missing_ms": (last_us - at_us) / 1000 if bad_us else None,
                "recovery_ms": None if took_us is None else took_us / 1000,
            }
        )
    return rows


def runs(trace: Trace) -> dict[str, Any]:
    """The row of `run_metrics`, without the keys, from the tables above."""
    rows, known, mended = messages(trace), members(trace), recovery(trace)
    delays_us = sorted([us for sent in trace.messages for us in Facts(trace, sent).delays_us])
    loads = [row["data_bytes_sent"] for row in load(trace) if row["on_roster"]]
    data = [one.bytes for one in trace.arrivals if one.kind == "data"]
    judged = [one for one in mended if one["messages"]]
    has_recovered = [one["recovery_ms"] is not None for one in judged]
    took_ms = [
        one["recovery_ms" if is_over else "missing_ms"]
        for one, is_over in zip(judged, has_recovered, strict=True)
    ]

    def values(column: str) -> list[Any]:
        return [row[column] for row in rows if row[column] is not None]

    def average(column: str) -> float | None:
        return mean(values(column)) if values(column) else None

    row = {
        "messages": len(rows),
        "roster": sum([one.on_roster for one in known.values()]),
        "reliability": share(sum(values("delivered")), sum(values("intended"))),
        "reliability_live": share(sum(values("delivered_live")), sum(values("intended_live"))),
        "reliability_min": min(values("reliability"), default=None),
        "complete_live": share(
            sum([value == 1 for value in values("reliability_live")]),
            len(values("reliability_live")),
        ),
        "ldt_max_ms": max(values("ldt_ms"), default=None),
        "data_bytes": sum(data),
        "control_bytes": sum([one.bytes for one in trace.arrivals]) - sum(data),
        "load_mean_bytes": mean(loads) if loads else None,
        "load_max_bytes": max(loads, default=None),
        "load_spread": pstdev(loads) / mean(loads) if any(loads) else None,
        "recovery_ms": mean(took_ms) if took_ms else None,
        "recovered": share(sum(has_recovered), len(judged)),
        "unrecovered": len(judged) - sum(has_recovered),
    }
    row |= {name: average(name) for name in ("ldt_ms", "ldt_first_to_last_ms", "rmr_bytes")}
    row |= {name: average(name) for name in ("last_delivery_hop", "redundancy", "certain_ms")}
    for percent in (50, 90, 99):
        us = nearest_rank(delays_us, percent)
        row[f"p{percent}_ms"] = None if us is None else sum(bins_of(us)[1:]) / 2000
    return row
