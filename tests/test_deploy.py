"""What operators start from: units, images and manifests that say what the agent understands."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

import write_cli_docs
from snowcast.agent import setup, sources
from snowcast.agent.settings import keys
from snowcast.agent.sources import NOT_SETTINGS
from support import yaml_subset
from tidy.commands import wrong_commands

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs" / "OPERATIONS.md").read_text()
UNIT = DEPLOY / "systemd" / "snowcast.service"
TOML = DEPLOY / "systemd" / "agent.toml"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
PORT, METRICS_PORT = 7946, 9946

Manifest = dict[str, Any]


def manifest(name: str) -> Manifest:
    """One file for Kubernetes."""
    found: Manifest = yaml_subset.read((DEPLOY / "kubernetes" / f"{name}.yaml").read_text())
    return found


def unit() -> configparser.SectionProxy:
    """The [Service] section."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(UNIT.read_text())
    assert set(parser) == {"DEFAULT", "Unit", "Service", "Install"}
    return parser["Service"]


def runs(command: str) -> None:
    """Fail if `snowcast` has no such command or option."""
    problems = list(
        wrong_commands("deploy", f"```sh\n{command}\n```", set(), write_cli_docs.root_command())
    )
    assert problems == []


def test_the_unit_starts_a_command_that_there_is_with_the_settings_beside_it() -> None:
    service = unit()
    runs(service["ExecStart"])
    words = shlex.split(service["ExecStart"])
    assert words[words.index("--config") + 1] == f"/etc/snowcast/{TOML.name}"
    assert service["Type"] == "notify"
    assert service["ExecReload"].endswith("-HUP $MAINPID")
    assert service["RestartPreventExitStatus"] == "2"


