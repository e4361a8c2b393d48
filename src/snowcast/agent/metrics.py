"""Metrics for Prometheus: all that the runtime counts, and how things stand now, each with a help.

Rules of this file:
- Whatever `Counters` has is exported; a test holds that nothing is left out.
- Numbers are read when somebody asks for them, so metrics cost an idle agent nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import accumulate
from typing import Any, NamedTuple

from prometheus_client import (
    CollectorRegistry,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.registry import Collector

from snowcast import __version__
from snowcast.agent.renewing import Certificates
from snowcast.core.member import State
from snowcast.runtime.cluster import Cluster
from snowcast.runtime.counters import Counters

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
DIGEST_BITS = 48  # as many as a metric's number carries without loss
RECEIPT_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metric(NamedTuple):
    """What one number is called, and what it says."""

    name: str
    help: str
    labels: dict[str, str] = {}  # noqa: RUF012, never changed


_STREAM = {"carrier": "stream"}
_DATAGRAM = {"carrier": "datagram"}
_RECEIVED = "snowcast_frames_received_total", "Frames received, a datagram being one."
_SENT = "snowcast_frames_sent_total", "Frames sent, a datagram being one."
_BYTES_IN = "snowcast_received_bytes_total", "Bytes received, without those of TCP, UDP and IP."
_BYTES_OUT = "snowcast_sent_bytes_total", "Bytes sent, without those of TCP, UDP and IP."
_RECEIPTS = "snowcast_receipts_total", "Reliable messages of this node that were accounted for."
_CHANGES = "snowcast_member_changes_total", "What became of members, as this node saw it."

COUNTERS = {
    "frames_sent": Metric(*_SENT, _STREAM),
    "bytes_sent": Metric(*_BYTES_OUT, _STREAM),
    "frames_received": Metric(*_RECEIVED, _STREAM),
    "bytes_received": Metric(*_BYTES_IN, _STREAM),
    "datagrams_sent": Metric(*_SENT, _DATAGRAM),
    "datagram_bytes_sent": Metric(*_BYTES_OUT, _DATAGRAM),
    "datagrams_received": Metric(*_RECEIVED, _DATAGRAM),
    "datagram_bytes_received": Metric(*_BYTES_IN, _DATAGRAM),
    "datagrams_unsent": Metric(
        "snowcast_datagrams_unsent_total", "Datagrams that the socket did not take."
    ),
    "links_opened": Metric("snowcast_links_opened_total", "Outgoing connections made."),
    "links_failed": Metric(
        "snowcast_links_failed_total", "Outgoing connections that could not be made, or broke."
    ),
    "links_stalled": Metric(
        "snowcast_links_stalled_total", "Outgoing connections given up: their peer read nothing."
    ),
    "links_closed": Metric(
        "snowcast_links_closed_total", "Outgoing connections closed: idle, or one too many."
    ),
    "inbound_accepted": Metric("snowcast_inbound_accepted_total", "Connections of peers let in."),
    "inbound_closed": Metric(
        "snowcast_inbound_closed_total", "Connections of peers closed: idle, or one too many."
    ),
    "queue_full": Metric(
        "snowcast_queue_full_total", "Frames that found their peer's queue full and went round it."
    ),
    "frames_returned": Metric(
        "snowcast_frames_returned_total", "Frames that an unreachable peer did not get."
    ),
    "messages_sent": Metric("snowcast_messages_sent_total", "Messages this node has broadcast."),
    "messages_delivered": Metric(
        "snowcast_messages_delivered_total", "Messages of others delivered here."
    ),
    "messages_expired": Metric(
        "snowcast_messages_expired_total", "Messages too late to tell whether they were delivered."
    ),
    "messages_lagged": Metric(
        "snowcast_messages_lagged_total", "Messages and events that slow readers missed."
    ),
    "frames_bad": Metric("snowcast_frames_bad_total", "Frames that made no sense here."),
    "traces_broken": Metric(
        "snowcast_traces_broken_total", "Traces that ended because they could not be written."
    ),
    "receipts_complete": Metric(*_RECEIPTS, {"result": "complete"}),
    "receipts_incomplete": Metric(*_RECEIPTS, {"result": "incomplete"}),
    "members_joined": Metric(*_CHANGES, {"change": "joined"}),
    "members_left": Metric(*_CHANGES, {"change": "left"}),
    "members_evicted": Metric(*_CHANGES, {"change": "evicted"}),
    "members_suspected": Metric(*_CHANGES, {"change": "suspected"}),
    "members_refuted": Metric(*_CHANGES, {"change": "refuted"}),
}
"""By the name that `Counters` has for it."""

REFUSED = Metric("snowcast_refused_total", "Connections and datagrams refused, by the reason.")

GAUGES = {
    "tombstones": Metric("snowcast_departed", "Members that left or were evicted, as remembered."),
    "health": Metric("snowcast_health", "0: this node is well. More: too slow to judge others."),
    "links": Metric("snowcast_links", "Outgoing connections open now."),
    "inbound": Metric("snowcast_inbound", "Connections of peers open now."),
    "queued_bytes": Metric("snowcast_queued_bytes", "What waits to be sent to all peers."),
    "timers": Metric("snowcast_timers", "Timers of the protocol that are set."),
    "incarnation": Metric("snowcast_incarnation", "Grows with restarts and refutations."),
}
"""By the name that `Cluster.stats` has for it."""

MEMBERS = Metric("snowcast_members", "Members in this node's view, itself included, by state.")
REMEMBERED = Metric("snowcast_remembered", "Entries the protocol remembers, by what they are.")
JOINED = Metric("snowcast_joined", "1 once this node has been let in.")
DIGEST = Metric(
    "snowcast_view_digest",
    f"The low {DIGEST_BITS} bits of the digest of this node's view: the same for equal views.",
)
STREAMS = Metric("snowcast_control_streams", "Readers of messages and events on the control API.")
EXPIRES = Metric(
    "snowcast_certificate_expires_seconds",
    "Until the certificate in use expires, by the setting that names it; below 0 afterwards.",
)
RECEIPT = Metric(
    "snowcast_receipt_seconds", "From a reliable broadcast of this node to its receipt."
)
REQUESTS = Metric(
    "snowcast_control_requests_total", "Requests to the control API, by route and status."
)


class Durations:
    """How long something took, each time, as counts in buckets."""

    def __init__(self, buckets_s: tuple[float, ...]) -> None:
        self._buckets_s = buckets_s
        self._counts = [0] * (len(buckets_s) + 1)
        self._sum_s = 0.0

    def add(self, seconds: float) -> None:
        """It took so long."""
        self._counts[bisect_left(self._buckets_s, seconds)] += 1
        self._sum_s += seconds

    def family(self, metric: Metric) -> Any:
        """As a histogram."""
        edges = [*map(str, map(float, self._buckets_s)), "+Inf"]
        buckets = list(zip(edges, accumulate(self._counts), strict=True))
        return HistogramMetricFamily(metric.name, metric.help, buckets, self._sum_s)


class Meters:
    """All metrics of one agent."""

    def __init__(self, cluster: Cluster, certificates: Certificates) -> None:
        self.streams = 0
        self.receipt_s = Durations(RECEIPT_BUCKETS_S)
        self.requests: Counter[tuple[str, str]] = Counter()
        """By route and status."""
        self._registry = CollectorRegistry()
        self._registry.register(_OfCluster(cluster, self, certificates))
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)

    def text(self) -> bytes:
        """What a scrape gets."""
        return bytes(generate_latest(self._registry))


class _OfCluster(Collector):
    """Reads a cluster when it is scraped."""

    def __init__(self, cluster: Cluster, meters: Meters, certificates: Certificates) -> None:
        self._certificates = certificates
        self._cluster = cluster
        self._meters = meters

    def describe(self) -> list[Any]:
        return []  # without this a collector is asked at once, before the node runs

    def collect(self) -> Iterator[Any]:
        cluster = self._cluster
        counters, stats = cluster.counters, cluster.stats()
        yield InfoMetricFamily("snowcast", "The agent.", {"version": __version__})
        yield from _counters(counters)
        refused = CounterMetricFamily(*REFUSED[:2], labels=["reason"])
        for reason, count in sorted(counters.refused.items()):
            refused.add_metric([reason], count)
        yield refused
        for name, metric in GAUGES.items():
            yield GaugeMetricFamily(metric.name, metric.help, stats[name])
        members = cluster.members
        suspects = sum([member.state is State.SUSPECT for member in members])
        yield _gauge(MEMBERS, "state", {"alive": len(members) - suspects, "suspect": suspects})
        sizes = {name.removeprefix("size_"): n for name, n in stats.items() if "size_" in name}
        yield _gauge(REMEMBERED, "what", sizes)
        yield GaugeMetricFamily(*JOINED[:2], int(cluster.is_joined))
        digest = int(cluster.digest, 16) & ((1 << DIGEST_BITS) - 1)
        yield GaugeMetricFamily(*DIGEST[:2], digest)
        yield GaugeMetricFamily(*STREAMS[:2], self._meters.streams)
        yield _gauge(EXPIRES, "setting", self._certificates.expire_in_s())
        yield self._meters.receipt_s.family(RECEIPT)
        requests = CounterMetricFamily(*REQUESTS[:2], labels=["route", "status"])
        for labels, count in sorted(self._meters.requests.items()):
            requests.add_metric(labels, count)
        yield requests


def _counters(counters: Counters) -> Iterator[Any]:
    """Those with one name and different labels are one family."""
    families: dict[str, Any] = {}
    for field in fields(Counters):
        metric = COUNTERS.get(field.name)
        if metric is None:
            continue
        family = families.get(metric.name)
        if family is None:
            family = CounterMetricFamily(metric.name, metric.help, labels=list(metric.labels))
            families[metric.name] = family
        family.add_metric(list(metric.labels.values()), getattr(counters, field.name))
    yield from families.values()


def _gauge(metric: Metric, label: str, values: Mapping[str, float]) -> Any:
    family = GaugeMetricFamily(metric.name, metric.help, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family
