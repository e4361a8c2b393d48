"""What two hellos tell of each other."""

from __future__ import annotations

import msgspec
import pytest

from snowcast.core.address import Address
from snowcast.core.frames import Hello
from snowcast.core.ring import RingOrder
from snowcast.runtime.handshake import certifies, mismatch
from support.loops import hello, local

MINE = hello(7001)
THEIRS = hello(7002)


def test_hellos_of_one_cluster_have_nothing_against_each_other() -> None:
    assert mismatch(MINE, THEIRS) is None


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        (
            msgspec.structs.replace(THEIRS, cluster="b"),
            ("cluster", "its cluster is called 'b', this one 'snowcast'"),
        ),
        (
            msgspec.structs.replace(THEIRS, fanout=8),
            ("fanout", "it has fanout 8, this cluster 4"),
        ),
        (
            msgspec.structs.replace(THEIRS, ring_order=RingOrder.HASHED),
            ("ring_order", "it orders the ring by hashed, this cluster by address"),
        ),
        (
            msgspec.structs.replace(THEIRS, address=local(7001)),
            ("address", "it claims this node's own address 127.0.0.1:7001"),
        ),
    ],
)
def test_a_mismatch_names_what_differs_and_both_values(
    theirs: Hello, said: tuple[str, str]
) -> None:
    assert mismatch(MINE, theirs) == said


def test_a_certificate_speaks_for_the_hosts_it_names_however_they_are_written() -> None:
    names = (("DNS", "a"), ("IP Address", "10.0.0.1"), ("IP Address", "FD00:0:0:0:0:0:0:1"))
    certificate = {"subjectAltName": names}

    assert certifies(certificate, Address.of("10.0.0.1", 1))
    assert certifies(certificate, Address.of("fd00::1", 1))
    assert not certifies(certificate, Address.of("10.0.0.2", 1))
    assert not certifies({}, Address.of("10.0.0.1", 1))
