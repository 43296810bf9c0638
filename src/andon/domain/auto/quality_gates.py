"""QG1 to QG4 as far as a program can judge a plan; the critic's own verdict comes on top (A-47, X-12, G-04).

A failed gate here outweighs an APPROVE. A gate that only a reader can judge is *not measured* here, never passed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.outline import Kind, Line, read_outline
from andon.domain.auto.paths import named_paths
from andon.domain.language import HANGUL, Section
from andon.domain.verdict import Finding, Verdict

EDGE_CASES_NEEDED = 2


@dataclass(frozen=True, slots=True)
class GateResult:
    gate: str
    verdict: Verdict
    findings: tuple[Finding, ...] = ()

    @property
    def failed(self) -> bool:
        return self.verdict is Verdict.FAILED


def quality_gates(plan: str, exists: Callable[[str], bool]) -> tuple[GateResult, ...]:
    """All four in order. `exists` says whether a path, as the plan writes it, is in the tree."""
    lines = read_outline(plan)
    return (_file_references(plan, exists), _criteria(lines), _vague_words(lines), _edge_cases(lines))


def feedback(results: Sequence[GateResult]) -> str:
    """What the planner is told about gates that failed, one finding per line."""
    return "\n".join(
        f"{result.gate} FAIL, line {finding.line}: {finding.message}"
        if finding.line
        else f"{result.gate} FAIL: {finding.message}"
        for result in results
        if result.failed
        for finding in result.findings
    )


def _result(gate: str, findings: Sequence[Finding]) -> GateResult:
    return GateResult(gate, Verdict.FAILED if findings else Verdict.PASSED, tuple(findings))


def _file_references(plan: str, exists: Callable[[str], bool]) -> GateResult:
    """QG1. Paths marked as new, and andon's own documents, need not exist yet."""
    paths = [each for each in named_paths(plan) if not each.path.startswith(DOCUMENT_FOLDERS)]
    if not paths:
        return GateResult("QG1", Verdict.FAILED, (Finding("the plan names no file"),))
    missing = [each for each in paths if not each.new and not exists(each.path)]
    good = [each.path for each in paths if each not in missing]
    return _result(
        "QG1",
        [
            Finding(f"{each.path} does not exist; mark it as new if it is to be created", each.path, each.line)
            for each in missing
            # A file that the plan names in full elsewhere may be called by its name alone.
            if "/" in each.path or not any(path.endswith(f"/{each.path}") for path in good)
        ],
    )


_WOOLLY = re.compile(
    r"(?:should |must |will )?(?:works?|working|runs?|behaves?) (?:well|properly|correctly|fine|smoothly|as expected)"
    r"|\b(?:(?:should|must|will|to) be|looks?|feels?) (?:good|nice|great|fine|pretty|beautiful)\b"
    r"|user[- ]friendly|good performance|reasonable (?:time|speed)"
    r"|잘 (?:동작|작동|돌아)|문제\s?없이|정상(?:적으로)? (?:동작|작동)|원활(?:히|하게)|충분히 (?:빠르|빨라)"
    r"|보기\s?좋|좋아야|예쁘게|깔끔하게",
    re.IGNORECASE,
)
_CRITERION = re.compile(
    r"(?:[-*+•]|\d+[.)])?[\s*_]*"
    r"(?:(?:acceptance|success)(?: criteri(?:a|on))?|criteri(?:a|on)|definition of done|done when"
    r"|완료 (?:기준|조건)|인수 기준|수용 기준|AC)[\s#]*\d*[\s*_]*[:：](.*)",
    re.IGNORECASE,
)
_FENCE_LINE = re.compile(r"\s*(?:```|~~~)")


def _criteria(lines: Sequence[Line]) -> GateResult:
    """QG2. No criterion, or a woolly one, fails; whether the others are measurable is for the critic to say."""
    if not _has_criterion(lines):
        missing = "no acceptance criterion; list them under `## Acceptance criteria` (`## 완료 기준`)"
        return GateResult("QG2", Verdict.FAILED, (Finding(missing),))
    findings = [
        Finding(
            f'"{hit.group()}" cannot be measured; name the command, value or output that shows it', line=line.number
        )
        for line in lines
        if line.kind is not Kind.CODE and (Section.CRITERIA in line.sections or _is_criterion(line.text))
        for hit in _WOOLLY.finditer(_QUOTED.sub(_blank, _blanked_code(line.text)))
    ]
    return GateResult("QG2", Verdict.FAILED if findings else Verdict.NOT_MEASURED, tuple(findings))


