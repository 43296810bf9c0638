"""Source archives of releases, fetched once by ordinary clients, with the indexes that a person's own settings name.

Nothing of a package is run: what `pip download` would execute to learn a name and a version is only unpacked here.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import ssl
import subprocess
import tarfile
import zipfile
from pathlib import Path

from unearth import PackageFinder
from unearth.auth import MultiDomainBasicAuth
from unearth.errors import UnpackError
from unearth.fetchers.sync import PyPIClient

SECONDS = 120
_ENDINGS = (".tar.gz", ".tgz", ".zip")
# Written when an archive is made; a repository does not have them.
_ONLY_IN_ARCHIVES = re.compile(r"(^|/)(PKG-INFO|[^/]*\.egg-info)(/|$)")
_SETTING = re.compile(r"^(?!:env:)[\w-]+\.([\w-]+)=(.+)$")


class NotFetched(Exception):
    """No index has it, or none can be reached."""


def archive(folder: Path, kind: str, name: str, version: str) -> Path:
    """The source archive of a release, out of `folder` or fetched into it."""
    kept = folder / kind / f"{name.replace('/', '+')}-{version}"
    if found := _archive_in(kept):
        return found
    fetching = kept.with_name(f"{kept.name}.fetching-{os.getpid()}")
    fetching.mkdir(parents=True, exist_ok=True)
    try:
        {"python": _fetch_sdist, "javascript": _fetch_packed}[kind](fetching, name, version)
        if not _archive_in(fetching):
            raise NotFetched(f"{name} {version}: no source archive came")
        fetching.replace(kept)
    finally:
        shutil.rmtree(fetching, ignore_errors=True)
    return _archive_in(kept) or kept


def _archive_in(folder: Path) -> Path | None:
    return next((file for file in sorted(folder.glob("*")) if file.name.endswith(_ENDINGS)), None)


def unpack(file: Path, folder: Path) -> None:
    """The files of a release below `folder`, as its repository has them."""
    raw = folder.with_name(f"{folder.name}.raw")
    shutil.rmtree(raw, ignore_errors=True)
    try:
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as opened:
                opened.extractall(raw)
        else:
            with tarfile.open(file) as opened:
                opened.extractall(raw, filter="data")
        [top] = [each for each in raw.iterdir() if each.is_dir()]
        for each in [*top.rglob("*")]:
            if _ONLY_IN_ARCHIVES.search(str(each.relative_to(top))) and each.exists():
                shutil.rmtree(each) if each.is_dir() else each.unlink()
        _set_modes(top)
        shutil.copytree(top, folder, symlinks=True, dirs_exist_ok=True)
    except (tarfile.TarError, zipfile.BadZipFile, ValueError) as problem:
        raise NotFetched(f"{file.name} cannot be unpacked: {problem}") from problem
    finally:
        shutil.rmtree(raw, ignore_errors=True)


def _set_modes(folder: Path) -> None:
    """Programs can be started, and nothing else: what an archive says depends on the machine that packed it."""
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            with file.open("rb") as opened:
                file.chmod(0o755 if opened.read(2) == b"#!" else 0o644)


def _fetch_sdist(folder: Path, name: str, version: str) -> None:
    settings = _pip_settings()

    def words(setting: str) -> list[str]:
        return settings.get(setting, "").split()

    certificates = settings.get("cert")
    verify = ssl.create_default_context(cafile=certificates) if certificates else True
    try:
        with PyPIClient(trusted_hosts=words("trusted-host"), verify=verify, timeout=SECONDS) as session:
            # Without an index of the person's it knows the public one.
            finder = PackageFinder(
                session,  # pyright: ignore[reportArgumentType]  # its own client, and its own protocol
                index_urls=words("index-url"),
                no_binary=[name],
                ignore_compatibility=True,
            )
            for url in words("extra-index-url"):
                finder.add_index_url(url)
            if settings.get("no-index", "").lower() not in ("", "0", "false", "no", "off"):
                finder.sources.clear()
            for place in words("find-links"):
                finder.add_find_links(place)
            indexes = [source["url"] for source in finder.sources if source["type"] == "index"]
            session.auth = MultiDomainBasicAuth(prompting=False, index_urls=indexes)
            found = finder.find_matches(f"{name}=={version}", allow_yanked=True)
            link = next((each.link for each in found if not each.link.is_wheel), None)
            if link is None:
                raise NotFetched(f"{name} {version}: none of the indexes has its source archive")
            if (got := finder.download(link, folder)).parent != folder:
                shutil.copy2(got, folder)  # it lies in a folder of the person's
    except NotFetched:
        raise
    except (UnpackError, OSError, ValueError, RuntimeError) as problem:
        raise NotFetched(f"{name} {version}: {type(problem).__name__}: {problem}") from problem
    except Exception as problem:  # the client's own errors have no ancestor in common
        if type(problem).__module__.split(".")[0] not in ("httpx2", "httpcore2", "unearth"):
            raise
        raise NotFetched(f"{name} {version}: {type(problem).__name__}: {problem}") from problem


def _pip_settings() -> dict[str, str]:
    """As pip reads them: its files first, then its variables. uv's variables count where pip's say nothing."""
    settings: dict[str, str] = {}
    for line in _told_by_pip().splitlines():
        if match := _SETTING.match(line):
            settings[match[1]] = " ".join(str(ast.literal_eval(match[2])).split())
    for variable, value in os.environ.items():
        if variable.startswith("PIP_") and value:
            settings[variable.removeprefix("PIP_").lower().replace("_", "-")] = value
    for setting, variables in _UV.items():
        value = next((os.environ[variable] for variable in variables if os.environ.get(variable)), None)
        if value and setting not in settings:
            settings[setting] = " ".join(word.rpartition("=")[2] for word in value.replace(",", " ").split())
    return settings


_UV = {
    "index-url": ("UV_DEFAULT_INDEX", "UV_INDEX_URL"),
    "extra-index-url": ("UV_INDEX", "UV_EXTRA_INDEX_URL"),
    "find-links": ("UV_FIND_LINKS",),
    "cert": ("SSL_CERT_FILE",),
}


def _told_by_pip() -> str:
    pip = shutil.which("pip") or shutil.which("pip3")
    if pip is None:
        return ""
    told = subprocess.run([pip, "config", "list"], capture_output=True, text=True, timeout=SECONDS, check=False)
    return told.stdout


def _fetch_packed(folder: Path, name: str, version: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NotFetched("npm is not installed")
    words = [npm, "pack", f"{name}@{version}", "--ignore-scripts", "--loglevel=error"]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as problem:
        raise NotFetched(f"{name} {version}: npm gave no answer in {SECONDS} s") from problem
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("npm error") and "log of this" not in line]
        raise NotFetched(f"{name} {version}: {max(said, key=len, default=f'npm ended with {done.returncode}')}")
