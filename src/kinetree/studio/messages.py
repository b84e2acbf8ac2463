"""The protocol of the studio: what requests say."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

MOST_OPERATIONS = 1000
"""Most operations of one edit."""

Operation = Annotated[list[Any], Field(min_length=1, max_length=8)]
"""A name and arguments."""


class Message(BaseModel):
    """What a request says; fields it does not know are refused."""

    model_config = ConfigDict(extra="forbid")


class EditMessage(Message):
    """Operations on the text, made together or not at all.

    Attributes:
        base: the revision that they were thought for.
        operations: each a name and arguments: ["set", ["bodies", "rod", "mass"], 2].
        label: what they do, for the list of edits.
    """

    base: int
    operations: list[Operation] = Field(min_length=1, max_length=MOST_OPERATIONS)
    label: str = Field("", max_length=200)


class RunMessage(Message):
    """A simulation of the present text.

    Attributes:
        duration: time to simulate [s].
        step: time between two rows [s].
        method: of integration.
        rtol: relative tolerance.
    """

    duration: float = Field(gt=0, le=1e6)
    step: float | None = Field(None, gt=0)
    method: str | None = Field(None, pattern=r"^\w{1,30}$")
    rtol: float | None = Field(None, gt=0, lt=1)


class EmptyMessage(Message):
    """Nothing beside the request itself."""
