#!/usr/bin/env python3
"""The one entrance: builds the project's environment when it is missing, then runs the command in it.

Standard library only and Python 3.8 syntax down to the last line, because the first run
happens on whatever interpreter the machine has.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from typing import Dict, List

HERE = os.path.dirname(os.path.realpath(__file__))
TOOLS = os.path.join(HERE, ".uv")
LOOP_GUARD = "GREYWIND_ENTERED"
# pyenv's shims export the first two and uv would then look for that version only.
FOREIGN_VARIABLES = ("PYENV_VERSION", "PYENV_DIR", "VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__")
# The first try serves nearly everybody. The others are for: certificates that only the system knows, no network but
# a warm cache, and no 3.13 but a 3.12.
SYNC_TRIES: List[List[str]] = [
    [],
    ["--system-certs"],
    ["--offline"],
    ["--python", ">=3.12", "--no-python-downloads"],
]


def say(text: str) -> None:
    """Write one line for the person at the terminal; standard output belongs to the command."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def environment_folder() -> str:
    """Where uv keeps this project's environment."""
    return os.path.join(HERE, os.environ.get("UV_PROJECT_ENVIRONMENT") or ".venv")


def inside() -> bool:
    """True when this interpreter is the project's own."""
    return os.path.realpath(sys.prefix) == os.path.realpath(environment_folder())


def in_tools(binary: str) -> str:
    """Path of a program in the private folder that holds uv."""
    return os.path.join(TOOLS, "bin", binary)


def runs(program: str) -> bool:
    """True when the program starts at all (a pyenv shim may exist and still refuse)."""
    try:
        quiet = subprocess.DEVNULL
        return subprocess.call([program, "--version"], stdout=quiet, stderr=quiet, env=clean_environment()) == 0
    except OSError:
        return False


def clean_environment() -> Dict[str, str]:
    """The caller's variables without those that would point uv at another interpreter or an unwritable cache."""
    env = {name: value for name, value in os.environ.items() if name not in FOREIGN_VARIABLES}
    cache = env.get("UV_CACHE_DIR") or env.get("XDG_CACHE_HOME") or os.path.expanduser("~")
    while not os.path.exists(cache) and cache != os.path.dirname(cache):
        cache = os.path.dirname(cache)
    if not os.access(cache, os.W_OK):
        env["UV_CACHE_DIR"] = os.path.join(TOOLS, "cache")
    return env


def find_uv() -> str:
    """Path of a working uv, installed into the private folder when the machine has none."""
    for candidate in (os.environ.get("UV"), shutil.which("uv"), in_tools("uv")):
        if candidate and runs(candidate):
            return candidate
    return install_uv()


def install_uv() -> str:
    """Put uv into the private folder by venv and pip."""
    say("installing uv into %s" % TOOLS)
    shutil.rmtree(TOOLS, ignore_errors=True)
    pip = [in_tools("python"), "-m", "pip"]
    if subprocess.call([sys.executable, "-m", "venv", TOOLS], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        # Debian without python3-venv leaves a half-made folder; pip of the outer Python can still fill a bare one.
        shutil.rmtree(TOOLS, ignore_errors=True)
        subprocess.call([sys.executable, "-m", "venv", "--without-pip", TOOLS])
        pip = [sys.executable, "-m", "pip", "--python", in_tools("python")]
    if subprocess.call(pip + ["install", "-q", "--disable-pip-version-check", "uv"]) or not runs(in_tools("uv")):
        raise SystemExit("uv could not be installed. Install uv or python3-venv and python3-pip, then run this again.")
    return in_tools("uv")


def fingerprint() -> str:
    """What the environment was built from: a change of either file means another sync."""
    digest = hashlib.sha256(HERE.encode())
    for name in ("pyproject.toml", ".python-version"):
        with open(os.path.join(HERE, name), "rb") as source:
            digest.update(source.read())
    return digest.hexdigest()


def stamp_file() -> str:
    """File inside the environment that remembers the last complete sync."""
    return os.path.join(environment_folder(), "greywind-synced")


def is_synced() -> bool:
    """True when the environment is complete for the present pyproject; makes the second start quick."""
    try:
        with open(stamp_file()) as stamp:
            return stamp.read() == fingerprint() and runs(os.path.join(environment_folder(), "bin", "python"))
    except OSError:
        return False


def sync() -> None:
    """Let uv build the environment, with the first of the tries that works. Never through a link: it is another's."""
    place = environment_folder()
    if os.path.islink(place):
        own = "%s is a link: syncing would rewrite the environment of another checkout." % place
        raise SystemExit("%s Remove the link and run this again, or run %s/bin/python manage.py." % (own, place))
    uv = find_uv()
    failures: List[str] = []
    say("building the environment with uv")
    for extra in SYNC_TRIES:
        command = [uv, "sync", "-q"] + extra
        done = subprocess.run(command, cwd=HERE, env=clean_environment(), stderr=subprocess.PIPE, check=False)
        if done.returncode == 0:
            with open(stamp_file(), "w") as stamp:
                stamp.write(fingerprint())
            return
        failures.append(done.stderr.decode(errors="replace").strip())
    raise SystemExit("uv could not build the environment (Python 3.12 or newer is needed):\n" + failures[0])


def enter() -> None:
    """Become the project's interpreter, keeping the process id so that signals still arrive once."""
    if os.environ.get(LOOP_GUARD) == environment_folder():
        raise SystemExit("%s is broken: remove it and run this again" % environment_folder())
    if not is_synced():
        sync()
    env = clean_environment()
    env[LOOP_GUARD] = environment_folder()
    python = os.path.join(environment_folder(), "bin", "python")
    os.execve(python, [python, os.path.join(HERE, "manage.py")] + sys.argv[1:], env)


def main() -> None:
    """Enter the environment if need be, then hand the command line over."""
    if not inside():
        enter()
    os.environ.pop(LOOP_GUARD, None)
    from greywind_site.embedded.entrance import run

    run(sys.argv)


if __name__ == "__main__":
    main()
