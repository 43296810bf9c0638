"""Phase-B, a change of an existing application: analysis, plan, implementation, verification (D-27 to D-37)."""

from __future__ import annotations

from dataclasses import replace

from andon.domain.tasks.phases import Document, Part, Phase, Step, TaskType, Workflow

CURRENT_STATE = "docs/analysis/current_state.md"
MODIFICATION_PLAN = "docs/planning/modification_plan.md"
REPORT = "docs/verification/report.md"
"""Where the agent reports its tests (D-36). It has no least length of its own, and is no planning document."""

ANALYSIS_PARTS = (
    Part("structure", ("structure", "project structure", "구조", "프로젝트 구조", "코드베이스 구조"), anywhere=True),
    Part("components", ("components", "main components", "컴포넌트", "주요 컴포넌트", "구성 요소"), anywhere=True),
    Part("data models", ("data model", "schema", "데이터 모델", "스키마"), anywhere=True),
    Part("API endpoints", ("api", "endpoint", "엔드포인트"), anywhere=True),
    Part("external dependencies", ("dependencies", "dependency", "의존성"), anywhere=True),
    Part("current patterns", ("pattern", "conventions", "패턴"), anywhere=True),
    Part(
        "areas to change",
        ("areas to change", "areas to modify", "to change", "to modify", "to be changed", "수정할 영역", "변경할 영역",
         "수정 영역", "변경 영역", "수정 대상", "변경 대상"),
        anywhere=True,
    ),
    Part("impact", ("impact", "영향"), anywhere=True),
)  # fmt: skip
"""What `current_state.md` must hold (D-28). API endpoints are only asked for where there are any."""

CREATE, MODIFY, DELETE = "files to create", "files to modify", "files to delete"
PLAN_PARTS = (
    Part("requirements", ("requirement", "요구사항", "요구 사항"), anywhere=True),
    Part(CREATE, ("files to create", "new files", "files created", "생성할 파일", "신규 파일", "새 파일")),
    Part(
        MODIFY, ("files to modify", "files to change", "modified files", "changed files", "수정할 파일", "변경할 파일")
    ),
    Part(
        DELETE, ("files to delete", "files to remove", "deleted files", "removed files", "삭제할 파일", "제거할 파일")
    ),
    Part(
        "approach",
        ("approach", "implementation steps", "step by step", "steps", "접근 방식", "단계별 구현", "구현 단계"),
        anywhere=True,
    ),
    Part("risks", ("risk", "위험", "리스크"), anywhere=True),
    Part("tests", ("test", "테스트"), anywhere=True),
)
"""What `modification_plan.md` must hold (D-31)."""
RISKS = (
    Part("breaking changes", ("breaking", "호환성 파괴", "파괴적 변경")),
    Part("performance", ("performance", "성능")),
    Part("security", ("security", "보안")),
    Part("backward compatibility", ("backward", "backwards", "하위 호환")),
)
TESTS = (
    Part("existing tests", ("existing test", "기존 테스트", "existing unit", "existing suite")),
    Part("new tests", ("new test", "새 테스트", "신규 테스트", "tests to write", "작성할")),
    Part("manual scenarios", ("manual", "수동")),
)

CHECKLIST = (
    Part("existing tests", ("existing test", "existing unit", "기존 테스트", "기존 유닛")),
    Part("new tests", ("new test", "새 테스트", "신규 테스트")),
    Part("manual tests", ("manual", "수동 테스트", "수동")),
    Part("new function works", ("new function", "new feature", "새 기능")),
    Part("old function unbroken", ("not broken", "unbroken", "still work", "파괴되지 않", "기존 기능")),
    Part("edge cases", ("edge case", "엣지 케이스", "경계")),
    Part("error handling", ("error handling", "errors are handled", "오류 처리")),
    Part("console errors", ("console", "콘솔")),
    Part("performance", ("performance", "성능")),
    Part("regression", ("regression", "회귀")),
)
"""What a verification report must speak of (D-37)."""


def _steps(*titles: str) -> tuple[Step, ...]:
    return tuple(Step(f"{number:02}_{title.split()[0]}", title) for number, title in enumerate(titles, 1))


def _written(document: str, **parts: str) -> tuple[Step, ...]:
    """Each step with the part of the document that it ends with."""
    steps = _steps(*(title.replace("_", " ") for title in parts))
    return tuple(replace(step, document=document, part=part) for step, part in zip(steps, parts.values(), strict=True))


MODIFY_APP = Workflow(
    TaskType.MODIFY_APP,
    "change an existing application",
    (
        Phase(
            1,
            "analysis",
            _written(
                CURRENT_STATE,
                code_base_analysis="current patterns",
                dependency_analysis="external dependencies",
                impact_analysis="impact",
            ),
            (Document(CURRENT_STATE, 1000, "the code base as it is", parts=ANALYSIS_PARTS),),
        ),
        Phase(
            2,
            "planning",
            _written(
                MODIFICATION_PLAN,
                requirements="requirements",
                modification_plan="approach",
                risk_assessment="risks",
                test_strategy="tests",
            ),
            (Document(MODIFICATION_PLAN, 800, "what is to be changed", parts=PLAN_PARTS),),
        ),
        Phase(
            3,
            "implementation",
            _steps("code change", "refactoring", "documentation", "dependencies", "configuration", "build check"),
            code=True,
        ),
        Phase(4, "verification", _steps("run existing tests", "add and run new tests", "manual testing"), code=True),
    ),
    guides="none (autonomous)",
    start="existing code base",
    challenge="preserve existing function",
)
