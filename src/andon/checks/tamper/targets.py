"""What the targets of a Makefile do that tests and builds are run by, with the variables they use. Runs nothing."""

from __future__ import annotations

import re

from andon.checks.tamper.settings_values import WATCHED, Values

_RULE = re.compile(r"(?P<names>[A-Za-z0-9_.%/ -]+?)\s*::?(?!=)\s*(?P<needs>[^=#]*)(?:#.*)?$")
_VARIABLE = re.compile(r"(?:export\s+|override\s+)?(?P<name>[A-Za-z_.][\w.-]*)\s*(?:[:?+!]{0,3}=)\s*(?P<value>.*)$")
_USED = re.compile(r"\$[({]([\w.-]+)[)}]")
_TO_TOOLS = re.compile(
    r"^(?:[\w.%/ -]+:\s*)?(?:export\s+|override\s+)*(PYTEST_\w+|PYTHONOPTIMIZE|PYTHONSTARTUP|LD_PRELOAD|BASH_ENV"
    r"|NODE_OPTIONS|GOFLAGS|JEST_\w+|VITEST\w*|MAVEN_OPTS|JAVA_TOOL_OPTIONS)\s*[:?+!]{0,3}=[ \t]*(.*)$",
    re.MULTILINE,
)
"""What tools read from the environment, for all targets or for one."""
_SPECIAL = ("SHELL", ".SHELLFLAGS", "MAKEFLAGS", ".DEFAULT_GOAL")


def targets(text: str) -> Values:
    """Each watched target with its recipe, variables put in; a target without one has those of what it needs."""
    variables: dict[str, str] = {}
    recipes: dict[str, list[str]] = {}
    needs: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("\t"):
            for name in current:
                recipes.setdefault(name, []).append(" ".join(line.split()))
        elif (variable := _VARIABLE.match(line)) is not None:
            variables[variable["name"]] = " ".join(
                (variables.get(variable["name"], ""), variable["value"].strip())
            ).strip()
        elif (rule := _RULE.match(line)) is not None:
            current = rule["names"].split()
            for name in current:
                needs[name] = needs.get(name, []) + rule["needs"].split()
    found: Values = {name: variables[name] for name in _SPECIAL if name in variables}
    found |= {match[1]: match[2].strip() for match in _TO_TOOLS.finditer(text)}
    for name in needs:
        if WATCHED.fullmatch(name):
            found[name] = _expanded("\n".join(_recipe(name, recipes, needs, ())), variables)
    if ".IGNORE" in needs:
        found[".IGNORE"] = " ".join(needs[".IGNORE"])
    return found


def _recipe(name: str, recipes: dict[str, list[str]], needs: dict[str, list[str]], above: tuple[str, ...]) -> list[str]:
    if name in above or len(above) > 10:
        return []
    own = [each for each in recipes.get(name, []) if not each.lstrip("@-").startswith("#")]
    return own or [line for each in needs.get(name, []) for line in _recipe(each, recipes, needs, (*above, name))]


def _expanded(text: str, variables: dict[str, str]) -> str:
    for _ in range(5):
        grown = _USED.sub(lambda match: variables.get(match.group(1), match.group()), text)
        if grown == text or len(grown) > 20_000:
            break
        text = grown
    return text
