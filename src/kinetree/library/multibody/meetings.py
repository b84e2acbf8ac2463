"""Where frames meet: sets of connected frames, and those of components with equations.

| in | out |
|---|---|
| Flat | Meetings: the place (a number) of every frame; Flat without connections of frames |

A component's own frame that is connected inside is a way through it.  Frames of parts carry no
variables; those of other components do, and these are in the equations.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kinetree.acausal.components import Connector, Element, variables_of
from kinetree.acausal.connections import Union, face_of
from kinetree.acausal.instances import Flat
from kinetree.library.multibody.connectors import Frame, Part


@dataclass
class Meetings:
    """Places at which frames meet.

    Attributes:
        numbers: frame -> its number.
        shown: place -> frames of components with equations of their own.
        connected: frames that meet another one.
    """

    numbers: dict[Frame, int]
    shown: dict[int, list[Frame]] = field(default_factory=dict)
    connected: set[Frame] = field(default_factory=set)
    union: Union = field(default_factory=Union)

    def place(self, frame: Frame) -> int:
        """The number of the place of a frame: the least of those that meet there."""
        return self.union.find(self.numbers[frame])

    def name(self, place: int) -> str:
        """The path of the first frame of a place."""
        return next(frame.path for frame, k in self.numbers.items() if k == place)


def meetings_of(flat: Flat) -> Meetings:
    """The places of all frames; their connections, ports and idle variables leave `flat`."""
    frames = [end for end in flat.ports if isinstance(end, Frame)]
    found = Meetings({frame: k for k, frame in enumerate(frames)})
    inside: set[Connector] = set()
    kept = []
    for path, made in flat.connections:
        ends = [end for end in made.ends if isinstance(end, Frame)]
        if not ends:
            kept.append((path, made))
            continue
        inside |= {end for end in ends if face_of(end, path)[1]}
        found.connected |= set(ends)
        for end in ends[1:]:
            found.union.merge(found.numbers[ends[0]], found.numbers[end])
    flat.connections[:] = kept
    idle = {end for end in frames if isinstance(end.owner, Part) or end in inside}
    for frame in idle:
        forget(flat, frame)
    flat.ports[:] = [end for end in flat.ports if not isinstance(end, Frame)]
    for frame in frames:
        if frame not in idle:
            found.shown.setdefault(found.place(frame), []).append(frame)
    return found


def forget(flat: Flat, element: Element) -> None:
    """Take the variables of an element away."""
    for row, _ in variables_of(element):
        del flat.variables[element.path_of(row.name)]


def forget_frames(flat: Flat, part: Part) -> None:
    """Take the frames of a part away, which is connected by its owner."""
    for end in [end for end in flat.ports if isinstance(end, Frame) and end.owner is part]:
        forget(flat, end)
        flat.ports.remove(end)
