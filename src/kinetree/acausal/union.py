"""Union-find: which numbers are one, found in nearly constant time."""

from __future__ import annotations


class Union:
    """Sets of numbers that are one; every number begins alone.

    The root of a set is the smallest number in it, so that the outcome depends on no order.
    """

    def __init__(self) -> None:
        self._up: dict[int, int] = {}

    def find(self, number: int) -> int:
        """The root of the set of a number."""
        up, root = self._up, number
        while (above := up.get(root, root)) != root:
            root = above
        while number != root:
            up[number], number = root, up.get(number, number)
        return root

    def merge(self, a: int, b: int) -> None:
        """Make two sets one."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self._up[max(a, b)] = min(a, b)
