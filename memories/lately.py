"""What a process looked for lately, kept for all of its threads."""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from threading import Lock


class Lately[K: Hashable, V]:
    """Values by key, at most so many: those go first that were not looked for the longest."""

    def __init__(self, most: int) -> None:
        self._most, self._turn = most, Lock()
        self._values: OrderedDict[K, V] = OrderedDict()

    def of(self, keys: Iterable[K]) -> dict[K, V]:
        """Return what is kept of some keys."""
        found = {}
        with self._turn:
            for key in keys:
                if key in self._values:
                    self._values.move_to_end(key)
                    found[key] = self._values[key]
        return found

    def keep(self, values: Mapping[K, V]) -> None:
        """Add some values."""
        with self._turn:
            self._values.update(values)
            while len(self._values) > self._most:
                self._values.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        with self._turn:
            self._values.clear()
