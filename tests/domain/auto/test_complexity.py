"""A-38 to A-40: five points, three modes, one block."""

from __future__ import annotations

import pytest

from andon.domain.auto.complexity import Judgement, mode_of, score, score_block
from andon.domain.auto.mode import Mode
from andon.domain.language import Language

FILES = ("a.py", "b.py", "c.py")


@pytest.mark.parametrize(
    ("judgement", "task", "total"),
    [
        (Judgement(files=FILES, modules=("x", "y")), "please ralplan this", 3),
        (Judgement(files=FILES[:2]), "", 0),
        (Judgement(files=("a.py", "./a.py", "a.py ")), "", 0),
        (Judgement(new_pattern=True), "", 1),
        (Judgement(new_dependency=True), "", 1),
        (Judgement(modules=("x",)), "", 0),
        (Judgement(), "ralplan으로 진행", 1),
        (Judgement(), "RALPLAN", 1),
        (Judgement(), "myralplanner", 0),
        (Judgement(FILES, True, True, ("x", "y")), "ralplan", 5),
    ],
)
def test_A_38_one_point_per_row(judgement: Judgement, task: str, total: int) -> None:
    assert score(judgement, task).total == total


def test_A_40_points_to_modes() -> None:
    light, standard, heavy = Mode.LIGHT, Mode.STANDARD, Mode.HEAVY

    assert [mode_of(points) for points in range(6)] == [light, light, standard, standard, heavy, heavy]


JUDGEMENT = Judgement(
    files=FILES,
    new_dependency=False,
    modules=("x", "y"),
    files_reason="세 파일\n수정",
    pattern_reason="기존 패턴",
    dependency_reason="기존 의존성",
    modules_reason="두 모듈",
)


def test_A_39_the_block_in_korean_as_the_seed_lays_it_out() -> None:
    assert score_block(score(JUDGEMENT, ""), Language.KO) == (
        "=== 복잡도 판단 ===\n"
        "파일 범위: 1점 (세 파일 수정)\n"
        "아키텍처: 0점 (기존 패턴)\n"
        "의존성:   0점 (기존 의존성)\n"
        "모듈 영향: 1점 (두 모듈)\n"
        "사용자 명시: 0점\n"
        "총점: 2/5 -> STANDARD\n"
        "==================="
    )


def test_A_39_the_block_in_english_has_the_same_lines() -> None:
    block = score_block(score(Judgement(files=FILES), "ralplan"), Language.EN).splitlines()

    assert len(block) == 8
    assert block[1] == "File scope: 1 (3)"
    assert block[2] == "Architecture: 0 (no reason given)"
    assert block[6] == "Total: 2/5 -> STANDARD"


def test_A_42_reasons_of_the_points_given() -> None:
    assert score(JUDGEMENT, "").reasons == ("세 파일 수정", "두 모듈")


def test_S_01_a_small_change_of_the_readme_is_light() -> None:
    result = score(Judgement(files=("README.md",), modules=("docs",)), "README.md에 설치 방법 추가")

    assert (result.total, result.mode) == (0, Mode.LIGHT)
