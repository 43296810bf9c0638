"""Whatever a program sends, the API answers as its description says: never a failure of its own."""

from __future__ import annotations

from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from .conftest import House

EXAMPLES = 25
"""Of each endpoint."""
STREAMS = ("/api/events", "/api/runs/{id}/events")
"""They do not end."""


def test_odd_input_never_makes_the_server_fail(house: House) -> None:
    headers = {"authorization": f"Bearer {house.tokens['admin']}"}
    schema = schemathesis.openapi.from_url(f"{house.url}/api/openapi.json", headers=headers)
    failures = list[str]()
    tried = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path in STREAMS or (operation.method, operation.path) == ("post", "/api/tokens"):
            continue

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def attempt(case: Any) -> None:
            nonlocal tried
            answer = case.call(headers=headers)
            tried += 1
            if answer.status_code >= 500 and answer.status_code != 503:
                failures.append(f"{case.method} {case.path} {answer.status_code}: {case.as_curl_command()[:500]}")

        _given(operation, attempt)

    assert not failures, "\n".join(failures[:5])
    assert tried > 200


def _given(operation: Any, attempt: Any) -> None:
    given(case=operation.as_strategy())(attempt)()
