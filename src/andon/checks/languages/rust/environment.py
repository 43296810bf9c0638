"""Prepares what Rust checks need: the toolchain of this machine, and every crate, downloaded once at frozen versions.

`cargo fetch` builds nothing, but reads the repository's own configuration of cargo, so it gets no secrets and a
download folder of its own. The checks themselves are offline.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from andon.checks.building import Site, Workshop, copy_tree, digest_of, failed
from andon.checks.facts import Rust
from andon.checks.prepared import Environment, NotPrepared
from andon.checks.reading import LOCK_BYTES, is_folder, read_text, source_files
from andon.processes import readable_for, run

SECONDS = 60.0
FIX = "cargo fetch"
INSTALL = "install Rust from https://rustup.rs"


@dataclass(frozen=True, slots=True)
class RustToolchain:
    folder: Path
    """Of its programs."""
    version: str

    @property
    def readable(self) -> tuple[str, ...]:
        return readable_for(self.folder / "cargo", self.folder.parent)


async def find_rust(folder: Path, environ: Mapping[str, str], wanted: str) -> RustToolchain | NotPrepared:
    """The real programs behind rustup's; `folder` is andon's, so that no file of a repository chooses a toolchain."""
    path = environ.get("PATH")
    cargo, rustc = shutil.which("cargo", path=path), shutil.which("rustc", path=path)
    if not cargo or not rustc:
        return NotPrepared(f"{'cargo' if not cargo else 'rustc'} is not installed", INSTALL, environment_error=True)
    kept = ("PATH", "HOME", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN")
    env = {name: environ[name] for name in kept if name in environ} | {"RUSTUP_AUTO_INSTALL": "0"}
    chosen = (f"+{wanted}",) if wanted and Path(rustc).resolve().name == "rustup" else ()
    said: list[str] = []
    for question in (("--print", "sysroot"), ("--version",)):
        asked = await asyncio.to_thread(run, (rustc, *chosen, *question), cwd=folder, env=env, seconds=SECONDS)
        if asked.code != 0:
            missing = f"Rust toolchain {wanted} is not installed" if chosen else f"{rustc} does not run"
            fix = f"rustup toolchain install {wanted}" if chosen else INSTALL
            return NotPrepared(missing, fix, environment_error=True)
        said.append(asked.stdout.decode("utf-8", "replace").strip())
    beside = Path(said[0]) / "bin"
    return RustToolchain(beside if (beside / "cargo").exists() else Path(cargo).parent, said[1])


async def prepare_rust(
    workshop: Workshop, tree: Path, facts: Rust, folder: Path, frozen: str | None
) -> Environment | NotPrepared:
    rust = await find_rust(folder, workshop.environ, facts.toolchain)
    if isinstance(rust, NotPrepared):
        return rust
    common = Environment(
        digest_of("rust", rust.version),
        paths=(str(rust.folder),),
        variables={"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never", "RUST_BACKTRACE": "0"},
        readable=rust.readable,
    )
    if not facts.has_dependencies:
        return common
    if is_folder(tree, "Cargo.lock"):
        return NotPrepared("Cargo.lock is a folder", "cargo generate-lockfile")
    files = _manifests(tree)
    lock = frozen or files.get("Cargo.lock") or await _resolved(workshop, tree, files, rust)
    if isinstance(lock, NotPrepared):
        return lock
    digest = digest_of("rust", {**files, "Cargo.lock": lock}, rust.version)
    made = await workshop.made(digest, lambda site: _fetch(site, tree, lock, rust))
    if isinstance(made, NotPrepared):
        return made
    if not is_folder(made, "cargo"):
        return NotPrepared("cargo left no crates", FIX)
    return replace(
        common,
        digest=digest,
        variables={**common.variables, "CARGO_HOME": str(made / "cargo")},
        readable=(*rust.readable, str(made / "cargo")),
        # What was resolved for a tree without a lock file holds for every check of it.
        linked=() if facts.lock else ((str(made.parent / "given" / "Cargo.lock"), "Cargo.lock"),),
        frozen=lock,
    )


async def _resolved(workshop: Workshop, tree: Path, files: Mapping[str, str], rust: RustToolchain) -> str | NotPrepared:
    """A lock file for a project without one, made for these manifests once and for all."""
    made = await workshop.made(
        digest_of("rust lock", files, rust.version),
        lambda site: _cargo(site, tree, "", "generate-lockfile", rust),
    )
    if isinstance(made, NotPrepared):
        return made
    text = read_text(made, "tree/Cargo.lock", limit=LOCK_BYTES)
    return text if isinstance(text, str) else NotPrepared("cargo left no lock file", "cargo generate-lockfile")


def _manifests(tree: Path) -> dict[str, str]:
    files: dict[str, str] = {}
    wanted = [path for path in source_files(tree) if path.rpartition("/")[2] == "Cargo.toml"]
    for path in (*wanted, "Cargo.lock", ".cargo/config.toml", ".cargo/config"):
        text = read_text(tree, path, limit=LOCK_BYTES)
        if isinstance(text, str):
            files[path] = text
    return files


async def _fetch(site: Site, tree: Path, lock: str, rust: RustToolchain) -> NotPrepared | None:
    site.give("Cargo.lock", lock)
    return await _cargo(site, tree, lock, "fetch", rust)


async def _cargo(site: Site, tree: Path, lock: str, word: str, rust: RustToolchain) -> NotPrepared | None:
    def fill(made: Path) -> None:
        copy_tree(tree, made / "tree")
        (made / "cargo").mkdir(exist_ok=True)
        if lock:
            (made / "tree" / "Cargo.lock").unlink(missing_ok=True)
            (made / "tree" / "Cargo.lock").write_text(lock)

    await asyncio.to_thread(site.begin, fill)
    env = {
        "PATH": f"{rust.folder}:/usr/local/bin:/usr/bin:/bin",
        "CARGO_HOME": str(site.made / "cargo"),
        "CARGO_TERM_COLOR": "never",
    }
    words = (str(rust.folder / "cargo"), word)
    step = await site.run(word, words, cwd=site.made / "tree", env=env, readable=rust.readable, code_runs=True)
    return None if step.ok else failed(step, f"cargo {word}", f"cargo {word}")
