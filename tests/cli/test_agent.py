"""`snowcast agent` as a process: where its settings come from, what it opens, how it ends."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from snowcast.agent.client import Client, token_in
from snowcast.agent.settings import keys
from snowcast.cli import agent as command
from support.agents import Process, lines_of_json, processes, wait

TOML = """\
[node]
name = "from-file"
linger = 0.1
[node.tags]
zone = "file"
[log]
format = "json"
[control]
streams_max = 3
"""


def get(url: str) -> tuple[int, str]:
    """What a port answers."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    connection.request("GET", parts.path)
    response = connection.getresponse()
    found = response.status, response.read().decode()
    connection.close()
    return found


def by_key(toml: str) -> dict[str, str]:
    """The lines of a file of settings, by the key that each sets."""
    found, section = {}, ""
    for line in toml.splitlines():
        if line.startswith("["):
            section = line[1:].partition("]")[0]
        found[f"{section}.{line.split(' ')[0]}"] = line
    return found


def test_flags_come_before_the_environment_before_a_file_before_defaults(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "agent.toml"
    path.write_text(TOML)
    monkeypatch.setenv("SNOWCAST_NODE_TAGS", "zone=environment")
    monkeypatch.setenv("SNOWCAST_CONTROL_STREAMS_MAX", "5")
    told = call("agent", "--config", str(path), "--print-config", "--tag", "zone=flag")
    assert told.status == 0
    shown = tomllib.loads(told.out)
    assert shown["node"]["name"] == "from-file"
    assert shown["node"]["tags"] == {"zone": "flag"}
    assert shown["control"]["streams_max"] == 5
    assert shown["cluster"]["fanout"] == 4
    assert {f"{s}.{k}" for s, values in shown.items() for k in values} >= set(keys()) - {
        "security.keys"
    }
    lines = by_key(told.out)
    assert lines["node.name"].endswith(f"; from {path}")
    assert not lines["cluster.name"].endswith(f"; from {path}")
    assert lines["control.streams_max"].endswith("; from SNOWCAST_CONTROL_STREAMS_MAX")
    assert lines["node.tags"].endswith("; from --tag")
    again = tmp_path / "again.toml"
    again.write_text(told.out)
    for name in ("NODE_TAGS", "CONTROL_STREAMS_MAX"):
        monkeypatch.delenv(f"SNOWCAST_{name}")
    assert tomllib.loads(call("agent", "-c", str(again), "--print-config").out) == shown


FLAGS = {
    "--name": ("node.name", "x", "x"),
    "--tag": ("node.tags", "a=b", {"a": "b"}),
    "--bind": ("node.bind", "127.0.0.1:1", "127.0.0.1:1"),
    "--advertise": ("node.advertise", "10.0.0.1", "10.0.0.1"),
    "--seed": ("node.seeds", "a:1", ["a:1"]),
    "--snapshot": ("node.snapshot", "s", "s"),
    "--linger": ("node.linger", "7", 7.0),
    "--cluster": ("cluster.name", "x", "x"),
    "--fanout": ("cluster.fanout", "8", 8),
    "--protocol": ("cluster.protocol", "coloring", "coloring"),
    "--certificate": ("security.certificate", "c", "c"),
    "--private-key": ("security.private_key", "k", "k"),
    "--authority": ("security.authority", "a", "a"),
    "--keys-file": ("security.keys_file", "k", "k"),
    "--control-socket": ("control.socket", "s", "s"),
    "--control-bind": ("control.bind", "127.0.0.1:1", "127.0.0.1:1"),
    "--token-file": ("control.token_file", "t", "t"),
    "--metrics-bind": ("metrics.bind", "127.0.0.1:1", "127.0.0.1:1"),
    "--log-level": ("log.level", "debug", "debug"),
    "--log-format": ("log.format", "json", "json"),
    "--trace": ("trace.directory", "t", "t"),
}


def test_every_flag_sets_what_it_says(call: Any) -> None:
    from typer.main import get_command

    from snowcast.cli.main import app

    options = {
        option
        for parameter in get_command(app).commands["agent"].params  # type: ignore[attr-defined]
        for option in parameter.opts
    }
    assert options - {"--config", "-c", "--set", "--print-config"} == set(FLAGS)
    words = [word for flag, (_, text, _) in FLAGS.items() for word in (flag, text)]
    shown = tomllib.loads(call("agent", *words, "--print-config").out)
    for path, _, value in FLAGS.values():
        section, _, name = path.partition(".")
        assert shown[section][name] == value


def test_secrets_are_not_printed(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNOWCAST_SECURITY_KEYS", "c2VjcmV0")
    told = call("agent", "--print-config")
    assert "c2VjcmV0" not in told.out
    assert "# keys: 1 not shown" in told.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "node.bnd=x"], "no key node.bnd (did you mean bind?)"),
        (["--fanout", "3"], "fanout"),
        (["--fanout", "many"], "--fanout: cluster.fanout: want int, not 'many'"),
        (["--protocol", "pigeon"], "cluster.protocol"),
        (["--config", "/nothing"], "/nothing: cannot be read: No such file"),
        (["--certificate", "x"], "TLS needs"),
        (["--keys-file", "/nothing"], "`snowcast keys generate` makes one"),
        (["--bind", "nonsense"], "nonsense"),
        (["--control-bind", "127.0.0.1:1"], "control.bind needs control.token_file"),
        (["--log-level", "loud"], "want one of debug, info, warning, error"),
    ],
    ids=" ".join,
)
def test_a_setting_that_is_wrong_is_a_line_and_status_two(words: list[str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "snowcast", "agent", *words], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.splitlines()[-1].startswith("snowcast agent: ")


def test_a_port_that_is_taken_is_status_one(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        bind = f"127.0.0.1:{taken.getsockname()[1]}"
        for flag in ("--bind", "--metrics-bind"):
            process = Process(tmp_path, "a", flag, bind)
            assert process.wait() == 1
            assert process.log.splitlines()[-1].startswith(
                f"snowcast agent: cannot listen on {bind}"
            )


def test_an_agent_from_a_file_the_environment_and_flags(call: Any, tmp_path: Path) -> None:
    path = tmp_path / "agent.toml"
    path.write_text(TOML)
    with processes(tmp_path) as made:
        a = made.start(
            "a",
            *("--config", str(path), "--metrics-bind", "127.0.0.1:0"),
            *("--control-bind", "127.0.0.1:0", "--token-file", str(tmp_path / "token")),
            *("--trace", str(tmp_path / "trace"), "--snapshot", str(tmp_path / "snapshot")),
            SNOWCAST_CLUSTER_NAME="blue",
        )
        status = a.wait_until_joined()
        assert (status["name"], status["cluster"], status["protocol"]) == ("a", "blue", "standard")
        lines = {line["message"]: line for line in lines_of_json(a.log)}
        assert lines["running"]["address"] == status["address"]

        where, token_file = a.port("control API"), str(tmp_path / "token")
        assert call("status", "--agent", where).status == 3, "no token"
        told = call("status", "--agent", where, "--token-file", token_file, "--json")
        assert told.json["pid"] == a.popen.pid
        assert Client(where, token_in(Path(token_file))).get("/v1/settings")["log"] == {
            "level": "info",
            "format": "json",
        }

        metrics = a.port("metrics")
        assert get(f"{metrics}/healthz") == (200, "ok\n")
        assert get(f"{metrics}/readyz") == (200, "ok\n")
        assert "snowcast_joined 1.0" in get(f"{metrics}/metrics")[1]
        assert get(f"{metrics}/v1/status")[0] == 404

        path.write_text(TOML.replace('"file"', '"new"').replace("max = 3", "max = 4"))
        a.signal(signal.SIGHUP)
        wait(lambda: a.client.get("/v1/member", member="a")["tags"] == {"zone": "new"})
        assert "only a restart will do: control.streams_max" in a.log

        a.signal(signal.SIGTERM)
        assert a.wait() == 0
        assert [line["message"] for line in lines_of_json(a.log)][-2:] == ["leaving", "left"]
    assert list((tmp_path / "trace").rglob("*"))
    assert (tmp_path / "snapshot").exists()
    assert not Path(a.socket).exists()


def test_systemd_is_told_what_it_wants_to_know(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock, processes(tmp_path) as made:
        sock.bind(str(tmp_path / "notify"))
        sock.settimeout(60)
        environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "200000"}
        a = made.start("a", "--linger", "0", **environment)
        told = {sock.recv(100) for _ in range(5)}
        a.signal(signal.SIGTERM)
        assert a.wait() == 0
        while b"STOPPING=1" not in told:
            told.add(sock.recv(100))
    assert told == {b"READY=1", b"WATCHDOG=1", b"STOPPING=1"}


def test_a_second_signal_is_an_exit_status(tmp_path: Path) -> None:
    with processes(tmp_path) as made:
        a = made.start("a")
        b = made.start("b", "--linger", "3600")
        made.agree("a", "b")
        b.signal(signal.SIGINT)
        wait(lambda: a.states().get("b") == "left")
        wait(lambda: b.status().get("is_leaving"))
        b.signal(signal.SIGINT)
        assert b.wait() == 128 + signal.SIGINT
        assert "stopped before the leave was done" in b.log
        assert a.states()["b"] == "left"


def test_a_restart_knows_its_members_again_and_is_a_new_life(tmp_path: Path) -> None:
    with processes(tmp_path) as made:
        flags = ("--snapshot", str(tmp_path / "b.snapshot"), "--linger", "0")
        a, b = made.start("a"), made.start("b", *flags)
        made.agree("a", "b")
        before = b.wait_until_joined()
        first = a.client.get("/v1/member", member="b")["incarnation"]
        wait(lambda: "127.0.0.1" in (tmp_path / "b.snapshot").read_text())
        b.signal(signal.SIGKILL)
        b.wait()
        made.seed = ""  # it finds the others by itself
        again = made.start("b", *flags, "--bind", before["address"])
        again.wait_until_joined()
        made.all.remove(b)
        made.agree("a", "b")
        assert a.client.get("/v1/member", member="b")["incarnation"] > first


def test_two_agents_do_not_share_a_socket(tmp_path: Path) -> None:
    with processes(tmp_path) as made:
        a = made.start("a")
        twin = Process(tmp_path, "a")
        assert twin.wait() == 1
        assert "another agent listens on" in a.log, "the two share a log here"
        assert a.status()["is_joined"]


def test_a_wrong_cluster_name_or_fanout_is_refused_and_said(tmp_path: Path) -> None:
    with processes(tmp_path) as made:
        a = made.start("a")
        wrong = {"--cluster": ("red", "cluster"), "--fanout": ("8", "fanout")}
        for flag, (value, word) in wrong.items():
            stranger = made.start(word, flag, value)
            wait(lambda s=stranger, word=word: "refused" in s.log and word in s.log)
            assert not stranger.wait_until_up()["is_joined"]
            stranger.popen.kill()
        assert a.status()["members"] == 1


def test_flags_that_are_not_there_set_nothing() -> None:
    given = command._given({"name": "x", "tag": [], "log_level": None})
    assert {path: (one.value, one.source) for path, one in given.items()} == {
        "node.name": ("x", "--name")
    }
    assert {flag.path for flag in command.FLAGS} <= set(keys())
