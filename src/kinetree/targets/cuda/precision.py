"""How numbers of one precision are spelled, and what its rounding means for an iteration."""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.errors import UnsupportedError


@dataclass(frozen=True, slots=True)
class Precision:
    """A type of real numbers.

    Attributes:
        name: of the type in C.
        suffix: of literals and of functions.
        bytes: of a number.
        loosened: factor on the tolerance of an iteration.  A loop that closes to the rounding of
            double closes in float to that times 2**29, the ratio of the two roundings.
        loosest: bound of that.
        budget: values that a thread can keep in 255 registers, with some left for addresses.
    """

    name: str
    suffix: str
    bytes: int
    loosened: float
    loosest: float
    budget: int

    @property
    def polished(self) -> bool:
        """Whether an iteration corrects once more where its test holds.

        The loosened test leaves an error that one more step, which converges quadratically, takes
        down to rounding.
        """
        return self.loosened > 1

    def tolerance(self, value: float) -> float:
        """What an iteration has to reach, by its tolerance in double."""
        return max(value, min(value * self.loosened, self.loosest))

    def literal(self, value: float) -> str:
        """A number."""
        return f"{value!r}{self.suffix}"

    def function(self, name: str) -> str:
        """A function of math.h."""
        return f"{name}{self.suffix}"


DOUBLE = Precision("double", "", 8, 1.0, 0.0, 110)
FLOAT = Precision("float", "f", 4, 2.0**29, 1e-4, 220)
PRECISIONS = {
    "double": DOUBLE, "float64": DOUBLE, "f8": DOUBLE,
    "float": FLOAT, "float32": FLOAT, "single": FLOAT, "f4": FLOAT,
}  # fmt: skip


def precision(dtype: object) -> Precision:
    """The precision by name or NumPy type."""
    name = getattr(dtype, "__name__", None) or str(dtype)
    if name not in PRECISIONS:
        raise UnsupportedError(
            f"there are no CUDA kernels of type '{name}'",
            element="dtype",
            cure="choose 'float' or 'double'",
        )
    return PRECISIONS[name]