def _has_criterion(lines: Sequence[Line]) -> bool:
    """An entry below a heading for criteria, a command in a fence there, or a line labelled as a criterion."""
    section = [line for line in lines if Section.CRITERIA in line.sections]
    commands = [line for line in section if line.kind is Kind.CODE and not _FENCE_LINE.match(line.text)]
    if _entries(section) or any(line.text.strip() for line in commands):
        return True
    labels = (_CRITERION.match(line.text.strip()[:2000]) for line in lines if line.kind is not Kind.CODE)
    return any(label.group(1).strip(" .*_") for label in labels if label)


def _is_criterion(text: str) -> bool:
    return re.search(r"acceptance|criteri|완료 (?:기준|조건)|인수 기준|수용 기준", text, re.IGNORECASE) is not None


_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”")


def _blanked_code(text: str) -> str:
    return re.sub(r"`[^`]*`", _blank, text)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


_NOT_HANGUL_BEFORE, _NOT_HANGUL_AFTER = rf"(?<![{HANGUL}])", rf"(?![{HANGUL}])"
VAGUE: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), better)
    for pattern, better in (
        (_NOT_HANGUL_BEFORE + "적절(?:히|하게)", "say what exactly is done, and by which rule"),
        (_NOT_HANGUL_BEFORE + rf"필요\s?시(?:에는|에|마다)?{_NOT_HANGUL_AFTER}", "name the condition"),
        (_NOT_HANGUL_BEFORE + "가능하면", "say whether it is done"),
        # 등 ends in a consonant, so 가, 는, 를, 와, 로 never follow it: 등가 and 등록 are other words.
        (rf"(?<![{HANGUL}\w])등(?:은|이|을|의|에|도|과|만|으로|에서|까지)?{_NOT_HANGUL_AFTER}", "list all of them"),
        (_NOT_HANGUL_BEFORE + rf"기타{_NOT_HANGUL_AFTER}", "name the others"),
        (r"\b(?:appropriately|as appropriate)\b", "say what exactly is done, and by which rule"),
        (r"\b(?:if|as|when|where) (?:needed|necessary|required)\b", "name the condition"),
        (r"\b(?:if|where|when) possible\b", "say whether it is done"),
        (r"(?<![\w/.])etc\b(?!/)|\band so (?:on|forth)\b", "list all of them"),
    )
)


def _vague_words(lines: Sequence[Line]) -> GateResult:
    """QG3. Code is not read: a file may be called what it likes."""
    return _result(
        "QG3",
        [
            Finding(f'"{hit.group().strip()}" is vague; {better}', line=line.number)
            for line in lines
            if line.kind is not Kind.CODE
            for pattern, better in VAGUE
            for hit in pattern.finditer(_blanked_code(line.text))
        ],
    )


_LABELLED = re.compile(
    r"(?:[-*+•]|\d+[.)])?[\s*_]*(?:edge[ -]cases?|corner cases?|엣지\s?케이스|예외(?: 상황| 케이스)?|EC)"
    r"[\s#]*\d*[\s*_]*[:：]\s*(.*)",
    re.IGNORECASE,
)
_RULER = re.compile(r"[\s|:-]+")


def _edge_cases(lines: Sequence[Line]) -> GateResult:
    """QG4. Counted: entries below a heading for edge cases, and lines labelled as one."""
    count = _entries([line for line in lines if Section.EDGE_CASES in line.sections])
    outside = [line for line in lines if Section.EDGE_CASES not in line.sections and line.kind is not Kind.CODE]
    for label in filter(None, (_LABELLED.match(line.text.strip()[:2000]) for line in outside)):
        count += len([part for part in re.split(r"[;,、]", label.group(1)) if part.strip(" .*_")])
    if count >= EDGE_CASES_NEEDED:
        return GateResult("QG4", Verdict.PASSED)
    hint = "for example empty input, a missing file, a value at its limit, two users at once, no network"
    message = f"{count} explicit edge cases, {EDGE_CASES_NEEDED} are needed; {hint}"
    return GateResult("QG4", Verdict.FAILED, (Finding(message),))


def _entries(section: Sequence[Line]) -> int:
    items = [line for line in section if line.kind is Kind.ITEM]
    if items:
        margin = min(_indent(line.text) for line in items)
        return sum(_indent(line.text) == margin for line in items)
    rows = [line for line in section if line.kind is Kind.ROW and not _RULER.fullmatch(line.text)]
    if rows:
        return len(rows) - 1
    return sum(line.kind is Kind.PROSE for line in section)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
