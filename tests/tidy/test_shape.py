"""The rules on sizes, docstrings and mirrored tests can fail."""

import pytest

from tidy.shape import (
    COLUMNS_MAX,
    FILE_LINES_MAX,
    FUNCTION_LINES_MAX,
    long_file,
    long_functions,
    long_lines,
    missing_docstring,
    unmirrored,
)

WIDE = "word " * 30


def test_a_file_one_line_too_long_is_found() -> None:
    assert list(long_file("a.py", "x = 1\n" * FILE_LINES_MAX)) == []
    [problem] = long_file("a.py", "x = 1\n" * (FILE_LINES_MAX + 1))
    assert str(problem) == "a.py:401: 401 lines, over 400: split it"


@pytest.mark.parametrize("keyword", ["def", "async def"])
def test_a_function_one_line_too_long_is_found_and_named(keyword: str) -> None:
    def function(lines: int) -> str:
        return f"\n@cached\n{keyword} f():\n" + "    x = 1\n" * (lines - 1)

    assert list(long_functions("a.py", function(FUNCTION_LINES_MAX))) == []
    [problem] = long_functions("a.py", function(FUNCTION_LINES_MAX + 1))
    assert str(problem) == "a.py:3: f has 71 lines, over 70: split it"


def test_a_line_one_column_too_wide_is_found() -> None:
    assert list(long_lines("a.md", "x" * COLUMNS_MAX)) == []
    [problem] = long_lines("a.py", "\n" + "x" * (COLUMNS_MAX + 1))
    assert str(problem) == "a.py:2: 101 columns, over 100"


@pytest.mark.parametrize(
    "text",
    [
        f"| {WIDE} |",
        f"[a link](https://example.org/{WIDE})",
        f"    {WIDE}",
        f"```console\n{WIDE}\n```",
        f"~~~\n```\n{WIDE}\n~~~",
    ],
)
def test_what_cannot_be_broken_may_be_wide_in_markdown(text: str) -> None:
    assert list(long_lines("a.md", text)) == []


def test_prose_after_a_closed_block_is_prose_again() -> None:
    assert [problem.line for problem in long_lines("a.md", f"```sh\nls\n```\n{WIDE}")] == [4]


def test_a_module_without_a_docstring_is_found() -> None:
    assert list(missing_docstring("a.py", '"""What it is."""\n')) == []
    assert list(missing_docstring("a.py", "# what it is\nx = 1\n"))
    assert list(missing_docstring("a.py", ""))


def problems_of(*paths: str) -> list[str]:
    return sorted(str(problem) for problem in unmirrored(paths))


def test_a_source_without_a_test_is_found() -> None:
    [problem] = problems_of("src/snowcast/core/ring.py")
    assert problem == "src/snowcast/core/ring.py:1: no test: write tests/core/test_ring.py"


def test_a_test_without_a_source_is_found() -> None:
    source = "src/snowcast/core/ring.py"
    [problem] = problems_of(source, "tests/core/test_ring.py", "tests/core/test_gone.py")
    assert "tests/core/test_gone.py:1: no source of this name" in problem


def test_a_folder_of_tests_without_a_room_is_found() -> None:
    [problem] = problems_of("tests/nowhere/test_ring.py")
    assert "no such folder in src/snowcast/nowhere" in problem


@pytest.mark.parametrize(
    "paths",
    [
        ("src/snowcast/core/ring.py", "tests/core/test_ring.py"),
        ("src/snowcast/core/ring.py", "tests/core/test_ring_order.py"),
        ("src/snowcast/lab/net/tun.py", "tests/lab/net/test_tun.py", "tests/lab/conftest.py"),
        ("src/snowcast/__init__.py", "src/snowcast/core/__init__.py", "tests/test_api.py"),
        ("tests/paper/test_regions.py", "tests/support/rings.py", "tests/tidy/test_shape.py"),
    ],
)
def test_mirrored_files_are_fine(paths: tuple[str, ...]) -> None:
    assert problems_of(*paths) == []
