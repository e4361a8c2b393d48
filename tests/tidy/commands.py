"""Commands shown to readers: each one has to exist, with the options it is shown with."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

from tidy.repository import Problem

SEPARATORS = {";", "&", "&&", "|", "||", "(", ")", "{", "}"}
BEFORE_A_COMMAND = {"!", "do", "else", "exec", "if", "sudo", "then", "time", "uv", "run", "while"}
MAKE_OPTIONS_WITH_VALUE = {"-C", "-f", "-j"}


def make_targets(makefile: str) -> set[str]:
    """The targets of a Makefile."""
    return set(re.findall(r"^([A-Za-z][\w-]*):(?!=)", makefile, flags=re.MULTILINE))


def wrong_commands(path: str, text: str, targets: set[str], root: Any) -> Iterator[Problem]:
    """`make` and `snowcast` commands in shell blocks that would not run as shown.

    `root` is the click command of `snowcast`, or None while there is none.
    """
    for line, words in shown_commands(text):
        if words is None:
            yield Problem(path, line, "no shell would read this command: a quote is left open")
        elif words[0] == "make":
            for target in _targets_asked_for(words[1:]):
                if target not in targets:
                    yield Problem(path, line, f"`make {target}`: the Makefile has no such target")
        elif words[0] == "snowcast":
            problem = "there is no such command yet" if root is None else _wrong_call(words, root)
            if problem:
                yield Problem(path, line, f"`{shlex.join(words)}`: {problem}")


def shown_commands(markdown: str) -> Iterator[tuple[int, list[str] | None]]:
    """(line, words) of every simple command in the sh and console blocks; None if unreadable."""
    for number, line in _shell_lines(markdown):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        try:
            tokens = [*lexer, ";"]
        except ValueError:
            yield number, None
            continue
        words: list[str] = []
        for token in tokens:
            if token not in SEPARATORS:
                words.append(token)
                continue
            command = _without_prefix(words)
            if command:
                yield number, command
            words = []


def _shell_lines(markdown: str) -> Iterator[tuple[int, str]]:
    """Command lines, continued ones joined; the output in console blocks is left out."""
    kind, pending, begun = "", "", 0
    for number, line in enumerate(markdown.splitlines(), start=1):
        fence = re.match(r"\s*```+\s*(\w*)", line)
        if fence:
            kind = "" if kind else fence[1] or "text"
            pending = ""
        elif kind in ("sh", "console"):
            command = line.strip()
            if kind == "console" and not pending:
                if not command.startswith("$ "):
                    continue
                command = command[2:]
            begun = begun if pending else number
            pending += " " + command.removesuffix("\\")
            if not command.endswith("\\"):
                yield begun, pending
                pending = ""


def _without_prefix(words: list[str]) -> list[str]:
    """From `FOO=1 sudo .venv/bin/snowcast plan` to `snowcast plan`; `python -m snowcast` too."""
    rest = list(words)
    while rest and (rest[0] in BEFORE_A_COMMAND or re.match(r"\w+=", rest[0])):
        rest.pop(0)
    if not rest:
        return []
    name = rest[0].rsplit("/", 1)[-1]
    if re.fullmatch(r"python[\d.]*", name) and rest[1:3] == ["-m", "snowcast"]:
        return ["snowcast", *rest[3:]]
    return [name, *rest[1:]]


def _targets_asked_for(words: list[str]) -> Iterator[str]:
    value_follows = False
    for word in words:
        if value_follows or "=" in word or word.startswith("-"):
            value_follows = word in MAKE_OPTIONS_WITH_VALUE
        elif word in (">", ">>", "2>"):
            return
        else:
            yield word


def _wrong_call(words: list[str], root: Any) -> str | None:
    """Why `words` is no call of the command tree, or None."""
    command, called, value_follows, plain = root, "snowcast", False, False
    for word in words[1:]:
        if value_follows:
            value_follows = False
        elif plain or not word.startswith("-") or word == "-":
            subcommands = getattr(command, "commands", None)
            if subcommands is not None:
                if word not in subcommands:
                    return f"{called} has no command `{word}`"
                command, called = subcommands[word], f"{called} {word}"
        elif word == "--":
            plain = True
        elif word != "--help":
            option, given, _ = word.partition("=")
            parameter = _parameter(command, option)
            if parameter is None:
                return f"{called} has no option `{option}`"
            value_follows = not (given or _is_switch(parameter))
    return None


def _parameter(command: Any, option: str) -> Any:
    for parameter in command.params:
        if option in (*parameter.opts, *parameter.secondary_opts):
            return parameter
    return None


def _is_switch(parameter: Any) -> bool:
    return bool(getattr(parameter, "is_flag", False) or getattr(parameter, "count", False))
