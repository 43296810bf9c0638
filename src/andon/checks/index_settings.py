"""Which of a person's variables reach the sandbox where environments are built: the package index, no secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

ALLOWED = frozenset({
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CERT", "PIP_TRUSTED_HOST", "PIP_NO_INDEX",
    "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_INDEX_STRATEGY",
    "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_INSECURE_HOST", "UV_HTTP_TIMEOUT", "UV_NO_INDEX",
    "npm_config_registry", "NPM_CONFIG_REGISTRY", "npm_config_cafile", "NPM_CONFIG_CAFILE",
    "GOPROXY", "GOPRIVATE", "GONOPROXY", "GOSUMDB", "GONOSUMDB", "GOINSECURE", "CARGO_HTTP_CAINFO",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
    "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
})  # fmt: skip
SYSTEM_FILES = ("/etc/pip.conf", "/etc/uv/uv.toml", "/etc/npmrc", "/usr/etc/npmrc")
# uv does not read pip's variables; people who set only those expect their index all the same.
PIP_TO_UV = {
    "PIP_INDEX_URL": "UV_INDEX_URL",
    "PIP_EXTRA_INDEX_URL": "UV_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS": "UV_FIND_LINKS",
}
_CREDENTIALS = re.compile(r"://[^/\s]*@")


def index_variables(environ: Mapping[str, str], *, code_runs: bool) -> dict[str, str]:
    """`code_runs`: packages' own build or install code will run, and must not see a password inside an address."""
    chosen = {name: value for name, value in environ.items() if name in ALLOWED and value}
    for pip, uv in PIP_TO_UV.items():
        if pip in chosen and not any(name.startswith("UV_") and "IND" in name for name in chosen):
            chosen[uv] = chosen[pip]
    if code_runs:
        return {name: value for name, value in chosen.items() if not _CREDENTIALS.search(value)}
    return chosen


def readable_for_index(variables: Mapping[str, str], *, code_runs: bool) -> tuple[str, ...]:
    """Local files and folders that those variables point at; the system's own settings, which may hold a password,
    only where no package's code runs."""
    found = [path for path in SYSTEM_FILES if Path(path).exists() and not code_runs]
    for value in variables.values():
        for word in re.split(r"[\s,]+", value):
            address = urlsplit(word) if word.startswith("file://") else None
            path = unquote(address.path) if address else word
            if path.startswith("/") and path != "/" and Path(path).exists():
                found.append(path)
    return tuple(dict.fromkeys(found))
