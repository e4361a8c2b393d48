"""What views have in common, and how often a frame meets another view than its sender's."""

from snowcast.core.frames import Data
from snowcast.core.trees import Tree
from snowcast.sim.checkers.agreement import Divergence, known_to_all
from snowcast.sim.cluster import address_of
from support.stage import message, sim_node

FRAME = Data(message(), Tree.STANDARD, None, None, b"")


def test_all_are_known_where_all_views_are_equal() -> None:
    nodes = [sim_node(index, knows=3) for index in range(3)]

    assert known_to_all(nodes) == {address_of(0), address_of(1), address_of(2)}


def test_whom_one_node_does_not_know_is_not_known_to_all() -> None:
    nodes = [sim_node(0, knows=3), sim_node(1, knows=3), sim_node(2, knows=2)]
    nodes.append(sim_node(3, knows=4))

    assert known_to_all(nodes) == {address_of(0), address_of(1)} | ({address_of(2)})


def test_a_joiner_without_a_view_yet_and_the_dead_have_no_say() -> None:
    joiner, dead = sim_node(7), sim_node(2, knows=1)
    dead.stop(refuses=True)

    known = known_to_all([sim_node(0, knows=2), sim_node(1, knows=2), joiner, dead])

    assert known == {address_of(0), address_of(1)}


def test_nobody_is_known_to_all_where_nobody_is() -> None:
    assert known_to_all([]) == set()


def test_frames_between_equal_views_do_not_diverge() -> None:
    divergence = Divergence()
    a, b = sim_node(0, knows=2), sim_node(1, knows=2)
    divergence.on_node(a)
    divergence.on_frame(b, a.address, FRAME)

    assert (divergence.frames, divergence.frames_diverging) == (1, 0)
    assert divergence.messages_diverging == set()


def test_a_frame_that_meets_another_view_is_counted_with_its_message() -> None:
    divergence = Divergence()
    a, b = sim_node(0, knows=2), sim_node(1, knows=3)
    divergence.on_node(a)
    divergence.on_frame(b, a.address, FRAME)

    assert (divergence.frames, divergence.frames_diverging) == (1, 1)
    assert divergence.messages_diverging == {message()}


def test_announcements_are_no_messages() -> None:
    divergence = Divergence()
    announcement = Data(message(), Tree.STANDARD, None, None, b"", is_system=True)
    divergence.on_frame(sim_node(0), address_of(1), announcement)

    assert divergence.frames == 0
