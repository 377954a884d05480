"""Puts the zonemark binary into the wheel: the one of ``$ZONEMARK_BINARY``, else one that Go builds from the module around this folder.

``GOOS`` and ``GOARCH`` build a wheel for another platform, as they do for ``go build``. The wheel's version is the binary's, which Go takes
from the tag of the revision.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# Go's names of a platform and the tag of wheels for it. On Linux the binary is linked with glibc, of which it uses only functions that are
# as old as manylinux's oldest release for the platform (a test holds that); macOS 12 is the oldest that Go 1.26 runs on.
PLATFORM_TAGS = {
    ("linux", "amd64"): "manylinux_2_17_x86_64",
    ("linux", "arm64"): "manylinux_2_17_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}


class BuildError(Exception):
    """Says why there is no binary to put into the wheel, and what to do."""


class Binary(NamedTuple):
    """A zonemark binary, with what it says of itself."""

    path: Path
    version: str  # as ``zonemark version`` prints it, or as Go does
    platform: tuple[str, str]  # Go's names of the system and the processor


class VersionHook(MetadataHookInterface):
    """Gives the package the version of its binary."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Sets the version."""
        with tempfile.TemporaryDirectory(prefix="zonemark-build-") as scratch:
            metadata["version"] = python_version(binary_for(Path(self.root), Path(scratch)).version)


class BinaryHook(BuildHookInterface[Any]):
    """Builds or takes the binary before hatchling packs the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the binary and the platform's tag. ``version`` is "editable" for ``pip install -e``."""
        self.scratch = tempfile.mkdtemp(prefix="zonemark-build-")
        binary = binary_for(Path(self.root), Path(self.scratch))
        if binary.platform not in PLATFORM_TAGS:
            raise BuildError("no wheels for {}/{}; run the binary without Python".format(*binary.platform))
        if module := find_module(Path(self.root)):
            build_data["force_include"][str(module / "LICENSE")] = "zonemark/LICENSE"
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + PLATFORM_TAGS[binary.platform]
        name = "zonemark.exe" if binary.platform[0] == "windows" else "zonemark"
        if version == "editable":
            folder = Path(self.root, "zonemark", "bin")
            folder.mkdir(exist_ok=True)
            shutil.copy(binary.path, folder / name)
        else:
            build_data["force_include"][str(binary.path)] = "zonemark/bin/" + name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes what was built, now that the wheel holds it."""
        shutil.rmtree(self.scratch, ignore_errors=True)


def find_module(here: Path) -> Path | None:
    """The folder of the Go module that ``here`` is driver/python of; None if it is not inside zonemark's repository."""
    module = here.parent.parent
    try:
        text = (module / "go.mod").read_text(encoding="utf-8")
    except OSError:
        return None
    return module if re.search(r"^module zonemark$", text, re.MULTILINE) else None


def binary_for(here: Path, scratch: Path) -> Binary:
    """The binary of ``$ZONEMARK_BINARY``, else one that is built into ``scratch``."""
    if prebuilt := os.environ.get("ZONEMARK_BINARY"):
        return identify(Path(prebuilt).absolute())
    module = find_module(here)
    if module is None:
        raise BuildError(
            f"{here}: not inside zonemark's repository, so that there is no Go source to build: "
            "build the wheel in a clone (pip wheel ./driver/python), or set ZONEMARK_BINARY to a zonemark binary"
        )
    return build(module, scratch)


def find_go() -> str | None:
    """The path of the program go; None if it is not on PATH."""
    return shutil.which("go")


def build(module: Path, folder: Path) -> Binary:
    """Builds the binary into ``folder``."""
    go = find_go()
    if go is None:
        raise BuildError("Go is not on PATH: install Go 1.26 or later (https://go.dev/dl), or set ZONEMARK_BINARY to a zonemark binary")
    environment = {**os.environ, "CGO_ENABLED": "0"}
    binary = folder / "zonemark"
    command = [go, "build", "-trimpath", "-ldflags=-s -w", "-o", str(binary), "./cmd/zonemark"]
    done = subprocess.run(command, cwd=module, env=environment, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)} in {module} failed:\n{done.stderr}")
    return stamped(go, binary)


def identify(binary: Path) -> Binary:
    """A prebuilt binary, which says itself what it is. Go reads one that does not run on this machine."""
    try:
        text = subprocess.check_output([binary, "version"], text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        if go := find_go():
            return stamped(go, binary)
        raise BuildError(f"ZONEMARK_BINARY: {binary} version: {error}") from error
    match = re.match(r"zonemark (.*) \(.*, (\w+)/(\w+)\)", text)
    if match is None:
        raise BuildError(f"ZONEMARK_BINARY: {binary} is no zonemark: its version is {text[:200]!r}")
    return Binary(binary, match[1], (match[2], match[3]))


def stamped(go: str, binary: Path) -> Binary:
    """A binary as Go's linker has stamped it."""
    done = subprocess.run([go, "version", "-m", str(binary)], capture_output=True, text=True)
    version = re.search(r"^\tmod\tzonemark\t(\S+)", done.stdout, re.MULTILINE)
    platform = [re.search(rf"^\tbuild\t{name}=(\w+)$", done.stdout, re.MULTILINE) for name in ("GOOS", "GOARCH")]
    if version is None or platform[0] is None or platform[1] is None:
        raise BuildError(f"ZONEMARK_BINARY: {binary} is no zonemark: go version -m says {(done.stdout + done.stderr)[:200]!r}")
    return Binary(binary, version[1], (platform[0][1], platform[1][1]))


def python_version(version: str) -> str:
    """The version of a binary as Python spells it (PEP 440).

    v1.2.3 is 1.2.3, v1.2.3-rc.1 is 1.2.3rc1, a revision behind a tag is 1.2.4.devDATE+HASH, and one without a tag is 0.0.0.dev0+HASH.
    """
    version, _, dirty = version.partition("+")
    if match := re.fullmatch(r"(?:devel|v0\.0\.0-\d{14}-)\s*([0-9a-f]{12})", version):
        release, local = "0.0.0.dev0", [match[1]]
    elif re.fullmatch(r"devel|\(devel\)", version):
        release, local = "0.0.0.dev0", []
    elif match := re.fullmatch(r"v(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?(?:[-.]0\.(\d{14})-([0-9a-f]{12}))?", version):
        number, stage, count, date, commit = match.groups()
        if stage:  # Go counts a revision behind a candidate as that candidate's; for Python it comes before the next one
            number += f"{stage}{int(count) + (date is not None)}"
        release, local = number + (f".dev{date}" if date else ""), [commit] if commit else []
    else:
        raise BuildError(f"the binary's version {version!r} is none that a tag such as v1.2.3 or v1.2.3-rc.1 makes")
    return "+".join([release, ".".join([*local, dirty])] if dirty else [release, *local])
