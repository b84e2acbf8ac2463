"""Any model survives its file: the same content, and the same text the second time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kinetree.formats.yaml_file import read, write
from kinetree.joints import ALL
from kinetree.model import Model, rotation_rpy

numbers = st.one_of(st.integers(-3, 3), st.floats(-1e6, 1e6, allow_subnormal=False))
vectors = st.tuples(numbers, numbers, numbers)
axes = st.one_of(
    st.sampled_from(["x", "y", "z", "-y"]),
    st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: max(map(abs, a)) > 1e-3),
)
angles = st.tuples(*[st.floats(-4, 4)] * 3)
names = st.sampled_from(
    ["arm", "no", "on", "1e3", "true", "12", "~", "é", "a-b", "null", "#x", "=", "-"]
)
KINDS = st.sampled_from([kind.name for kind in ALL])


@st.composite
def models(draw):
    """A random tree of bodies, with parameters in some of its scalars."""
    model = Model(draw(st.sampled_from(["m", "no", "a: b", " x", "Ünit"])), gravity=draw(vectors))
    length = model.parameter("L", draw(st.floats(0.1, 2)), draw(st.sampled_from(["m", ""])))
    places = [model.ground]
    for i in range(draw(st.integers(0, 4))):
        com = draw(vectors)
        body = model.body(
            f"{draw(names)}{i}",
            mass=draw(st.one_of(numbers, st.just(length * 2 + 1))),
            com=com,
            inertia=draw(st.one_of(vectors, st.tuples(*[numbers] * 6))),
            physical=draw(st.booleans()),
        )
        add_joint(draw, model, draw(st.sampled_from(places)), body, length)
        places += [
            body,
            body.point("p", (length / 3, *draw(vectors)[1:]), rotation_rpy(*draw(angles))),
        ]
    if draw(st.booleans()):
        model.wrench("w", draw(st.sampled_from(places)), draw(st.sampled_from(["body", "world"])))
    model.layout = draw(st.none() | st.dictionaries(st.text(), st.lists(numbers | st.text())))
    return model


def add_joint(draw, model, place, body, length):
    kind = draw(KINDS)
    arguments = {
        "axis": draw(axes),
        "normal": draw(axes),
        "axes": ("x", [0, 1, 0.5]),
        "pitch": draw(st.one_of(numbers, st.just(length / 7))),
        "steps": draw(st.sampled_from(["T1 R3", ["R1"], "R2 R3 R1"])),
    }
    options = next(row.options for row in ALL if row.name == kind)
    model.joint(
        kind,
        f"{draw(names)}_{body.name}",
        place,
        body,
        {name: arguments[name] for name in options},
        limits=draw(st.none() | st.just((-1.5, 2))),
        damping=draw(st.sampled_from([0, 0.5])),
    )


@given(models())
def test_the_file_says_the_same(model):
    text = write(model)
    again = read(text)
    assert again.content_hash() == model.content_hash()
    assert again.coordinates == model.coordinates
    assert write(again) == text
    assert write(again, text) == text
    assert (again.layout or None) == (model.layout or None)
