"""`snowcast plan` from the outside: what it prints, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from snowcast.cli.main import main
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Mode
from snowcast.planning.build import build_plan
from snowcast.planning.document import to_json
from snowcast.planning.svg import to_svg
from snowcast.planning.text import to_text
from support import rings, walks

PAPER = ["plan", "--nodes", "500", "--fanout", "4", "--origin", "17"]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["plan", *arguments]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("order", RingOrder)
@pytest.mark.parametrize(("nodes", "fanout", "origin"), [(500, 4, 17), (10, 2, 0), (77, 6, 76)])
def test_the_edges_in_the_json_are_those_of_a_naive_walk(
    nodes: int,
    fanout: int,
    origin: int,
    order: RingOrder,
    mode: Mode,
    capsys: pytest.CaptureFixture[str],
) -> None:
    size = ["--nodes", f"{nodes}", "--fanout", f"{fanout}", "--origin", f"{origin}"]
    out = printed(capsys, *size, "--mode", mode, "--ring-order", order, "--format", "json")
    ring = rings.ring(nodes, order)
    sends = walks.broadcast(ring, ring[origin], fanout, mode)
    trees = walks.trees_of(mode, nodes)
    document = json.loads(out)
    assert [tree["name"] for tree in document["trees"]] == [tree.name.lower() for tree in trees]
    for tree, described in zip(trees, document["trees"], strict=True):
        pairs = [
            [ring.find(send.parent), ring.find(send.child)] for send in walks.of_tree(sends, tree)
        ]
        assert sorted(described["edges"]) == sorted(pairs)


def test_text_json_and_picture_are_of_the_same_plan(capsys: pytest.CaptureFixture[str]) -> None:
    size = ["--nodes", "40", "--origin", "17", "--mode", "coloring"]
    plan = build_plan(40, 4, 17, Mode.COLORING)
    assert printed(capsys, *size) == to_text(plan)
    assert printed(capsys, *size, "--format", "json") == to_json(plan)
    assert printed(capsys, *size, "--format", "svg") == to_svg(plan)
    ElementTree.fromstring(to_svg(plan))


def test_fanout_origin_and_mode_have_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    out = json.loads(printed(capsys, "--nodes", "9", "--format", "json"))
    assert (out["fanout"], out["origin"], out["mode"]) == (4, 0, "standard")


def test_the_tree_is_drawn_as_deep_as_asked(capsys: pytest.CaptureFixture[str]) -> None:
    plan = build_plan(500, 4, 0, Mode.STANDARD)
    assert printed(capsys, "--nodes", "500", "--depth", "2") == to_text(plan, levels=2)
    assert printed(capsys, "--nodes", "500", "--full") == to_text(plan, full=True)


def test_out_writes_a_file_and_prints_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.svg"
    assert printed(capsys, "--nodes", "40", "--format", "svg", "--out", str(path)) == ""
    assert path.read_text() == to_svg(build_plan(40, 4, 0, Mode.STANDARD))


def test_a_relay_view_tells_who_is_missed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "views.json"
    path.write_text('{"*": {"missing": [3, 4, 200]}}')
    arguments = [*PAPER[1:], "--relay-view", str(path)]
    out = json.loads(printed(capsys, *arguments, "--format", "json"))
    assert (out["missed"], out["duplicates"]) == ([3, 4, 200], [])
    assert "missed (3): 3 4 200" in printed(capsys, *arguments)


def test_without_a_relay_view_the_json_has_exactly_the_promised_keys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = json.loads(printed(capsys, "--nodes", "9", "--format", "json"))
    assert list(out) == ["nodes", "fanout", "origin", "mode", "trees"]
    assert list(out["trees"][0]) == ["name", "root", "levels", "edges"]


def test_help_shows_examples_and_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "--help")
    for word in ("Examples", "snowcast plan --nodes 500", "[parent, child]", "missing"):
        assert word in out


BAD = [
    (["--nodes", "10", "--fanout", "3"], "fanout must be even and from 2 to 256, not 3"),
    (["--nodes", "10", "--fanout", "1000"], "fanout must be even and from 2 to 256, not 1000"),
    (["--nodes", "10", "--fanout", "-2"], "fanout must be even and from 2 to 256, not -2"),
    (["--nodes", "10", "--origin", "10"], "origin must be from 0 to 9, not 10"),
    (["--nodes", "10", "--origin", "-1"], "origin must be from 0 to 9, not -1"),
    (["--nodes", "0"], "nodes must be from 1 to 1000000, not 0"),
    (["--nodes", "-5"], "nodes must be from 1 to 1000000, not -5"),
    (["--nodes", "1000001"], "nodes must be from 1 to 1000000, not 1000001"),
    (["--nodes", "9", "--depth", "0"], "--depth starts at 1"),
    (["--nodes", "9", "--depth", "2", "--full"], "--depth and --full exclude each other"),
    (["--nodes", "3000", "--format", "svg"], "a picture shows at most 2000 nodes, not 3000"),
    (["--nodes", "ten"], "--nodes"),
    (["--nodes", "10", "--mode", "blue"], "--mode"),
    (["--nodes", "10", "--format", "pdf"], "--format"),
    (["--nodes", "10", "--ring-order", "random"], "--ring-order"),
    (["--nodes"], "--nodes"),
    ([], "--nodes"),
    (["--nodes", "10", "--nonsense"], "--nonsense"),
    (["--nodes", "10", "--relay-view", "absent.json"], "absent.json: cannot be read: No such file"),
    (["--nodes", "10", "--relay-view", "."], ".: cannot be read: Is a directory"),
    (["--nodes", "10", "--out", "absent/plan"], "absent/plan: cannot be written: No such file"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD)
def test_bad_input_is_one_line_and_status_two(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("snowcast plan: ")
    assert told.err.endswith("\n")
    assert told.err.count("\n") == 1
    assert said in told.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "not a relay view"),
        (b"[1, 2]", "got `array`"),
        (b'{"5": {"mising": []}}', "unknown field `mising`"),
        (b'{"12": {}}', "key '12' is neither a node, 0 to 9, nor '*'"),
        (b'{"5": {"missing": [12]}}', "'5' lists 12; nodes are 0 to 9"),
        (b"\xff\xfe", "not a relay view"),
    ],
)
def test_a_relay_view_that_is_none_is_refused_by_its_name(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "views.json"
    path.write_bytes(content)
    assert main(["plan", "--nodes", "10", "--relay-view", str(path)]) == 2
    told = capsys.readouterr()
    assert told.err.startswith(f"snowcast plan: {path}: not a relay view: ")
    assert said in told.err
    assert told.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [arguments for arguments, _ in BAD])
def test_so_it_is_for_a_real_process(arguments: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "snowcast", "plan", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("snowcast plan: ")
    assert done.stderr.count("\n") == 1
