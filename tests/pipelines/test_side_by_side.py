"""HEAVY with independent work items: implementers side by side, each in a folder of its own, then one tree again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

AREAS = ("readers", "writers")


def look_while_they_work(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)

    def place(area: str) -> Path:
        return story.worktree.parent / f"{story.worktree.name}-{area}"

    def package(top: Path, area: str) -> Path:
        return top / f"src/agents/teams/{area}/__init__.py"

    story.until(
        "both implementers work",
        lambda: len(story.seen("branched")) == 2 and all(package(place(area), area).exists() for area in AREAS),
    )
    for name, top in {"whole": story.worktree, **{area: place(area) for area in AREAS}}.items():
        story.facts[name] = [area for area in AREAS if package(top, area).exists()]
    for area in AREAS:
        package(place(area), area).with_name("GO").touch()
    story.finish(process, words)
    story.facts["left"] = [str(top) for top in (story.worktree, *map(place, AREAS)) if top.exists()]


def test_A_35_S_09_X_10_each_file_is_only_in_its_own_worktree_until_the_merge(story: Callable[..., Any]) -> None:
    told = story("parallel", look_while_they_work)

    assert told.facts["readers"] == ["readers"] and told.facts["writers"] == ["writers"]
    assert told.facts["whole"] == []
    assert told.ending["status"] == "done" and told.facts["left"] == []
    files = told.git("ls-tree", "-r", "--name-only", told.row.branch).splitlines()
    assert {"src/agents/teams/readers/__init__.py", "src/agents/teams/writers/__init__.py"} <= set(files)


def test_A_35_A_75_prompts_name_the_worktree_and_the_files_of_the_area(story: Callable[..., Any]) -> None:
    told = story("parallel", look_while_they_work)

    place = told.row.spec["worktree"]
    for area in AREAS:
        prompt = told.prompts[f"impl-{area}"]
        assert f"Work only below `{place}-{area}`." in prompt
        assert f"You may change only: src/agents/teams/{area}/, tests/{area}/" in prompt


def test_A_35_E_03_a_write_into_another_area_is_refused_by_the_kernel(story: Callable[..., Any]) -> None:
    told = story("parallel", look_while_they_work)

    [refused] = told.of("violation")
    assert refused.data["name"] == "impl-writers"
    assert refused.data["detail"].startswith("tried to write src/agents/teams/readers/__init__.py; refused")
    assert told.document("src/agents/teams/readers/__init__.py").startswith('"""Readers."""')


def test_A_75_S_03_G_27_two_implementers_begin_before_either_ends(story: Callable[..., Any]) -> None:
    told = story("heavy")

    begun = [e.seq for e in told.of("spawn") if e.data["name"] in ("impl-readers", "impl-writers")]
    ended = [e.seq for e in told.of("result") if e.data["name"] in ("impl-readers", "impl-writers")]
    assert len(begun) == 2 and max(begun) < min(ended)
    scopes = {e.data["teammate"]: set(e.data["scope"]) for e in told.of("branched")}
    assert set(scopes) == {"impl-readers", "impl-writers"}
    assert not scopes["impl-readers"] & scopes["impl-writers"]
    started = {e.data["recipient"]: e.data["content"] for e in told.of("message") if "impl-" in e.data["recipient"]}
    assert started["impl-readers"] == "readers 구현 시작."


def test_A_75_the_whole_is_measured_again_after_the_merge(story: Callable[..., Any]) -> None:
    told = story("heavy")

    [merged] = told.of("merged")
    assert merged.data["names"] == ["readers", "writers"] and merged.data["conflicts"] == []
    after = [e for e in told.of("check") if e.seq > merged.seq and e.data["tree"] == merged.data["tree"]]
    assert {e.data["goal"]: e.data["verdict"] for e in after}["test"] == "passed"
    iterations = [(e.data["name"], e.data["iteration"]) for e in told.of("iteration")]
    assert iterations == [("impl-readers", 1), ("impl-writers", 1), ("impl-manager", 1)]


def test_A_24_A_25_X_66_with_opus_the_core_of_heavy_runs_on_it_and_the_rest_does_not(story: Callable[..., Any]) -> None:
    told = story("parallel", look_while_they_work)

    models = {e.data["name"]: (e.data["role"], e.data["model"]) for e in told.of("spawn") if e.data["model"]}
    assert models == {
        **{"doc-analyst": ("explore", "haiku"), "issue-analyst": ("explore", "haiku")},
        **{f"planner-{n}": ("planner", "sonnet") for n in (1, 2, 3)},
        **{f"arch-{n}": ("architect", "sonnet") for n in (1, 2, 3)},
        **{f"critic-{n}": ("critic", "sonnet") for n in (1, 2, 3)},
        "design-writer": ("executor-high", "opus"),
        "impl-readers": ("executor-high", "opus"),
        "impl-writers": ("executor-high", "opus"),
        "impl-verifier": ("architect", "sonnet"),
        "verifier": ("architect", "opus"),
        "gap-checker": ("code-reviewer", "opus"),
        "quality-checker": ("code-reviewer", "opus"),
        "reporter": ("writer", "haiku"),
    }


def test_A_25_A_70_A_62_without_it_executor_high_keeps_its_name_and_runs_on_sonnet(story: Callable[..., Any]) -> None:
    told = story("heavy")

    high = {e.data["name"]: e.data["model"] for e in told.of("spawn") if e.data["role"] == "executor-high"}
    assert high == dict.fromkeys(("design-writer", "impl-readers", "impl-writers"), "sonnet")
