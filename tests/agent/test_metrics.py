"""Metrics: everything counted is there, under a name that stays, and a page explains each."""

from __future__ import annotations

import re
import time
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from snowcast.agent import metrics
from snowcast.agent.metrics import COUNTERS, GAUGES, RECEIPT, RECEIPT_BUCKETS_S, Durations
from snowcast.runtime.counters import Counters
from support.agents import agent, pair
from support.certificates import Authority
from support.loops import on_loop

PAGE = Path(__file__).resolve().parents[2] / "docs" / "OPERATIONS.md"


def families(text: bytes) -> dict[str, dict[tuple[str, ...], float]]:
    """Samples by the name of the metric and its labels' values."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(text.decode()):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def test_nothing_that_is_counted_is_left_out() -> None:
    counted = {field.name for field in fields(Counters)}
    assert counted - set(COUNTERS) == {"refused"}, "it has a label of its own"
    assert set(COUNTERS) <= counted


def test_names_are_as_prometheus_wants_them() -> None:
    every = [*COUNTERS.values(), metrics.REFUSED, metrics.REQUESTS]
    assert all(re.fullmatch(r"snowcast_[a-z_]+_total", metric.name) for metric in every)
    gauges = [*GAUGES.values(), metrics.MEMBERS, metrics.REMEMBERED, metrics.JOINED]
    gauges += [metrics.DIGEST, metrics.STREAMS, metrics.EXPIRES, RECEIPT]
    assert not [metric.name for metric in gauges if metric.name.endswith("_total")]
    assert all(metric.help.endswith(".") for metric in [*every, *gauges])


@on_loop
async def test_a_scrape_has_it_all_and_agrees_with_the_cluster(tmp_path: Path) -> None:
    async with pair(tmp_path) as (a, _):
        for _ in range(3):
            await a.cluster.broadcast(b"x", reliable=True)
        a.cluster.counters.refused["wrong cluster"] += 2
        found = families(a.meters.text())
        stats = a.cluster.stats()
    assert found["snowcast_info"] == {(metrics.__version__,): 1}
    assert found["snowcast_members"] == {("alive",): 2, ("suspect",): 0}
    assert found["snowcast_messages_sent_total"] == {(): 3}
    assert found["snowcast_receipts_total"][("complete",)] >= 3
    assert found["snowcast_refused_total"] == {("wrong cluster",): 2}
    assert found["snowcast_joined"] == {(): 1}
    assert found["snowcast_links"] == {(): stats["links"]}
    assert found["snowcast_sent_bytes_total"][("stream",)] <= stats["bytes_sent"]
    assert found["snowcast_incarnation"] == {(): stats["incarnation"]}
    assert set(found["snowcast_remembered"]) == {
        (name.removeprefix("size_"),) for name in stats if name.startswith("size_")
    }
    for metric in {**COUNTERS, **GAUGES}.values():
        assert metric.name in found
    assert "process_resident_memory_bytes" in found


@on_loop
async def test_how_long_certificates_hold_is_a_metric(tmp_path: Path) -> None:
    tls = Authority(tmp_path).tls("127.0.0.1")
    security = {
        "certificate": str(tls.certificate),
        "private_key": str(tls.key),
        "authority": str(tls.authority),
    }
    async with agent(tmp_path, security=security) as a:
        found = families(a.meters.text())["snowcast_certificate_expires_seconds"]
    assert found.keys() == {("security.certificate",)}
    end = 1970 + (found["security.certificate",] + time.time()) / 31_556_952
    assert end == pytest.approx(2100, abs=0.1)


@on_loop
async def test_equal_views_have_equal_digests_and_other_views_another(tmp_path: Path) -> None:
    async with pair(tmp_path) as (a, b):
        one, two = families(a.meters.text()), families(b.meters.text())
        assert one["snowcast_view_digest"] == two["snowcast_view_digest"]
        assert int(one["snowcast_view_digest"][()]) == int(a.cluster.digest, 16) % (1 << 48)


@given(st.lists(st.floats(0, 100, allow_nan=False)))
def test_durations_are_counted_in_the_buckets_they_belong_to(seconds: list[float]) -> None:
    durations = Durations(RECEIPT_BUCKETS_S)
    for one in seconds:
        durations.add(one)
    samples = durations.family(RECEIPT).samples
    counts = {s.labels["le"]: s.value for s in samples if s.name.endswith("_bucket")}
    expected = {str(float(e)): sum([x <= e for x in seconds]) for e in RECEIPT_BUCKETS_S}
    assert counts == {**expected, "+Inf": len(seconds)}
    [total] = [sample.value for sample in samples if sample.name.endswith("_sum")]
    assert total == pytest.approx(sum(seconds))


@on_loop
async def test_every_metric_is_explained_to_operators_and_no_other(tmp_path: Path) -> None:
    async with pair(tmp_path) as (a, _):
        a.cluster.counters.refused["x"] += 1
        served = {name for name in families(a.meters.text()) if name.startswith("snowcast_")}
    served = {re.sub(r"_(bucket|sum|count)$", "", name) for name in served}
    explained = set(re.findall(r"`(snowcast_[a-z_]+)`?", PAGE.read_text()))
    explained = {re.sub(r"_(bucket|sum|count)$", "", name) for name in explained}
    assert explained == served | {"snowcast_control_requests_total", metrics.EXPIRES.name}
