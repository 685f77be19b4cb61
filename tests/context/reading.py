"""Reading a prompt back into its parts, the way the marks promise that it can be read."""

from dataclasses import dataclass

from sessions.context.seams import MARK, stored_text


@dataclass(frozen=True)
class ReadItem:
    """A header without its mark, and the body below it as it stands."""

    section: str
    header: str
    body: str

    @property
    def text(self) -> str:
        """The body with its escapes taken back."""
        return stored_text(self.body)


def read_prompt(text: str) -> list[ReadItem]:
    """Split a prompt at the lines that begin with the mark, and at nothing else."""
    items: list[tuple[str, str, list[str]]] = []
    section = ""
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith(MARK * 2):
            section = line.removeprefix(MARK * 2).strip()
        elif line.startswith(MARK):
            items.append((section, line.removeprefix(MARK).strip(), []))
        else:
            items[-1][2].append(line)
    return [ReadItem(section, header, "\n".join(lines)) for section, header, lines in items]


def read_list(body: str) -> list[str]:
    """The entries of a list body."""
    entries: list[list[str]] = []
    for line in body.split("\n"):
        if line.startswith("- "):
            entries.append([line[2:]])
        else:
            entries[-1].append(line.removeprefix("  "))
    return [stored_text("\n".join(lines)) for lines in entries]
