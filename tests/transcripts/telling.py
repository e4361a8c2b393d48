"""What a cluster did, as lines: one for each frame, notice and timer of interest.

Left out, so that the rest can be read:
- pings that are answered, and their pongs, unless they accuse;
- comparisons of views that turn out equal;
- the kinds of frames and timers that the story says it leaves out; `News` are the announcements.

What happens at one moment and reads the same is one line: `n2 -> n0 n4` is two frames.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator

from snowcast.core.effects import MemberChanged
from snowcast.core.frames import Data, Ping, Pong, SyncBuckets, SyncDigest
from support.cluster import Entry, Fired, Noticed, Sent
from transcripts import words

Row = tuple[Hashable, ...]


def lines(log: list[Entry], left_out: Collection[str] = ()) -> list[str]:
    """The log of a cluster as lines, in order."""
    background = _background(log)
    kept = [entry for entry in log if id(entry) not in background and _kind(entry) not in left_out]
    return [f"{at_us / 1000:9.1f}  {text}" for at_us, text in _gathered(kept)]


def _kind(entry: Entry) -> str:
    match entry:
        case Sent(frame=Data(is_system=True)):
            return "News"
        case Sent():
            return type(entry.frame).__name__
        case Fired():
            return type(entry.key).__name__
        case Noticed():
            return type(entry.notice).__name__


def _background(log: Iterable[Entry]) -> set[int]:
    """The entries that are nothing but the quiet life of a cluster."""
    found: set[int] = set()
    pings: dict[tuple[int, int, int], Sent] = {}
    digests: dict[tuple[int, int], list[Sent]] = {}
    for entry in log:
        if not isinstance(entry, Sent) or entry.is_lost:
            continue
        sender, to, frame = entry.sender, entry.to, entry.frame
        match frame:
            case Ping() if entry.is_datagram and not frame.accused:
                pings[sender, to, frame.sequence] = entry
            case Pong() if entry.is_datagram:
                found.add(id(entry))
                found.add(id(pings.pop((to, sender, frame.sequence), entry)))
            case SyncDigest():
                digests.setdefault((sender, to), []).append(entry)
                found.add(id(entry))
            case SyncBuckets() if frame.level == 0 and (to, sender) in digests:
                found.discard(id(digests[to, sender][-1]))
    return found


def _gathered(log: Iterable[Entry]) -> Iterator[tuple[int, str]]:
    """Lines, those of one moment that read the same made one."""
    rows: dict[Row, list[str]] = {}
    for entry in log:
        for row, item in _rows(entry):
            items = rows.setdefault(row, [])
            if item not in items:
                items.append(item)
    merged: dict[Row, list[str]] = {}
    for (at_us, who, text), items in rows.items():
        if isinstance(who, int):  # what one node sees of several, said once for all that see it
            merged.setdefault((at_us, "", f"{' '.join(items)} {text}"), []).append(f"n{who}")
        else:
            merged[at_us, who, text] = items
    for (at_us, who, text), items in merged.items():
        assert isinstance(at_us, int)
        arrow, colon = (f"{who} -> ", " ") if who else ("", ":")
        yield at_us, f"{arrow}{' '.join(items)}{colon} {text}"


def _rows(entry: Entry) -> Iterator[tuple[Row, str]]:
    """What an entry is gathered by, and what it adds to that."""
    at_us = entry.at_us
    match entry:
        case Sent():
            text = words.frame(entry.frame) + (" (lost)" if entry.is_lost else "")
            yield (at_us, f"n{entry.sender}", text), f"n{entry.to}"
        case Fired():
            if text := words.timer(entry.key):
                yield (at_us, "", text), f"n{entry.node}"
        case Noticed(notice=MemberChanged() as change):
            yield (at_us, entry.node, words.change(change)), words.name(change.new.address)
        case Noticed():
            if text := words.notice(entry.notice):
                yield (at_us, "", text), f"n{entry.node}"
