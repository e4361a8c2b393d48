"""`snowcast keys`: a key goes round the cluster, and leaves it, in the order that is safe."""

from __future__ import annotations

import io
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from snowcast.runtime.keyring import KeyRing
from support.agents import Processes, processes, wait


def key_file(call: Any, path: Path) -> str:
    """A new key in a file; what it is called."""
    path.write_text(call("keys", "generate").out)
    path.chmod(0o600)
    [name] = KeyRing([path.read_text().strip()]).ids
    return name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files of these agents are."""
    return tmp_path_factory.mktemp("keyed")


@pytest.fixture(scope="module")
def keyed(folder: Path) -> Iterator[Processes]:
    """Two agents with a key, each in a file of its own."""
    from base64 import b64encode

    with processes(folder) as made:
        for name in ("a", "b"):
            (folder / f"{name}.keys").write_text(b64encode(b"k" * 32).decode() + "\n")
            (folder / f"{name}.keys").chmod(0o600)
            made.start(name, "--keys-file", str(folder / f"{name}.keys"), "--set=node.linger=0.1")
        made.agree("a", "b")
        yield made


def test_a_new_key_is_random_and_good(call: Any) -> None:
    one, two = call("keys", "generate"), call("keys", "generate")
    assert one.status == 0
    assert one.out != two.out
    assert len(b64decode(one.out)) == 32
    KeyRing([one.out.strip()])


def test_a_key_is_installed_used_and_the_old_one_removed_across_the_cluster(
    call: Any, keyed: Processes, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = keyed.all
    monkeypatch.setenv("SNOWCAST_AGENT", a.socket)
    [old] = [key["key"] for key in call("keys", "list", "--json").json["keys"]]
    new = key_file(call, folder / "new.key")

    told = call("keys", "install", str(folder / "new.key"))
    assert told.status == 4
    assert "streams have no TLS" in told.err
    told = call("keys", "install", str(folder / "new.key"), "--insecure", "--json")
    assert told.status == 0
    assert {key["key"]: (key["holders"], key["primary_of"]) for key in told.json["keys"]} == {
        old: (2, 2),
        new: (2, 0),
    }
    assert call("keys", "remove", old).status == 4, "it is in use"

    told = call("keys", "use", new)
    assert told.status == 0
    assert sorted(line.split() for line in told.out.splitlines()[1:]) == sorted(
        [[new, *["2", "of", "2", "2", "of", "2"]], [old, *["2", "of", "2", "0", "of", "2"]]]
    )
    assert call("keys", "remove", old, "--json").status == 0
    assert [key["key"] for key in call("keys", "list", "--json").json["keys"]] == [new]
    for wrong in (["use", old], ["remove", "nonsense"]):
        assert call("keys", *wrong).status == 2

    key = (folder / "new.key").read_text().strip()
    for name in ("a", "b"):
        path = folder / f"{name}.keys"
        assert key in path.read_text(), "it is there after a restart"
        assert path.stat().st_mode & 0o077 == 0
    keyed.agree("a", "b")
    assert call("reachability").status == 0
    wait(lambda: b.status()["keys"] == [new])


def test_who_has_other_keys_is_not_heard(call: Any, keyed: Processes, folder: Path) -> None:
    a = keyed.all[0]
    key_file(call, folder / "other.keys")
    other = keyed.start("other", "--keys-file", str(folder / "other.keys"))

    def refused() -> bool:
        counts = call("status", "--stats", "--json", "--agent", a.socket).json["stats"]
        return any("refused" in name and count for name, count in counts.items())

    wait(refused)
    other.popen.kill()
    other.wait()
    keyed.agree("a", "b")


def test_a_cluster_without_keys_says_how_to_have_some(call: Any, at: Any) -> None:
    told = call("keys", "list")
    assert told.status == 4
    assert "give every agent one, in security.keys or security.keys_file" in told.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "want one key, on a line of its own, not 0"),
        (b"# only\n\n", "want one key, on a line of its own, not 0"),
        (b"a\nb\n", "want one key, on a line of its own, not 2"),
        (b"\xff", "no text, and so no key"),
    ],
)
def test_a_file_that_holds_no_key_is_refused_before_anybody_is_asked(
    call: Any, text: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "key"
    path.write_bytes(text)
    told = call("keys", "install", str(path), "--agent", "/nowhere")
    assert (told.status, told.out) == (2, "")
    assert said in told.err
    assert call("keys", "install", str(tmp_path / "nothing")).status == 2


def test_a_key_may_come_over_stdin(
    call: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"# new\nc2VjcmV0\n"))
    monkeypatch.setattr("sys.stdin", stdin)
    told = call("keys", "install", "-", "--agent", str(tmp_path / "nothing.sock"))
    assert told.status == 3, "the key was read; there is nobody to give it to"
    assert "c2VjcmV0" not in told.err


def test_who_lacks_a_key_is_named_and_status_one(
    call: Any, at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = {
        "members": 3,
        "keys": [{"key": "k1", "holders": 2, "primary_of": 2, "missing": ["c"]}],
        "failed": [{"name": "c", "reason": "no answer"}],
    }
    monkeypatch.setattr(type(at["a"]), "get", lambda *a, **b: answer)
    told = call("keys", "list")
    assert told == (
        1, "KEY  ACCEPTED BY  USED BY  MISSING\nk1   2 of 3       2 of 3   c\nc: no answer\n", ""
    )  # fmt: skip
