"""A data model in a document: entities, fields with types, relations (D-14). Tables, lists and code are all read."""

from __future__ import annotations

import re

from andon.domain.auto.outline import Kind, Line, read_outline
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.markdown import Passage, passages

_TYPE = (
    r"(?:var)?char(?:acter)?s?(?:\(\d+\))?|strings?|text|numbers?|big ?int(?:eger)?|small ?int|int(?:eger)?\d*"
    r"|floats?|doubles?"
    r"|decimal(?:\([\d, ]+\))?|numeric|boolean|bool|date|date ?time|timestamp(?:tz)?|time|uuid|jsonb?|array|list"
    r"|enum|object|blob"
    r"|bytes?|binary|map|record|serial|money|object_?id|foreign key|fk|문자열|텍스트|숫자|정수|실수|불리언|논리값"
    r"|날짜|일시|배열|객체"
)
_TYPED = re.compile(
    rf"(?:[:：|(\s`]|^)`?(?:{_TYPE})(?:\[\]|\?|!|<[^>]*>|\[[^\]]*\])?`?(?=$|[\s,;|)`?!\]{{}}.(<])", re.IGNORECASE
)
_FIELD = re.compile(r"\s*(?:[-*+•]\s+)?[*_`\"]*(?P<name>[A-Za-z_][\w.]{0,60})[*_`\"]*\??\s*(?P<rest>[:：(|\s–—-].*)")
_ENTITY = re.compile(
    r"^\s*(?:export\s+)?(?:create table (?:if not exists )?|interface |type |model |class |struct |entity |data class )"
    r"[`\"]?(?P<name>\w+)|^\s*(?P<drawn>[A-Z]\w+)\s*\{\s*$",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"overview|fields?$|rules?|access|privacy|retention|규칙|필드|접근|보존|entit(?:y|ies)|relation|schema|index"
    r"|note|summary|introduction|principle|convention|migration"
    r"|constraint|diagram"
    r"|data model|decision|example|naming|storage|개요|엔티티|관계|스키마|인덱스|참고|요약|제약|다이어그램"
    r"|데이터 모델|예시|설명|원칙",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"\b(?:relation(?:ship)?s?|foreign keys?|references|belongs? to|has (?:many|one|a)|one[- ]to[- ](?:one|many)"
    r"|many[- ]to[- ](?:one|many)|1\s?:\s?[1nm]|n\s?:\s?[1m])\b|관계|외래\s?키|참조|일대다|다대다|일대일|\|\|--"
    r"|\}o--|\}\|--",
    re.IGNORECASE,
)


def data_model(text: str) -> tuple[Criterion, ...]:
    """Entity names, fields with types, relations, as three criteria (D-14)."""
    entities = entities_of(text)
    untyped = [name for name, typed in entities if not typed]
    none = not any(typed for _, typed in entities)
    types = [f"{name} has no field with a type" for name in untyped]
    if none and not types:
        types = ["no field has a type (string, number, boolean …)"]
    return (
        Criterion.of("data_model_entities", [] if entities else ["no entity is named"]),
        Criterion.of("data_model_types", types),
        Criterion.of("data_model_relations", [] if _RELATION.search(text) else ["no relation is told"]),
    )


def entities_of(text: str) -> tuple[tuple[str, int], ...]:
    """Entities with the number of their typed fields (D-14).

    An entity is a heading with fields below it, or a declaration in code: a table, an interface, a block of a diagram.
    """
    declared = _declared(read_outline(text))
    headed = [(each.title.strip(" *_`"), _typed(each)) for each in _leaves(text) if _is_entity(each)]
    names = {name.casefold() for name, _ in headed}
    return (*headed, *((name, typed) for name, typed in declared if name.casefold() not in names))


def _leaves(text: str) -> list[Passage]:
    """Passages without a deeper heading: an entity is not made of others."""
    return [each for each in passages(text) if not any(line.kind is Kind.HEADING for line in each.lines)]


def _is_entity(passage: Passage) -> bool:
    if _GENERIC.search(passage.title):
        return False
    if any(_ENTITY.match(line.text) for line in passage.lines):
        return False  # its declarations are read as such
    return sum(_is_field(line) for line in passage.lines) > 0


def _is_field(line: Line) -> bool:
    if line.kind is Kind.ROW:
        cells = [cell.strip(" *_`") for cell in line.text.strip().strip("|").split("|")]
        return re.fullmatch(r"[A-Za-z_][\w.]*", cells[0]) is not None
    return (
        line.kind in (Kind.ITEM, Kind.CODE)
        and re.match(r"\s*(?:[-*+•]\s+)?[*_`\"]*[A-Za-z_]\w*", line.text) is not None
    )


def _typed(passage: Passage) -> int:
    return sum(_has_type(line.text) for line in passage.lines if _is_field(line))


def _has_type(text: str) -> bool:
    field = _FIELD.match(text.strip().strip("|").strip())
    return field is not None and _TYPED.search(field["rest"]) is not None


def _declared(lines: tuple[Line, ...]) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for line in lines:
        match = _ENTITY.match(line.text) if line.kind is Kind.CODE else None
        if match:
            found.append((match["name"] or match["drawn"], 0))
        elif found and line.kind is Kind.CODE and (_has_type(line.text) or _type_first(line.text)):
            found[-1] = (found[-1][0], found[-1][1] + 1)
    return found


def _type_first(text: str) -> bool:
    """As diagrams of entities have it: `string name`."""
    return re.match(rf"\s*(?:{_TYPE})\s+\w+", text, re.IGNORECASE) is not None
