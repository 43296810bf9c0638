"""One layout for everything that is drawn as a graph."""

from __future__ import annotations

from pathlib import Path

from andon.domain.line import Lamp
from andon.domain.orders import Column, Node
from andon.domain.todos import Todo
from andon.teamify.reading import workflow_of
from andon.web.dag import LINE, PAD, TODOS, UNITS, order_graph, todo_graph, unit_graph

FLOW = "## Step 1 Look\n## Step 2 Read\nIn parallel.\n### One\nRead(a)\n### Two\nRead(b)\n## Step 3 Merge\n"


def test_B_21_units_of_one_level_stand_in_one_column_and_lines_lead_to_the_right() -> None:
    made = unit_graph(workflow_of(FLOW, Path("flow.md")).units)

    columns = [(box.x - PAD) // (UNITS.width + UNITS.gap) for box in made.boxes]
    assert [box.name for box in made.boxes] == ["Step 1 Look", "Step 2 Read", "One", "Two", "Step 3 Merge"]
    assert columns == [0, 1, 2, 2, 3] and len(made.edges) == 5
    assert made.height == 2 * LINE + 2 * PAD and made.width == max(box.x for box in made.boxes) + UNITS.width + PAD


def test_todos_are_drawn_by_the_same_layout_with_lines_of_their_lamps() -> None:
    todos = (
        Todo(1, "a", (), Lamp.FAILED, 1, 0),
        Todo(2, "b", (), Lamp.PASSED, 1, 0),
        Todo(3, "c", (1, 2), Lamp.RUNNING, 1, 1),
    )

    made = todo_graph(todos, lambda todo: f"/there/{todo.number}")

    assert [(box.x, box.spot.link) for box in made.boxes] == [
        (PAD, "/there/1"),
        (PAD, "/there/2"),
        (PAD + TODOS.width + TODOS.gap, "/there/3"),
    ]
    assert [edge.kind for edge in made.edges] == ["bad", "live"]


def test_done_todos_are_folded_where_there_are_many_and_lines_to_them_left_out() -> None:
    todos = [Todo(n, "x", (n - 1,), Lamp.PASSED if n < 45 else Lamp.TODO, 0, n) for n in range(1, 51)]

    made = todo_graph(todos, lambda todo: "")

    assert (len(made.boxes), made.folded, len(made.edges)) == (6, 44, 5)


def test_orders_have_one_line_from_column_to_column() -> None:
    columns = [
        Column([Node("planner", Lamp.REPLIED)]),
        Column([Node("a", Lamp.FAILED), Node("b", Lamp.PASSED)]),
        Column([Node("fixer", Lamp.RUNNING)]),
    ]

    made = order_graph(columns)

    assert [edge.kind for edge in made.edges] == ["", "bad"] and len(made.boxes) == 4
    assert order_graph([]).boxes == () and order_graph([]).width > 0
    assert order_graph([Column([Node("x", Lamp.PASSED)])] * 20).folded == 6


def test_names_fit_their_box_in_any_script() -> None:
    made = unit_graph(workflow_of("## 가나다라마바사아자차카타파하\n## " + "x" * 60 + "\n", Path("f.md")).units)

    korean, latin = (box.name for box in made.boxes)
    assert korean == "가나다라마바사아자차카…" and latin == "x" * 23 + "…"
