"""One file of somebody's configuration: read, changed in one step, and put back as it was."""

import base64
import difflib
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from greywind_site.client.places import private_folder, state_folder, write_whole
from greywind_site.client.setup import jsontext
from greywind_site.client.setup.entries import Edit, Misshapen

NEW_FILE = "{}\n"


class NotTouched(Exception):
    """A file cannot be changed safely, and was left as it is; the message says why and where."""


@dataclass(frozen=True)
class Change:
    """A file as it is and as it would be. None stands for a file that is not there."""

    path: Path
    before: bytes | None
    after: bytes | None
    word: str = ""

    @property
    def needed(self) -> bool:
        """False when the file is already as it should be."""
        return self.before != self.after

    def diff(self) -> str:
        """Return the change as a unified diff."""
        old, new = ((content or b"").decode().splitlines(keepends=True) for content in (self.before, self.after))
        here, there = (str(self.path) if content is not None else "/dev/null" for content in (self.before, self.after))
        return "".join(_ended(line) for line in difflib.unified_diff(old, new, here, there, n=2))


@dataclass(frozen=True)
class Kept:
    """What is needed to put a file back: its bytes before our first change, and the hash of what we wrote."""

    path: str
    original: str | None
    written: str
    folder: str | None


def adding(path: Path, edit: Edit) -> Change:
    """Return the change that `edit` makes; raises NotTouched for what is no JSON of the right shape."""
    real = path.resolve()
    before = _content(real)
    text = NEW_FILE if before is None or not before.strip() else _text(real, before)
    try:
        after = edit(text).encode()
    except Misshapen as error:
        raise NotTouched(f"{path} is left as it is: {error}") from error
    if before is not None and before.strip() and jsontext.read(after.decode()) == jsontext.read(text):
        after = before
    return Change(real, before, after)


def removing(path: Path, strip: Edit) -> Change:
    """Return the change that undoes ours: to the byte, or, where the file was edited since, our entries alone."""
    real = path.resolve()
    before, kept = _content(real), _kept(real)
    if before is None:
        return Change(real, None, None)
    if kept and hashlib.sha256(before).hexdigest() == kept.written:
        original = None if kept.original is None else base64.b64decode(kept.original)
        return Change(real, before, original, word="" if original is None else "as it was before")
    stripped = strip(_text(real, before)) if before.strip() else before.decode()
    after: bytes | None = stripped.encode()
    if kept and kept.original is None and stripped.strip() == "{}":
        after = None
    word = "edited since: only the entries of greywind are taken out" if after != before else ""
    return Change(real, before, after, word=word)


def carry_out(change: Change, *, strip: Edit | None = None) -> None:
    """Write the file, keeping its mode; raises NotTouched when somebody else has changed it meanwhile.

    `strip` is given for an addition: what is needed to undo it is put away first.
    """
    if _content(change.path) != change.before:
        raise NotTouched(f"{change.path} was changed by somebody else meanwhile; run this again")
    if strip is not None and change.after is not None:
        _keep(change, change.after, strip)
    if change.after is None:
        _take_away(change.path)
    else:
        mode = change.path.stat().st_mode & 0o777 if change.before is not None else 0o666 & ~_umask()
        change.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(change.path, change.after, mode=mode)
    if strip is None:
        _kept_file(change.path).unlink(missing_ok=True)


def _keep(change: Change, after: bytes, strip: Edit) -> None:
    earlier = _kept(change.path)
    original: bytes | None = change.before
    folder = None if change.path.parent.exists() else str(change.path.parent)
    if earlier is not None and change.before is not None:
        folder = earlier.folder
        if hashlib.sha256(change.before).hexdigest() == earlier.written:
            original = None if earlier.original is None else base64.b64decode(earlier.original)
        else:
            original = strip(change.before.decode()).encode()
    stored = None if original is None else base64.b64encode(original).decode()
    kept = Kept(str(change.path), stored, hashlib.sha256(after).hexdigest(), folder)
    private_folder(_kept_file(change.path).parent)
    write_whole(_kept_file(change.path), json.dumps(asdict(kept)).encode())


def _take_away(path: Path) -> None:
    kept = _kept(path)
    path.unlink()
    if kept and kept.folder and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _kept(path: Path) -> Kept | None:
    try:
        return Kept(**json.loads(_kept_file(path).read_bytes()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _kept_file(path: Path) -> Path:
    private_folder(state_folder())
    return state_folder() / "setup" / f"{hashlib.sha256(str(path).encode()).hexdigest()[:24]}.json"


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotTouched(f"{path} cannot be read: {error}") from error


def _text(path: Path, content: bytes) -> str:
    try:
        text = content.decode()
        jsontext.read(text)
    except ValueError as error:
        raise NotTouched(f"{path} is left as it is, it is no valid JSON: {error}") from error
    return text


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
