"""Puts the zonemark binary into the wheel: the one of ``$ZONEMARK_BINARY``, else one that Go builds from the module around this folder.

``GOOS`` and ``GOARCH`` build a wheel for another platform, as they do for ``go build``.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Go's names of a platform and the tag of wheels for it. On Linux the binary loads the C library that it finds, whatever its version;
# macOS 12 is the oldest that Go 1.26 runs on.
PLATFORM_TAGS = {
    ("linux", "amd64"): "linux_x86_64",
    ("linux", "arm64"): "linux_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}


class BuildError(Exception):
    """Says why there is no binary to put into the wheel, and what to do."""


class BinaryHook(BuildHookInterface[Any]):
    """Builds or takes the binary before hatchling packs the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the binary and the platform's tag. ``version`` is "editable" for ``pip install -e``."""
        prebuilt = os.environ.get("ZONEMARK_BINARY")
        if prebuilt:
            binary, platform = Path(prebuilt).resolve(), prebuilt_platform(prebuilt)
        else:
            module = find_module(Path(self.root))
            self.scratch = tempfile.mkdtemp(prefix="zonemark-build-")
            binary, platform = build(module, Path(self.scratch))
            build_data["force_include"][str(module / "LICENSE")] = "zonemark/LICENSE"
        if platform not in PLATFORM_TAGS:
            raise BuildError("no wheels for {}/{}; run the binary without Python".format(*platform))
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + PLATFORM_TAGS[platform]
        name = "zonemark.exe" if platform[0] == "windows" else "zonemark"
        if version == "editable":
            folder = Path(self.root, "zonemark", "bin")
            folder.mkdir(exist_ok=True)
            shutil.copy(binary, folder / name)
        else:
            build_data["force_include"][str(binary)] = "zonemark/bin/" + name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes what was built, now that the wheel holds it."""
        if scratch := getattr(self, "scratch", None):
            shutil.rmtree(scratch, ignore_errors=True)


def find_module(here: Path) -> Path:
    """The folder of the Go module that ``here`` is driver/python of."""
    module = here.parent.parent
    try:
        text = (module / "go.mod").read_text(encoding="utf-8")
    except OSError:
        text = ""
    if not re.search(r"^module zonemark$", text, re.MULTILINE):
        raise BuildError(
            f"{here}: not inside zonemark's repository, so that there is no Go source to build: "
            "build the wheel in a clone (pip wheel ./driver/python), or set ZONEMARK_BINARY to a zonemark binary"
        )
    return module


def build(module: Path, folder: Path) -> tuple[Path, tuple[str, str]]:
    """Builds the binary into ``folder``; returns its path and its platform as Go names it."""
    go = shutil.which("go")
    if go is None:
        raise BuildError("Go is not on PATH: install Go 1.26 or later (https://go.dev/dl), or set ZONEMARK_BINARY to a zonemark binary")
    environment = {**os.environ, "CGO_ENABLED": "0"}
    binary = folder / "zonemark"
    command = [go, "build", "-trimpath", "-ldflags=-s -w", "-o", str(binary), "./cmd/zonemark"]
    done = subprocess.run(command, cwd=module, env=environment, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)} in {module} failed:\n{done.stderr}")
    variables = json.loads(subprocess.check_output([go, "env", "-json", "GOOS", "GOARCH"], cwd=module, env=environment))
    return binary, (variables["GOOS"], variables["GOARCH"])


def prebuilt_platform(binary: str) -> tuple[str, str]:
    """The platform of a binary, which it says itself."""
    try:
        text = subprocess.check_output([binary, "version"], text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"ZONEMARK_BINARY: {binary} version: {error}") from error
    match = re.match(r"zonemark .*, (\w+)/(\w+)\)", text)
    if match is None:
        raise BuildError(f"ZONEMARK_BINARY: {binary} is no zonemark: its version is {text[:200]!r}")
    return match[1], match[2]
