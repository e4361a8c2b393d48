"""What can be set of an agent: sections of keys, each with its meaning and its default.

The same names are used everywhere: `node.bind` is `bind` in the section `[node]` of a file, the
variable SNOWCAST_NODE_BIND, and `--set node.bind=...`. `sources` puts the three together.

Rules of this file:
- It is the only definition of a key. What the core and the runtime define is taken from there.
- Loading it opens nothing and looks nothing up but this machine's name.
"""

from __future__ import annotations

import socket
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec.structs import fields

from snowcast.agent.places import default_socket
from snowcast.core.config import Config
from snowcast.core.ring import RingOrder
from snowcast.runtime.limits import Limits

PORT = 7946


def _is(description: str) -> msgspec.Meta:
    return msgspec.Meta(description=description)


class LogFormat(StrEnum):
    """How a line of the log is written."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """What is worth a line of the log."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """This node."""

    name: Annotated[str, _is("What it is called; its host's name, if nothing is given")] = ""
    tags: Annotated[dict[str, str], _is("What else others are to know of it: key=value")] = {}
    bind: Annotated[str, _is("Where to listen, TCP and UDP")] = f"127.0.0.1:{PORT}"
    advertise: Annotated[str, _is("Where others reach it, if not there: host or host:port")] = ""
    seeds: Annotated[
        tuple[str, ...], _is("Members to join through, host:port; asked for ever")
    ] = ()
    snapshot: Annotated[str, _is("File in which to remember members across restarts")] = ""
    linger: Annotated[float, _is("Seconds to go on forwarding after a leave is announced")] = 5.0


class ClusterSection(msgspec.Struct, frozen=True, kw_only=True):
    """What all agents of a cluster agree on, and how this one broadcasts."""

    name: Annotated[str, _is("Keeps two clusters apart")] = Config().cluster
    fanout: Annotated[int, _is("How many children a node sends to; even")] = Config().fanout
    ring_order: Annotated[RingOrder, _is("What orders the ring")] = Config().ring_order
    protocol: Annotated[str, _is("How messages spread, where a message does not say")] = "standard"


class Security(msgspec.Struct, frozen=True, kw_only=True):
    """Who is believed: certificates for streams, keys for datagrams."""

    certificate: Annotated[str, _is("File with this node's certificate, PEM")] = ""
    private_key: Annotated[str, _is("File with the key of that certificate, PEM")] = ""
    authority: Annotated[str, _is("File with whom all nodes trust, PEM")] = ""
    verify_addresses: Annotated[bool, _is("Whether certificates must name addresses")] = True
    keys: Annotated[tuple[str, ...], _is("Keys of datagrams in base64, the primary first")] = ()
    keys_file: Annotated[str, _is("File of keys, one a line; changed keys are written there")] = ""


class Control(msgspec.Struct, frozen=True, kw_only=True):
    """The control API, for the commands and for programs on this machine."""

    socket: Annotated[str, _is("Unix socket to listen on; a usual place, if there is no bind")] = ""
    socket_mode: Annotated[str, _is("Who may use the socket, octal")] = "0600"
    bind: Annotated[str, _is("host:port to listen on as well; needs a token")] = ""
    token_file: Annotated[str, _is("File with the token; written if it is not there")] = ""
    certificate: Annotated[str, _is("TLS for `bind`: file with the certificate, PEM")] = ""
    private_key: Annotated[str, _is("TLS for `bind`: file with its key, PEM")] = ""
    streams_max: Annotated[int, _is("How many may listen to messages and events at once")] = 64


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """Metrics, health and readiness, to be read by anybody who reaches the port."""

    bind: Annotated[str, _is("host:port to listen on; empty for none")] = ""


class Log(msgspec.Struct, frozen=True, kw_only=True):
    """The log, on stderr."""

    level: Annotated[LogLevel, _is("The least that is worth a line")] = LogLevel.INFO
    format: Annotated[LogFormat, _is("Lines for people, or JSON")] = LogFormat.TEXT


class TraceSection(msgspec.Struct, frozen=True, kw_only=True):
    """What the pipeline reads."""

    directory: Annotated[str, _is("Append a trace below this directory; empty for none")] = ""
    run: Annotated[str, _is("What the run is called; the cluster's name if empty")] = ""


_ELSEWHERE = {"cluster", "fanout", "ring_order"}
Protocol: Any = msgspec.defstruct(
    "Protocol",
    [(field.name, field.type, field.default) for field in fields(Config)
     if field.name not in _ELSEWHERE],
    frozen=True,
    kw_only=True,
    namespace={"__doc__": "The protocol's times and sizes; see core/config.py. Seldom changed."},
)  # fmt: skip


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All of it."""

    node: Node = Node()
    cluster: ClusterSection = ClusterSection()
    security: Security = Security()
    control: Control = Control()
    metrics: Metrics = Metrics()
    log: Log = Log()
    trace: TraceSection = TraceSection()
    limits: Limits = Limits()
    protocol: Protocol = Protocol()

    @property
    def name(self) -> str:
        """What the node is called."""
        return self.node.name or socket.gethostname()

    @property
    def socket(self) -> str:
        """Where the control API's socket is; nothing if it is only on a port."""
        if self.control.socket or self.control.bind:
            return self.control.socket
        return default_socket()

    @property
    def config(self) -> Config:
        """The core's part; UsageError if it makes no sense."""
        return Config(
            cluster=self.cluster.name,
            fanout=self.cluster.fanout,
            ring_order=self.cluster.ring_order,
            **msgspec.structs.asdict(self.protocol),
        )


class Key(msgspec.Struct, frozen=True):
    """One key of one section."""

    section: str
    name: str
    type: Any
    default: Any
    about: str = ""

    @property
    def path(self) -> str:
        """`node.bind`."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """`SNOWCAST_NODE_BIND`."""
        return f"SNOWCAST_{self.section}_{self.name}".upper()


def keys() -> dict[str, Key]:
    """Every key there is, by its path, in order."""
    found = {}
    for section in fields(Settings):
        for field in fields(section.type):
            info = msgspec.inspect.type_info(field.type)
            about = ""
            if isinstance(info, msgspec.inspect.Metadata):
                about = (info.extra_json_schema or {}).get("description", "")
            default = getattr(section.default, field.name)
            key = Key(section.name, field.name, field.type, default, about)
            found[key.path] = key
    return found


def section_about(name: str) -> str:
    """What a section is for."""
    [section] = [field for field in fields(Settings) if field.name == name]
    return str(section.type.__doc__ or "").strip().splitlines()[0]
