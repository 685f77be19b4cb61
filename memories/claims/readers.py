"""How a shape of text is tied to what reads it."""

import re
from collections.abc import Callable

Match = re.Match[str]
Fields = dict[str, object]  # of a Value, save for its text and place
Reader = Callable[[Match], Fields | None]


class Shapes[Read](list[tuple[str, Callable[[Match], Read | None]]]):
    """Patterns with their readers, in the order of precedence. A reader answers None where the match only looks so."""

    def shape(self, pattern: str) -> Callable[[Callable[[Match], Read | None]], Callable[[Match], Read | None]]:
        """Add the decorated reader for `pattern`."""

        def keep(reader: Callable[[Match], Read | None]) -> Callable[[Match], Read | None]:
            self.append((pattern, reader))
            return reader

        return keep
