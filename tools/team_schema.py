"""Writes docs/reference/team.schema.json and docs/reference/team-file.md from the form of team.yaml. With --check it
only says whether they are true. Neither is edited by hand; a test keeps them up to date."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from andon.app.teams import team_schema

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
SCHEMA, PAGE = REFERENCE / "team.schema.json", REFERENCE / "team-file.md"
HEAD = """# The team file

`andon team compose` writes it, a person changes it, `andon team check` says whether it can work. It is YAML; its form
is [team.schema.json](team.schema.json), which editors understand when the first line of the file is:

```yaml
# yaml-language-server: $schema=PATH/team.schema.json
```

Besides the form, these have to hold: names of members and ids of units are each there once; one member is the lead;
every unit's member exists, and so does what it waits for; no units wait for each other; who writes is of type
`general-purpose`; files are in the project; two units that may work at the same time do not write the same; only the
lead asks a person. Every mistake is told, each in a line.

<!-- Written by tools/team_schema.py; do not edit. -->
"""
TITLES = {"TeamFile": "The file", "MemberPart": "A member", "UnitPart": "A unit", "RalphPart": "The review loop"}


def page(schema: Mapping[str, Any]) -> str:
    parts = [HEAD]
    forms = {"TeamFile": schema, **{name: schema["$defs"][name] for name in TITLES if name != "TeamFile"}}
    for name, form in forms.items():
        rows = "\n".join(_rows(form, schema["$defs"]))
        table = f"| key | form | unless given | meaning |\n|---|---|---|---|\n{rows}"
        parts.append(f"## {TITLES[name]}\n\n{form['description']}\n\n{table}\n")
    return "\n".join(parts)


def _rows(form: Mapping[str, Any], parts: Mapping[str, Any]) -> Iterator[str]:
    needed = form.get("required", ())
    for key, told in form["properties"].items():
        default = "needed" if key in needed else _default(told.get("default"))
        yield f"| `{key}` | {_form(told, parts)} | {default} | {told.get('description', '')} |"


def _default(value: object) -> str:
    return f"`{json.dumps(value)}`" if value not in ("", [], None) and not isinstance(value, dict) else ""


def _form(told: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    if "$ref" in told:
        name = told["$ref"].rpartition("/")[2]
        values = parts[name].get("enum")
        return ", ".join(f"`{value}`" for value in values) if values else TITLES[name].casefold()
    if told.get("type") == "array":
        return f"list of: {_form(told['items'], parts)}"
    bounds = [f"from {told['minimum']}"] if "minimum" in told else []
    bounds += [f"to {told['maximum']}"] if "maximum" in told else []
    bounds += [f"at most {told['maxLength']:,} characters"] if "maxLength" in told else []
    return " ".join([{"string": "text", "integer": "number", "boolean": "yes or no"}[told["type"]], *bounds])


def made() -> dict[Path, str]:
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:andon:team:1"}
    schema = {**about, **team_schema(), "title": "Team"}
    return {SCHEMA: json.dumps(schema, ensure_ascii=False, indent=2) + "\n", PAGE: page(schema)}


def main() -> int:
    stale = [path for path, text in made().items() if not path.exists() or path.read_text("utf-8") != text]
    if sys.argv[1:] == ["--check"]:
        for path in stale:
            print(f"{path} is not what the team file is: run {Path(__file__).name}", file=sys.stderr)
        return 1 if stale else 0
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
