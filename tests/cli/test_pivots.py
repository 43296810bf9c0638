"""`andon uam pivot` on a file that somebody else wrote: a person, or a session of the plugin."""

from __future__ import annotations

from typing import Any

FILE = ".uam/pivot-points.md"
OF_A_SESSION = """# Pivot Points

Agreed with Ann on Monday.

## PP-1: Storage
- Status: PROVISIONAL
- Constraint: Reports stay plain text
- Reason: "other teams read them"

## PP-4: Dependencies
- Status: CONFIRMED
- Constraint: No new dependency

## Notes
- PP-2 was withdrawn
1. [confirmed] the API stays
"""


def pivot(person: Any, *points: str) -> Any:
    person.play()
    told = [word for point in points for word in ("--point", point)]
    return person.andon("uam", "pivot", *told, "--runtime", "scripted", "--scenario", str(person.scenario))


def test_C_18_points_and_notes_of_the_plugins_form_stay_and_what_is_new_joins_them(person: Any) -> None:
    file = person.repository / FILE
    file.parent.mkdir()
    file.write_text(OF_A_SESSION)

    ran = pivot(person, "The API stays", "Reports stay plain text")

    assert ran.code == 0, ran.stderr
    confirmed = OF_A_SESSION.replace("PROVISIONAL", "CONFIRMED")
    added = "\n## PP-5: The API stays\n- Status: CONFIRMED\n- Constraint: The API stays\n"
    assert file.read_text() == confirmed.replace("\n## Notes", f"{added}\n## Notes")
    assert "3 pivot points are in" in ran.stdout
    assert "cannot be read as a pivot point, and stays as it is: 1. [confirmed] the API stays" in ran.stdout
    assert "git merge" not in ran.stdout  # nothing was committed


def test_C_18_one_point_is_told_as_one(person: Any) -> None:
    assert "DONE: 1 pivot point is in .uam/pivot-points.md." in pivot(person, "The API stays").stdout


def test_C_18_points_of_andons_own_form_keep_their_numbers_and_what_is_written_below_them(person: Any) -> None:
    file = person.repository / FILE
    file.parent.mkdir()
    file.write_text("# Pivot Points\n\n- [CONFIRMED] PP-7: No new dependency\n  Reason: audits\n\nAsk Ben.\n")

    assert pivot(person, "The API stays").code == 0

    expected = "- [CONFIRMED] PP-7: No new dependency\n  Reason: audits\n- [CONFIRMED] PP-8: The API stays\n\n"
    assert file.read_text() == f"# Pivot Points\n\n{expected}Ask Ben.\n"
