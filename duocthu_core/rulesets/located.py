"""Tables that remember which part of them was read last, so that rules which do not work can be told at their line.

The code that reads a table knows nothing of lines; where it fails, the fault stands in what it read last.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import Any

Place = tuple[str | int, ...]


class Trail:
    """The place that was read last."""

    def __init__(self) -> None:
        self.last: Place = ()


class _LocatedMapping(dict[Any, Any]):
    def __init__(self, content: Mapping[Any, Any], place: Place, trail: Trail) -> None:
        super().__init__({key: located(value, (*place, key), trail) for key, value in content.items()})
        self._place, self._trail = place, trail

    def __getitem__(self, key: Any) -> Any:
        self._trail.last = (*self._place, key) if key in self else self._place
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        found = super().get(key, default)
        self._trail.last = (*self._place, key) if key in self else self._place
        return found

    def __iter__(self) -> Iterator[Any]:
        for key in super().__iter__():
            self._trail.last = (*self._place, key)
            yield key

    def items(self) -> ItemsView[Any, Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return ItemsView(self)

    def values(self) -> ValuesView[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return ValuesView(self)


class _LocatedList(list[Any]):
    def __init__(self, content: list[Any], place: Place, trail: Trail) -> None:
        super().__init__(located(value, (*place, number), trail) for number, value in enumerate(content))
        self._place, self._trail = place, trail

    def __getitem__(self, index: Any) -> Any:
        self._trail.last = (*self._place, index) if isinstance(index, int) else self._place
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Any]:
        for number, value in enumerate(super().__iter__()):
            self._trail.last = (*self._place, number)
            yield value


def located(value: Any, place: Place, trail: Trail) -> Any:
    """``value`` (mappings, lists and plain values) as something that notes on ``trail`` what is read of it."""
    if isinstance(value, dict):
        return _LocatedMapping(value, place, trail)
    return _LocatedList(value, place, trail) if isinstance(value, list) else value
