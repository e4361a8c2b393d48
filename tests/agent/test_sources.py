"""Where settings come from: which place wins, and what is said of a key that nobody knows."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from snowcast.agent.settings import LogLevel, Settings, keys
from snowcast.agent.sources import Given, load, set_flags, to_toml
from snowcast.core.errors import UsageError
from snowcast.core.ring import RingOrder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "agent.toml"
    path.write_text("")
    return path


def refused(file: Path | None = None, environment: dict[str, str] | None = None,
            flags: dict[str, Given] | None = None) -> str:  # fmt: skip
    with pytest.raises(UsageError) as error:
        load(file, environment, flags)
    return str(error.value)


def test_nothing_given_is_the_defaults() -> None:
    loaded = load()
    assert loaded.settings == Settings()
    assert set(loaded.sources.values()) == {"default"}


def test_flags_win_over_the_environment_over_the_file_over_the_defaults(file: Path) -> None:
    file.write_text('[node]\nname = "f"\nbind = "127.0.0.1:1"\nadvertise = "10.0.0.1"\n')
    environment = {"SNOWCAST_NODE_NAME": "e", "SNOWCAST_NODE_BIND": "127.0.0.1:2", "PATH": "/bin"}
    loaded = load(file, environment, {"node.name": Given("flag", "--name")})
    node = loaded.settings.node
    assert (node.name, node.bind, node.advertise) == ("flag", "127.0.0.1:2", "10.0.0.1")
    assert node.linger == Settings().node.linger
    sources = [loaded.sources[f"node.{key}"] for key in ("name", "bind", "advertise", "linger")]
    assert sources == ["--name", "SNOWCAST_NODE_BIND", str(file), "default"]


def test_every_key_can_be_set_in_every_place(tmp_path: Path) -> None:
    texts = {}
    for path, key in keys().items():
        match key.default:
            case bool():
                texts[path] = "false" if key.default else "true"
            case int() | float():
                texts[path] = str(key.default + 2)
            case dict():
                texts[path] = "zone=a,rack=7"
            case tuple():
                texts[path] = "x,y"
            case LogLevel():
                texts[path] = "debug"
            case RingOrder():
                texts[path] = "hashed"
            case _:
                texts[path] = {"log.format": "json", "protocol.recovery": "rebroadcast"}.get(
                    path, "127.0.0.1:1"
                )
    by_environment = load(None, {keys()[path].variable: text for path, text in texts.items()})
    by_flag = load(None, {}, {path: Given(text, "--set") for path, text in texts.items()})
    assert by_environment.settings == by_flag.settings
    assert "default" not in by_environment.sources.values()
    unchanged = [
        path
        for path in keys()
        if getattr(getattr(by_flag.settings, keys()[path].section), keys()[path].name)
        == keys()[path].default
    ]
    assert unchanged == []
    path = tmp_path / "all.toml"
    path.write_text(to_toml(by_flag).replace("# keys: 2 not shown", 'keys = ["x", "y"]'))
    assert load(path).settings == by_flag.settings


def test_what_is_printed_is_a_file_that_says_the_same_and_where_each_key_came_from() -> None:
    loaded = load(None, {"SNOWCAST_LOG_LEVEL": "debug"}, {"node.tags": Given(["a=b"], "--tag")})
    text = to_toml(loaded)
    assert tomllib.loads(text)["log"]["level"] == "debug"
    assert tomllib.loads(text)["node"]["tags"] == {"a": "b"}
    lines = text.splitlines()
    assert 'level = "debug"  # The least that is worth a line; from SNOWCAST_LOG_LEVEL' in lines
    assert 'format = "text"  # Lines for people, or JSON' in lines
    assert "heal_us = 30000000" in lines


def test_secrets_are_not_printed() -> None:
    text = to_toml(load(None, {"SNOWCAST_SECURITY_KEYS": "c2VjcmV0,b3RoZXI="}))
    assert "c2VjcmV0" not in text
    assert "# keys: 2 not shown" in text


def test_an_unknown_key_is_named_with_its_file_and_with_what_was_allowed(file: Path) -> None:
    file.write_text('[node]\nbindd = "x"\n')
    assert refused(file) == (
        f"{file}: no key node.bindd (did you mean bind?); allowed in [node]: name, tags, bind, "
        "advertise, seeds, snapshot, linger"
    )


def test_an_unknown_section_is_named_with_those_there_are(file: Path) -> None:
    file.write_text('[nodes]\nbind = "x"\n')
    assert refused(file) == (
        f"{file}: there is no [nodes] (did you mean node?); sections are [node], [cluster], "
        "[security], [control], [metrics], [log], [trace], [limits], [protocol]"
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('bind = "x"\n', "there is no bind"),
        ('node = "x"\n', "node is a section: write [node]"),
        ("[node\n", "no TOML: "),
        ("[node]\nbind = 7946\n", "node.bind: want str, not 7946"),
        ('[node]\nseeds = "a:1"\n', "node.seeds: want array, not 'a:1'"),
        ('[cluster]\nfanout = "4"\n', "cluster.fanout: want int, not '4'"),
        ('[log]\nlevel = "loud"\n', "log.level: want one of debug, info, warning, error"),
        ("[limits]\nlinks_max = 0\n", "links_max must be positive, not 0"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_in_one_line_with_its_name(
    file: Path, content: str, said: str
) -> None:
    file.write_text(content)
    message = refused(file)
    assert message.startswith(f"{file}: ")
    assert said in message
    assert "\n" not in message


def test_what_the_core_refuses_is_refused_before_anything_starts(file: Path) -> None:
    file.write_text("[cluster]\nfanout = 3\n")
    assert refused(file).startswith("[cluster] or [protocol]: ")
    file.write_text("[protocol]\nprobe_timeout_us = 2000000\n")
    assert "probe_timeout_us must be less" in refused(file)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert "nothing.toml: cannot be read: No such file" in refused(tmp_path / "nothing.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    assert "binary.toml: no TOML" in refused(tmp_path / "binary.toml")


def test_a_variable_of_ours_that_sets_nothing_is_refused() -> None:
    assert refused(environment={"SNOWCAST_NODE_BINDD": "x"}) == (
        "environment: SNOWCAST_NODE_BINDD sets nothing (did you mean SNOWCAST_NODE_BIND?)"
    )
    assert "--print-config" in refused(environment={"SNOWCAST_QQQ": "x"})


def test_what_kubernetes_and_the_commands_put_there_is_let_be() -> None:
    environment = {
        "SNOWCAST_SERVICE_HOST": "10.96.0.1",
        "SNOWCAST_SERVICE_PORT": "7946",
        "SNOWCAST_SERVICE_PORT_GOSSIP": "7946",
        "SNOWCAST_PORT": "tcp://10.96.0.1:7946",
        "SNOWCAST_PORT_7946_TCP_ADDR": "10.96.0.1",
        "SNOWCAST_HEADLESS_SERVICE_HOST": "10.96.0.1",
        "SNOWCAST_CONFIG": "x",
        "SNOWCAST_AGENT": "x",
        "SNOWCAST_TOKEN_FILE": "x",
    }
    assert load(None, environment).settings == Settings()


def test_lists_and_tags_are_written_with_commas_where_there_is_only_text() -> None:
    environment = {"SNOWCAST_NODE_SEEDS": "a:1, b:2,", "SNOWCAST_NODE_TAGS": "zone=a, note=x=y"}
    node = load(None, environment).settings.node
    assert node.seeds == ("a:1", "b:2")
    assert node.tags == {"zone": "a", "note": "x=y"}
    assert load(None, {"SNOWCAST_NODE_SEEDS": ""}).settings.node.seeds == ()
    assert "node.tags: want key=value,key=value, not 'zone'" in refused(
        environment={"SNOWCAST_NODE_TAGS": "zone"}
    )


def test_a_flag_that_is_repeated_may_hold_commas() -> None:
    flags = {"node.tags": Given(["note=a,b", "x="], "--tag"), "node.seeds": Given(["a:1"], "-")}
    node = load(None, {}, flags).settings.node
    assert node.tags == {"note": "a,b", "x": ""}
    assert node.seeds == ("a:1",)
    said = refused(flags={"node.tags": Given(["zone"], "--tag")})
    assert said == "--tag: node.tags: want key=value, not ['zone']"


def test_any_setting_is_a_flag() -> None:
    given = set_flags(["node.bind=127.0.0.1:1", "limits.links_max = 7", "node.tags=a=b"])
    settings = load(None, {}, given).settings
    assert settings.node.bind == "127.0.0.1:1"
    assert settings.limits.links_max == 7
    assert settings.node.tags == {"a": "b"}
    with pytest.raises(UsageError, match=r"--set wants section\.key=value, not 'node'"):
        set_flags(["node"])
    assert "--set node.x: no key node.x" in refused(flags=set_flags(["node.x=1"]))
    assert "there is no section 'x'" in refused(flags=set_flags(["x.y=1"]))


def test_a_wrong_secret_is_not_shown() -> None:
    message = refused(flags={"security.keys": Given(7, "--set security.keys", is_text=False)})
    assert message == "--set security.keys: security.keys: want array"
