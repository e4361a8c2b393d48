"""The words that transcripts use for frames, notices and timers. A node is `n7`."""

from __future__ import annotations

from collections.abc import Iterable

from snowcast.core import frames as f
from snowcast.core import timers as t
from snowcast.core.address import Address
from snowcast.core.codec import decode_members
from snowcast.core.effects import (
    BadFrame,
    Delivered,
    Expired,
    Joined,
    MemberChanged,
    Receipt,
    Stopped,
)
from snowcast.core.member import Member, State
from snowcast.core.trees import Tree
from support.rings import number

STATES = {
    State.ALIVE: "alive",
    State.SUSPECT: "suspect",
    State.EVICTED: "evicted",
    State.LEFT: "left",
}


def name(address: Address) -> str:
    """`n7`."""
    return f"n{number(address)}"


def names(addresses: Iterable[Address]) -> str:
    """`n1 n7`."""
    return " ".join(map(name, addresses))


def member(record: Member) -> str:
    """A record: `n7 alive`, with the refutations and lives of it if there are any."""
    refutations = record.incarnation & 0xFFFF
    extra = f" {record.life}.{refutations}" if refutations or record.life > 1 else ""
    return f"{name(record.address)}{extra} {STATES[record.state]}"


def frame(value: f.Frame) -> str:
    """A frame, without who sends it to whom."""
    match value:
        case f.Data():
            return _data(value)
        case f.Ack():
            return f"{_ack(value)}{_tree(value.tree)}"
        case f.AckQuery():
            return f"how far is {_id(value.id)}?{_tree(value.tree)}"
        case f.Ping():
            return "ping" + (", you are suspect" if value.accused else "")
        case f.Pong():
            return "pong"
        case f.PingRequest():
            return f"please ping {name(value.target)}"
        case f.Nack():
            return "no answer there"
        case f.JoinRequest():
            return f"let me in: {member(value.member)}"
        case f.ViewPart():
            return f"view: {_members(value.members)}"
        case f.JoinReady():
            return "ready"
        case f.Records():
            return f"records: {_members(value.members)}"
        case f.SyncDigest():
            return "compare views"
        case f.SyncBuckets():
            return "branches of the view" if value.level == 0 else "buckets of a branch"
        case f.SyncRecords():
            verb = "differing" if value.wants_reply else "missing there"
            return f"records {verb}: {_members(value.members)}"
    raise AssertionError(f"no words for {value}")


def _data(data: f.Data) -> str:
    if data.is_system:
        body = f"news {_id(data.id)}: {_members(decode_members(data.payload))}"
    else:
        body = f"data {_id(data.id)}"
    left, right = data.left, data.right
    if data.is_leaf:
        region = "leaf"
    else:
        region = f"[{name(left) if left else ''}..{name(right) if right else ''}]"
    attempt = f" attempt {data.attempt + 1}" if data.attempt else ""
    return f"{body} {region} hop {data.hop}{_tree(data.tree)}{attempt}"


def _ack(ack: f.Ack) -> str:
    if not ack.is_complete:
        return f"received {_id(ack.id)}"
    missing = f", missing {names(ack.missing)}" if ack.missing else ""
    unnamed = f" and {ack.unnamed} more" if ack.unnamed else ""
    return f"complete {_id(ack.id)}: {ack.delivered} have it{missing}{unnamed}"


def _id(id: f.MessageId) -> str:
    return f"{name(id.origin)}/{id.sequence}"


def _tree(tree: Tree) -> str:
    return "" if tree is Tree.STANDARD else f" {tree.name.lower()}"


def _members(members: tuple[Member, ...]) -> str:
    """Alive ones by name only, as most are."""
    plain = [m for m in members if member(m) == f"{name(m.address)} alive"]
    words = [member(m) for m in members if m not in plain]
    if plain:
        words.insert(0, names(m.address for m in plain) + (" alive" if len(members) == 1 else ""))
    return ", ".join(words) or "none"


def timer(key: t.TimerKey) -> str | None:
    match key:
        case t.HopTimer():
            return f"hop timeout of {_id(key.id)}{_tree(key.tree)}"
        case t.ReceiptTimer():
            return f"receipt of {_id(key.id)} is due"
        case t.PongTimer():
            return "no pong in time"
        case t.ProbeEndTimer():
            return "the probe is over"
        case t.SuspicionTimer():
            return f"{name(key.suspect)} has not refuted"
        case t.JoinTimer():
            return "not let in"
    return None


def notice(notice: object) -> str | None:
    match notice:
        case Delivered():
            return f"delivered {_id(notice.id)} {notice.payload.decode()!r}"
        case Receipt():
            missing = f", missing {names(notice.missing)}" if notice.missing else ""
            tried = f", {notice.attempts} attempts" if notice.attempts > 1 else ""
            took = f"{notice.elapsed_us / 1000:.1f} ms"
            return f"receipt {_id(notice.id)}: {notice.delivered} have it{missing}, {took}{tried}"
        case Joined():
            return "joined"
        case Stopped():
            return "stopped"
        case Expired():
            return f"too late: {_id(notice.id)}"
        case BadFrame():
            return f"bad frame from {name(notice.sender)}: {notice.reason}"
    return None


def change(change: MemberChanged) -> str:
    old, new = change.old, change.new
    if old is None:
        return "member" if new.is_present else f"known to have been {STATES[new.state]}"
    if new.life > old.life:
        return "restarted" if new.is_present else f"restarted and {STATES[new.state]}"
    if new.state is State.ALIVE:
        return {State.SUSPECT: "refuted", State.ALIVE: "newer"}.get(old.state, "back")
    return STATES[new.state]
