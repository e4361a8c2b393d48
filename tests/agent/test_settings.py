"""What can be set of an agent: each key once, under one name, with a meaning."""

from __future__ import annotations

import os
import socket

import msgspec
import pytest

from snowcast.agent.settings import (
    ClusterSection,
    Control,
    Node,
    Protocol,
    Settings,
    keys,
    section_about,
)
from snowcast.core.config import Config
from snowcast.core.errors import UsageError
from snowcast.core.ring import RingOrder
from snowcast.runtime.limits import Limits


def test_what_agents_agree_on_and_the_protocol_together_are_the_cores_config() -> None:
    assert Settings().config == Config()
    settings = Settings(
        cluster=ClusterSection(name="blue", fanout=6, ring_order=RingOrder.HASHED),
        protocol=Protocol(heal_us=7),
    )
    config = Config(cluster="blue", fanout=6, ring_order=RingOrder.HASHED, heal_us=7)
    assert settings.config == config
    with pytest.raises(UsageError, match="fanout"):
        _ = Settings(cluster=ClusterSection(fanout=3)).config


def test_every_key_of_the_core_and_of_the_limits_can_be_set_in_one_place() -> None:
    names = [path.partition(".")[2] for path in keys()]
    for name in (*Config.__struct_fields__, *Limits.__struct_fields__):
        wanted = "name" if name == "cluster" else name
        assert wanted in names
    protocol = {path for path in keys() if path.startswith("protocol.")}
    assert "protocol.fanout" not in protocol
    assert {f"protocol.{name}" for name in ("hop_timeout_us", "recovery")} <= protocol


def test_every_key_has_one_name_everywhere_and_a_default() -> None:
    known = keys()
    assert known["node.bind"].variable == "SNOWCAST_NODE_BIND"
    assert known["node.bind"].default == Node().bind
    assert known["protocol.heal_us"].variable == "SNOWCAST_PROTOCOL_HEAL_US"
    assert len({key.variable for key in known.values()}) == len(known)
    assert all(path == key.path for path, key in known.items())


def test_every_key_of_the_agent_says_what_it_means() -> None:
    elsewhere = ("limits", "protocol")  # their docstrings do
    silent = [key.path for key in keys().values() if not key.about and key.section not in elsewhere]
    assert silent == []
    assert all(section_about(name) for name in Settings.__struct_fields__)
    assert section_about("control").startswith("The control API")


def test_a_node_without_a_name_is_called_as_its_host() -> None:
    assert Settings().name == socket.gethostname()
    assert Settings(node=Node(name="ada")).name == "ada"


def test_the_socket_is_at_a_usual_place_unless_there_is_only_a_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert Settings().socket == "/run/snowcast/agent.sock"
    assert Settings(control=Control(socket="/x.sock")).socket == "/x.sock"
    assert Settings(control=Control(bind="127.0.0.1:7373")).socket == ""
    both = Control(bind="127.0.0.1:7373", socket="/x.sock")
    assert Settings(control=both).socket == "/x.sock"


def test_the_defaults_are_safe() -> None:
    settings = Settings()
    assert settings.node.bind.startswith("127.0.0.1:")
    assert (settings.control.bind, settings.metrics.bind) == ("", "")
    assert settings.control.socket_mode == "0600"
    assert settings.security.verify_addresses


def test_settings_cannot_be_changed_by_accident() -> None:
    with pytest.raises(AttributeError):
        Settings().node.name = "other"  # type: ignore[misc]
    assert msgspec.to_builtins(Settings())["cluster"]["fanout"] == 4
