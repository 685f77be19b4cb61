"""Tasks as a drawing: where each stands, and what its title is cut to."""

import random

import pytest

from threads.drawing import BOX_HEIGHT, BOX_WIDTH, LINE_COLUMNS, MARKS, Node, cut, depths, drawn
from threads.vocabulary import TaskState


def node(name: str, *after: str, state: TaskState = TaskState.PLANNED) -> Node:
    return Node(id=name, title=f"task {name}", state=state, after=after)


def graph(size: int, seed: int) -> list[Node]:
    """A random DAG: each waits for some that were made before it."""
    dice = random.Random(seed)  # noqa: S311 - nothing secret is drawn
    return [node(str(n), *(str(m) for m in range(n) if dice.random() < 0.2)) for n in range(size)]


def test_nothing_draws_nothing() -> None:
    assert (drawn([]).boxes, drawn([]).arrows) == ([], [])


def test_a_chain_stands_in_a_row() -> None:
    places = [(box.node.id, box.y) for box in drawn([node("c", "b"), node("b", "a"), node("a")]).boxes]
    assert places == [("a", 8), ("b", 8), ("c", 8)]


def test_depth_is_the_longest_way() -> None:
    assert depths({"a": [], "b": ["a"], "c": ["a", "b"], "d": []}) == {"a": 0, "b": 1, "c": 2, "d": 0}


def test_what_is_not_drawn_holds_nothing_up() -> None:
    assert depths({"a": ["gone"]}) == {"a": 0}


def test_a_circle_ends() -> None:
    assert set(depths({"a": ["b"], "b": ["a"], "c": ["b"]})) == {"a", "b", "c"}


@pytest.mark.parametrize("seed", range(20))
def test_each_stands_right_of_what_it_waits_for(seed: int) -> None:
    nodes = graph(30, seed)
    left = {box.node.id: box.x for box in drawn(nodes).boxes}
    assert all(left[one.id] >= left[other] + BOX_WIDTH for one in nodes for other in one.after)


@pytest.mark.parametrize("seed", range(20))
def test_no_two_boxes_overlap_and_all_are_inside(seed: int) -> None:
    drawing = drawn(graph(30, seed))
    spots = {(box.x, box.y) for box in drawing.boxes}
    assert len(spots) == 30
    assert max(x for x, _ in spots) + BOX_WIDTH < drawing.width
    assert max(y for _, y in spots) + BOX_HEIGHT < drawing.height


def test_there_is_an_arrow_for_each_edge() -> None:
    nodes = graph(30, 1)
    assert len(drawn(nodes).arrows) == sum(len(one.after) for one in nodes)


def test_the_same_tasks_are_drawn_the_same() -> None:
    assert drawn(graph(30, 2)) == drawn(graph(30, 2))


def test_states_differ_in_shape() -> None:
    assert len({MARKS[state] for state in TaskState}) == len(TaskState)


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("short", ["short"]),
        ("Stream rows through a server-side cursor", ["Stream rows through a", "server-side cursor"]),
        ("词" * 12, ["词" * 11, "词"]),
        ("词" * 30, ["词" * 11, "词" * 11 + "…"]),
        ("x" * 60, ["x" * 23, "x" * 22 + "…"]),
        ("", []),
    ],
)
def test_a_title_is_cut_to_its_box(title: str, lines: list[str]) -> None:
    assert cut(title) == lines


def test_a_cut_never_parts_a_character() -> None:
    family = "👨‍👩‍👧‍👦"
    first, second = cut(family * 40)
    assert (set(first.split(family)), set(second.removesuffix("…").split(family))) == ({""}, {""})


def test_a_cut_line_is_no_wider_than_its_box() -> None:
    words = "一 two 三 four 五 six 七 eight 九 ten " * 4
    assert all(len(line.encode("gbk", "replace")) <= LINE_COLUMNS + 1 for line in cut(words))