def test_the_unit_gives_the_agent_what_its_settings_name() -> None:
    service, settings = unit(), sources.load(TOML).settings
    assert settings.control.socket.startswith(f"/run/{service['RuntimeDirectory']}/")
    state = f"/var/lib/{service['StateDirectory']}/"
    for path in (settings.node.snapshot, settings.security.keys_file):
        assert path.startswith(state), "the agent writes it"
    assert int(service["TimeoutStopSec"]) > settings.node.linger + 5
    limits = settings.limits
    assert int(service["LimitNOFILE"]) > limits.links_max + limits.inbound_max + 500
    assert setup.way(settings).mode is not None
    assert settings.node.bind == f"0.0.0.0:{PORT}"
    assert settings.metrics.bind == f"0.0.0.0:{METRICS_PORT}"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    copy = tmp_path / UNIT.name
    executable = shlex.split(unit()["ExecStart"])[0]
    copy.write_text(UNIT.read_text().replace(executable, shutil.which("true") or "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)], capture_output=True, text=True
    )
    about_ours = [line for line in done.stderr.splitlines() if UNIT.name in line]
    assert about_ours == []


def container_environment() -> dict[str, str]:
    """What the image sets."""
    [block] = re.findall(r"^ENV ((?:.*\\\n)*.*)$", CONTAINERFILE, flags=re.MULTILINE)
    return dict(word.split("=", 1) for word in shlex.split(block.replace("\\\n", " ")))


def test_the_image_is_made_of_what_there_is_and_starts_the_agent() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", CONTAINERFILE, flags=re.MULTILINE)
    for name in " ".join(copied).split():
        assert (ROOT / name).exists()
    extras = re.findall(r"'/source\[(.+)\]'", CONTAINERFILE)[0].split(",")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(extras) <= set(project["optional-dependencies"])
    entry = re.findall(r'^(?:ENTRYPOINT|CMD) \["(.+)"\]$', CONTAINERFILE, flags=re.MULTILINE)
    assert entry == ["snowcast", "agent"]
    assert "\nUSER 65532" in CONTAINERFILE


def test_what_the_image_sets_are_settings_and_its_ports_those_it_shows() -> None:
    environment = container_environment()
    ours = {name: value for name, value in environment.items() if name.startswith("SNOWCAST_")}
    settings = sources.load(None, ours).settings
    assert ours["SNOWCAST_AGENT"] == settings.control.socket, "commands find the agent by it"
    [exposed] = re.findall(r"^EXPOSE (.+)$", CONTAINERFILE, flags=re.MULTILINE)
    assert exposed.split() == [f"{PORT}/tcp", f"{PORT}/udp", f"{METRICS_PORT}/tcp"]
    assert settings.node.bind.endswith(f":{PORT}")
    assert settings.metrics.bind.endswith(f":{METRICS_PORT}")


def pod() -> Manifest:
    """What each pod is."""
    found: Manifest = manifest("statefulset")["spec"]["template"]["spec"]
    return found


def pod_environment() -> dict[str, str]:
    """The environment of a pod at some address, with some key."""
    given = {"status.podIP": "10.1.2.3", "snowcast-keys": "a2V5" * 8}
    found: dict[str, str] = {}
    for entry in pod()["containers"][0]["env"]:
        source = entry.get("valueFrom", {})
        if "fieldRef" in source:
            found[entry["name"]] = given[source["fieldRef"]["fieldPath"]]
        elif "secretKeyRef" in source:
            found[entry["name"]] = given[source["secretKeyRef"]["name"]]
        else:
            value = entry["value"]
            assert isinstance(value, str), "Kubernetes takes nothing but text"
            found[entry["name"]] = re.sub(r"\$\((\w+)\)", lambda m: found[m[1]], value)
    return found


def test_the_environment_of_a_pod_makes_settings_that_agree_with_its_ports() -> None:
    environment = container_environment() | pod_environment()
    ours = {name: value for name, value in environment.items() if name.startswith("SNOWCAST_")}
    variables = {key.variable for key in keys().values()}
    assert set(ours) <= variables | NOT_SETTINGS
    settings = sources.load(None, ours).settings
    assert settings.node.advertise == "10.1.2.3"
    assert not settings.security.verify_addresses
    [agent] = pod()["containers"]
    ports = {port["name"]: (port["containerPort"], port["protocol"]) for port in agent["ports"]}
    assert ports == {
        "stream": (PORT, "TCP"), "datagram": (PORT, "UDP"), "metrics": (METRICS_PORT, "TCP"),
    }  # fmt: skip
    assert pod()["terminationGracePeriodSeconds"] > settings.node.linger + 5
    runs(" ".join(["snowcast", *agent["args"]]))


def test_pods_find_each_other_through_the_service_before_they_are_ready() -> None:
    service, stateful = manifest("service"), manifest("statefulset")
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["publishNotReadyAddresses"] is True
    assert stateful["spec"]["serviceName"] == service["metadata"]["name"]
    assert stateful["spec"]["podManagementPolicy"] == "OrderedReady"
    assert pod_environment()["SNOWCAST_NODE_SEEDS"] == f"{service['metadata']['name']}:{PORT}"
    labels = stateful["spec"]["template"]["metadata"]["labels"]
    selectors = [
        service["spec"]["selector"],
        stateful["spec"]["selector"]["matchLabels"],
        manifest("disruption")["spec"]["selector"]["matchLabels"],
        manifest("network")["spec"]["podSelector"]["matchLabels"],
    ]
    assert all(selector.items() <= labels.items() for selector in selectors)
    shown = {port["name"]: (port["port"], port["protocol"]) for port in service["spec"]["ports"]}
    [agent] = pod()["containers"]
    assert shown == {p["name"]: (p["containerPort"], p["protocol"]) for p in agent["ports"]}


def test_probes_ask_what_the_agent_answers() -> None:
    from snowcast.agent.routes import PLAIN

    [agent] = pod()["containers"]
    ports = {port["name"] for port in agent["ports"]}
    for kind, path in (("startup", "healthz"), ("liveness", "healthz"), ("readiness", "readyz")):
        asked = agent[f"{kind}Probe"]["httpGet"]
        assert asked == {"path": f"/{path}", "port": "metrics"}
        assert asked["path"] in PLAIN
        assert asked["port"] in ports
    allowed = [p["port"] for rule in manifest("network")["spec"]["ingress"] for p in rule["ports"]]
    assert set(allowed) == ports


def test_every_volume_is_there_and_every_secret_is_made_by_the_page() -> None:
    [agent] = pod()["containers"]
    volumes = {volume["name"]: volume for volume in pod()["volumes"]}
    mounts = {mount["mountPath"]: mount["name"] for mount in agent["volumeMounts"]}
    assert set(mounts.values()) == set(volumes)
    environment = container_environment() | pod_environment()
    for name in ("CERTIFICATE", "PRIVATE_KEY", "AUTHORITY"):
        folder, _, file = environment[f"SNOWCAST_SECURITY_{name}"].rpartition("/")
        secret = volumes[mounts[folder]]["secret"]["secretName"]
        assert f"kubectl create secret generic {secret} " in PAGE
        assert f"--from-file={file}" in PAGE
    socket = environment["SNOWCAST_CONTROL_SOCKET"].rpartition("/")[0]
    assert "emptyDir" in volumes[mounts[socket]], "the rest of the file system is read-only"
    assert "kubectl create secret generic snowcast-keys --from-file=keys=" in PAGE


def test_all_manifests_are_listed_and_are_what_kubernetes_calls_such() -> None:
    listed = manifest("kustomization")["resources"]
    there = {path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")}
    assert set(listed) == there - {"kustomization.yaml"}
    for name in listed:
        made = manifest(name.removesuffix(".yaml"))
        assert {"apiVersion", "kind", "metadata", "spec"} == set(made)
        assert made["metadata"]["name"] == "snowcast"


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl here")
def test_kubectl_reads_the_manifests_too() -> None:
    done = subprocess.run(
        ["kubectl", "kustomize", str(DEPLOY / "kubernetes")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\nkind: ") == len(manifest("kustomization")["resources"])


def test_the_page_explains_every_key_of_an_operator_and_no_other() -> None:
    known = set(keys())
    sections = {path.split(".")[0] for path in known}
    named = {
        text for text in re.findall(r"`([a-z_]+\.[a-z_]+)`", PAGE) if text.split(".")[0] in sections
    }
    assert named <= known
    own = {path for path in known if path.split(".")[0] not in ("limits", "protocol")}
    rows = set(re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \|", PAGE, flags=re.MULTILINE))
    assert rows == own


def test_the_page_names_the_ports_and_what_the_log_says() -> None:
    rows = re.findall(r"^\| (\d+) \| (TCP|UDP) \|", PAGE, flags=re.MULTILINE)
    assert rows == [("7946", "TCP"), ("7946", "UDP"), ("9946", "TCP"), ("7373", "TCP")]
    source = "\n".join(
        path.read_text() for room in ("agent", "runtime") for path in
        (ROOT / "src" / "snowcast" / room).glob("*.py")
    )  # fmt: skip
    for said in ("not let in yet", "others go by its name", "a peer reads too slowly"):
        assert f"`{said}`" in PAGE
        assert said in source
    for said in ("its cluster is called", "another agent listens on"):
        assert said in PAGE
        assert said in source


def test_the_paths_the_page_names_are_there() -> None:
    for path in re.findall(r"\bdeploy/[\w./-]+", PAGE):
        assert (ROOT / path.rstrip(".")).exists(), path
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).resolve().exists(), target


@pytest.mark.parametrize(
    "text",
    ["a: yes", "a: 'x'", "a: |\n  x", "a: 1.5", "a: b # c", "a:\n b: 1\n  c: 2", "a: 1\na: 2",
     "a:\n\tb: 1", "a: [1, 2]", "- a\nb: 1", "a: &x 1", "a"],
)  # fmt: skip
def test_the_reader_of_manifests_refuses_what_it_could_misread(text: str) -> None:
    with pytest.raises(AssertionError):
        yaml_subset.read(text)


def test_the_reader_of_manifests_reads_maps_lists_and_scalars() -> None:
    text = '# c\na:\n  - b: "1"\n    c: 2\n  - d\ne:\n- f: true\n  g:\n    h: {}\ni: 10.0.0.1:7\n'
    assert yaml_subset.read(text) == {
        "a": [{"b": "1", "c": 2}, "d"],
        "e": [{"f": True, "g": {"h": {}}}],
        "i": "10.0.0.1:7",
    }
