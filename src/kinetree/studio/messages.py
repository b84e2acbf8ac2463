"""The protocol of the studio: what requests say, what is answered, what the socket tells."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_OPERATIONS = 1000
"""Most operations of one edit."""

Operation = Annotated[list[Any], Field(min_length=1, max_length=8)]
"""A name and arguments."""


class Message(BaseModel):
    """What is said; fields that it does not know are refused."""

    model_config = ConfigDict(extra="forbid")


# --- what requests say


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
    """An analysis of the present text.

    Attributes:
        analysis: its name in the table of analyses.
        options: as the table says for it.
    """

    analysis: str = Field("simulate", max_length=40)
    options: dict[str, Any] = Field(default_factory=dict)


class EmptyMessage(Message):
    """Nothing beside the request itself."""


# --- what is answered


class ErrorMessage(Message):
    """What is wrong, in one sentence."""

    error: str


class DocumentState(Message):
    """What panes need to know beside the text.

    Attributes:
        file: its name.
        revision: counts the changes of the text, undone ones too.
        saved: whether the file has the text.
        recovered: edits that an earlier session had not saved.
        undo: label of the edit that can be undone, if any.
        redo: label of the edit that can be made again, if any.
    """

    file: str
    revision: int
    saved: bool
    recovered: int
    undo: str | None
    redo: str | None


class DocumentText(DocumentState):
    """The whole text."""

    text: str


class SpliceMessage(Message):
    """One piece of the text replaced by another; places count characters."""

    start: int
    removed: str
    put: str


class DocumentChange(DocumentState):
    """How the text has changed; without a splice it has not."""

    splice: SpliceMessage | None


class RepairMessage(Message):
    """A cure that is an edit.

    Attributes:
        label: of the button.
        operations: the edit.
    """

    label: str
    operations: list[Operation]


class FindingMessage(Message):
    """One sentence about an element.

    Attributes:
        severity: "error", "warning" or "note".
        element: what it speaks of.
        path: of the element in the file.
        problem: what is wrong.
        cure: what to do.
        line: where the element stands, counted from 1; 0 for nowhere.
        repair: the cure, where it is an edit.
    """

    severity: Literal["error", "warning", "note"]
    element: str
    path: list[str]
    problem: str
    cure: str
    line: int
    repair: RepairMessage | None = None


class CheckMessage(Message):
    """What a text is.

    Attributes:
        revision: of the text.
        findings: all that is to be said.
        loops: mobility, partition and what is redundant, where the loops close.
        gaps: closure -> how far it stays open [m, m2 or 1], where one does.
        bodies: names, in the order of `poses`.
        poses: quaternion w, x, y, z and position [m] of every body in the closed start.
        time: what the check took [s].
    """

    revision: int
    findings: list[FindingMessage]
    loops: dict[str, int | str] = Field(default_factory=dict)
    gaps: dict[str, float] = Field(default_factory=dict)
    bodies: list[str] = Field(default_factory=list)
    poses: list[list[float]] = Field(default_factory=list)
    time: float = 0.0


class ElementsMessage(Message):
    """The document as data: sections, elements and fields, as they are written.

    Attributes:
        revision: of the text.
        data: null where the text is not YAML.
    """

    revision: int
    data: Any


class AnalysisMessage(Message):
    """A row of the table of analyses.

    Attributes:
        name: of the analysis.
        text: what it finds.
        shown: how its result is shown: "run" (curves and motion), "curves", "table", "archive"
            or "film".
        needs_run: whether it looks at a run that is there already.
        options: JSON schema of its options.
    """

    name: str
    text: str
    shown: Literal["run", "curves", "table", "archive", "film"]
    needs_run: bool
    options: dict[str, Any]


class AnalysisList(Message):
    """The table of analyses."""

    analyses: list[AnalysisMessage]


class RunState(Message):
    """What has become of a run.

    Attributes:
        id: its number.
        analysis: its name; "measured" for curves that were imported.
        title: that somebody gave it, or made from its analysis.
        state: "waiting", "going", "finished", "failed" or "cancelled".
        error: why it failed.
        notes: warnings, and what was left out of the model.
        options: that it was given.
        has_curves: whether there are curves of it on the disk.
        progress: share that is done, 0 to 1; null where that is not known.
        left: time that it will take about [s]; null where that is not known.
        doing: what is derived or compiled for it just now; empty where it goes.
    """

    id: int
    analysis: str
    title: str
    state: Literal["waiting", "going", "finished", "failed", "cancelled"]
    error: str
    notes: list[str] = Field(default_factory=list)
    options: dict[str, Any]
    has_curves: bool
    progress: float | None = None
    left: float | None = None
    doing: str = ""


class RunList(Message):
    """All runs of the file."""

    runs: list[RunState]


class ResultMessage(Message):
    """What an analysis says, as its verb of the command line does with --json."""

    result: dict[str, Any]


class CurvesMessage(Message):
    """Curves of a run over time, thinned to the least and largest value per pixel.

    Attributes:
        signals: names of all that there are, such as q.heave, where none was asked for.
        units: name -> unit, of these.
        shown: names of those to show first.
        events: time [s] and name of what happened.
        rows: of the whole run.
        start, end: of the whole run [s].
        time: of the points [s].
        curves: name -> values.
    """

    signals: list[str] = Field(default_factory=list)
    units: dict[str, str] = Field(default_factory=dict)
    shown: list[str] = Field(default_factory=list)
    events: list[tuple[float, str]] = Field(default_factory=list)
    rows: int = 0
    start: float = 0.0
    end: float = 0.0
    time: list[float] = Field(default_factory=list)
    curves: dict[str, list[float]] = Field(default_factory=dict)


class ManifestMessage(Message):
    """What a run was made from.

    Attributes:
        run: its state.
        manifest: what the run says about itself: model, hash, method, versions, times.
        text: of the model file.
    """

    run: RunState
    manifest: dict[str, Any]
    text: str


class TitleMessage(Message):
    """A name for a run."""

    title: str = Field(max_length=100)


class FolderMessage(Message):
    """A folder beside the model, which files shall be written into."""

    name: str = Field(pattern=r"^\w[\w\-. ]{0,59}$")


class WrittenMessage(Message):
    """Files that were written into a folder beside the model."""

    folder: str
    files: list[str]


class ImportMessage(Message):
    """Measured curves to show as a run.

    Attributes:
        name: of a .csv or .nc file of the folder, or of the table given.
        content: text of a table; empty: that of the file.
        renamed: heading of a column -> name of a signal, such as q.heave.
    """

    name: str = Field(min_length=1, max_length=200)
    content: str = ""
    renamed: dict[str, str] = Field(default_factory=dict, max_length=1000)


class CompareMessage(Message):
    """Two runs to compare.

    Attributes:
        runs: numbers of the reference, and of the one that is compared with it.
        signals: names; none: all that both have.
        absolute: difference that is allowed.
        relative: the same as a share of the span of the reference, or of its size where it stands
            still.
    """

    runs: tuple[int, int]
    signals: list[str] = Field(default_factory=list, max_length=1000)
    absolute: float = Field(0.0, ge=0, allow_inf_nan=False)
    relative: float = Field(0.0, ge=0, allow_inf_nan=False)


class ComparedSignal(Message):
    """A curve of two runs.

    Attributes:
        name, unit: of the curve.
        largest: difference between the runs.
        at: where it is [s].
        span: between least and largest value of the reference.
        within: whether the difference is allowed everywhere.
        first_outside: where it is not, for the first time [s].
    """

    name: str
    unit: str
    largest: float
    at: float
    span: float
    within: bool
    first_outside: float | None


class ValueDifference(Message):
    """An entry of a model file, or an option of a run, that differs; null where it is missing."""

    path: str
    first: Any
    second: Any


class ComparisonMessage(Message):
    """How a run differs from another.

    Attributes:
        runs: their numbers.
        start, end: time that both have [s].
        signals: curves that both have.
        only_first, only_second: names of curves that one of them has.
        entries: of the model files.
        options: of the analyses.
        lines: difference of the texts.
    """

    runs: list[int]
    start: float
    end: float
    signals: list[ComparedSignal]
    only_first: list[str]
    only_second: list[str]
    entries: list[ValueDifference]
    options: list[ValueDifference]
    lines: list[str]


class MotionMessage(Message):
    """Poses of a run, or of modes, to animate.

    Attributes:
        names: of the bodies, the ground left out.
        clips: label, detail, first frame, times [s] and whether it repeats, one per clip.
        poses: frames × bodies × 7 as pages have them: rows, columns, offset, scale, data.
        q: coordinates of the frames, likewise.
        coordinates: their names.
    """

    names: list[str]
    clips: list[dict[str, Any]]
    poses: dict[str, Any]
    q: dict[str, Any]
    coordinates: list[str]


class EffortMark(Message):
    """Where a joint or closure acts.

    Attributes:
        path: such as joints.elbow.
        body: its number, the ground being 0.
        at: place in the frame of the body [m].
    """

    path: str
    body: int
    at: list[float]


class EffortsMessage(Message):
    """Forces and torques that joints and closures transmit along a run, in the ground frame.

    Attributes:
        marks: where they act: on the child of a joint, on the first end of a closure.
        time: of the frames [s].
        forces: frames × marks × 3 [N] as pages have them: rows, columns, offset, scale, data.
        strongest: size of the largest of all [N].
        torques, strongest_torque: likewise [N.m], about the place of the mark.
    """

    marks: list[EffortMark]
    time: list[float]
    forces: dict[str, Any]
    strongest: float
    torques: dict[str, Any]
    strongest_torque: float


class EquationRow(Message):
    """One equation of a Program.

    Attributes:
        number: its place in the order of evaluation, from 1.
        name: what it defines.
        formula: MathML of the equation.
        uses: names that stand in it.
        about: element, step, unit, frame and equation of the paper in one line.
        step, unit, frame, paper: the same apart, empty where unknown.
        elements: paths of the elements that it is about.
        role: "owns" where the element is the one it is about, "enters" where it is spoken of.
    """

    number: int
    name: str
    formula: str
    uses: list[str]
    about: str
    step: str
    unit: str
    frame: str
    paper: str
    elements: list[str]
    role: Literal["owns", "enters"]


class EquationsMessage(Message):
    """Equations of an element.

    Attributes:
        element: path of the element; empty for the whole Program.
        of, formalism: what was derived.
        total: number of equations of the whole Program.
        owned: of those, about the element.
        entered: of those, that speak of the element.
        operations: of one evaluation, and of the equations that are owned.
        pages: number of pages.
        rows: of one page.
        elements: paths of elements that each name of the rows is about.
        names: number of a name in the formulas (data-n) -> the name.
    """

    element: str
    of: str
    formalism: str
    total: int
    owned: int
    entered: int
    operations: tuple[int, int]
    pages: int
    rows: list[EquationRow]
    elements: dict[str, list[str]]
    names: dict[str, str]


class SymbolMessage(Message):
    """A name of a Program.

    Attributes:
        name: of an input, a parameter or a result.
        symbol: MathML of it.
        unit: where it is known.
        value: of a parameter.
        definition: the equation that defines it; null for an input.
        uses: names of the equations in which it stands.
        elements: paths of the elements that it is about.
        names: as in `EquationsMessage`.
    """

    name: str
    symbol: str
    unit: str
    value: float | None
    definition: EquationRow | None
    uses: list[str]
    elements: list[str]
    names: dict[str, str]


class SharesMessage(Message):
    """Equations and operations of every element.

    Attributes:
        of, formalism: what was derived.
        total: number of equations.
        operations: of one evaluation.
        equations: path of an element -> equations about it.
        shares: path of an element -> share of the operations, 0 to 1.
        rest: share of what is about no element.
    """

    of: str
    formalism: str
    total: int
    operations: int
    equations: dict[str, int]
    shares: dict[str, float]
    rest: float


class QuantityRow(Message):
    """A quantity that can be derived: its name, what it takes and gives, and the formalisms."""

    name: str
    text: str
    formalisms: list[str]


class QuantitiesMessage(Message):
    """The table of quantities."""

    quantities: list[QuantityRow]


# --- what is handed on


class TargetRow(Message):
    """A language or a form of the whole model: its name, what it is, whether it takes all."""

    name: str
    text: str
    whole: bool


class TargetsMessage(Message):
    """What code can be written in.

    Attributes:
        targets: all of them.
        target: that was tried.
        problem: why it cannot be written; empty where it can.
        files: name -> size [B] of what it writes.
    """

    targets: list[TargetRow]
    target: str = ""
    problem: str = ""
    files: dict[str, int] = Field(default_factory=dict)


class LiveMessage(Message):
    """What a page needs to simulate by itself: a script that defines kinetreeLive, and its data."""

    script: str
    data: dict[str, Any]


class LiveData(Message):
    """Start values, names and controls of a simulation in the browser."""

    data: dict[str, Any]


class PageMessage(Message):
    """The text of a page."""

    html: str


# --- files and history


class HistoryMessage(Message):
    """Labels of the edits that can be undone, the oldest first, and made again, the next first."""

    past: list[str]
    future: list[str]


class DifferenceMessage(Message):
    """How two texts differ, as lines that begin with a space, a minus or a plus.

    Attributes:
        against: what the present text was compared with.
        lines: of the difference, three of their surroundings included; empty where they are equal.
    """

    against: str
    lines: list[str]


class ConflictMessage(Message):
    """One entry that was changed here and on the disk; null where it is not there."""

    path: list[str | int]
    base: Any
    mine: Any
    disk: Any


class LineConflictMessage(Message):
    """Lines that were changed here and on the disk, in different ways.

    Attributes:
        line: number of the first one in the text of the session, from 1.
        mine: lines of the text of the session.
        base: what they were before.
        disk: lines on the disk.
    """

    line: int
    mine: str
    base: str
    disk: str


class ThreeWayMessage(Message):
    """The text, the file as it was read, and the file as it is now.

    Attributes:
        state: of the file on the disk.
        mine: text of the session.
        base: text that both began with.
        disk: text on the disk; null where it is gone, or cannot be read.
        conflicts: entries that both have changed.
        can_merge: whether both can be taken, by element; conflicts are then kept as they are here.
        lines: conflicts line by line, in order.
        apart: number of places that one side alone has changed, or both alike.
        stamp: what tells these texts from others; null where there are no two.
    """

    state: Literal["changed", "removed", "known", "unreadable"]
    mine: str
    base: str
    disk: str | None
    conflicts: list[ConflictMessage] = Field(default_factory=list)
    can_merge: bool = False
    lines: list[LineConflictMessage] = Field(default_factory=list)
    apart: int = 0
    stamp: str | None = None


class PickMessage(Message):
    """Which lines stand in the place of a conflict.

    Attributes:
        take: "mine", "disk", "both" (mine, then those of the disk) or "typed".
        lines: those that were typed.
    """

    take: Literal["mine", "disk", "both", "typed"]
    lines: str = Field("", max_length=1_000_000)


class ResolveMessage(Message):
    """What to do about a file that was changed on the disk.

    Attributes:
        choice: "mine" keeps the text and lets the next save replace the file, "disk" takes the
            file over, "both" takes over what was changed there and not here, "lines" puts both
            together line by line; each can be undone.
        picks: of "lines", one for every conflict that was told.
        stamp: of "lines", as it was told: other texts since then are not put together.
    """

    choice: Literal["mine", "disk", "both", "lines"]
    picks: list[PickMessage] = Field(default_factory=list, max_length=100_000)
    stamp: str | None = Field(None, max_length=64)


class FileRow(Message):
    """A file that can be opened or imported.

    Attributes:
        name: below the folder.
        kind: "model", "import" (URDF, MJCF, SDF) or "data" (runs and measured curves).
    """

    name: str
    kind: Literal["model", "import", "data"]


class FilesMessage(Message):
    """The folder.

    Attributes:
        folder: its name.
        open: name of the file that is open; null for none.
        files: that can be opened.
        examples: models that a new file may begin with.
    """

    folder: str
    open: str | None
    files: list[FileRow]
    examples: list[str]


class OpenMessage(Message):
    """A file of the folder to open."""

    name: str = Field(min_length=1, max_length=200)


class NewMessage(Message):
    """A file to make.

    Attributes:
        name: of the file, new in the folder.
        example: of the list of examples; empty for an empty model.
        source: name of a URDF, MJCF or SDF file to import; empty for none.
    """

    name: str = Field(min_length=1, max_length=200)
    example: str = Field("", max_length=100)
    source: str = Field("", max_length=200)


# --- diagram, forms, scene


class StepMessage(Message):
    """One motion of a joint: its sign, such as R3, and its letter."""

    sign: str
    letter: Literal["R", "T", "H", "S", "F", "="]


class AnchorMessage(Message):
    """Where joints, closures and forces end at a body of the diagram.

    Attributes:
        point: its name, "" for the body's own frame.
        side: of the body.
        share: of that side, from its upper or left end.
        used: whether something ends there.
    """

    point: str
    side: Literal["left", "right", "bottom"]
    share: float
    used: bool


class DiagramBodyMessage(Message):
    """A body of the diagram, or the ground.

    Attributes:
        name, path: of the body.
        x, y: left side and middle in units of the grid.
        width, height: in the same units.
        placed: whether the file says where.
        outline: its shape in the drawing.
        points: names of its points.
        anchors: places at its edge.
    """

    name: str
    path: str
    x: int
    y: int
    width: int
    height: int
    placed: bool
    outline: str
    points: list[str]
    anchors: list[AnchorMessage]


class DiagramJointMessage(Message):
    """A joint of the diagram.

    Attributes:
        name, path, kind: of the joint.
        parent, child: bodies.
        points: names of their points, "" for the body's own frame.
        steps: its motions in order.
        coordinates: their names.
        driven: whether its motion is given.
        room: steps of the longest joint beside it, before which its line bends.
        lane: from where on and at which height its line goes around others, in units of the grid.
    """

    name: str
    path: str
    kind: str
    parent: str
    child: str
    points: list[str]
    steps: list[StepMessage]
    coordinates: list[str]
    driven: bool
    room: int
    lane: list[int] | None


class DiagramTieMessage(Message):
    """A closure, force or wrench of the diagram.

    Attributes:
        section, name, path, kind: of the element.
        bodies, points: where it acts.
        joint: of a force at a joint, its name.
        equations: of a closure.
        leave, arrive: handles of its curve between two moving bodies, from its ends [px].
        share: of that curve, at which its name stands.
    """

    section: Literal["closures", "forces", "wrenches"]
    name: str
    path: str
    kind: str
    bodies: list[str]
    points: list[str]
    joint: str
    equations: int | None
    leave: list[int]
    arrive: list[int]
    share: float


class DiagramMessage(Message):
    """The diagram as data; the same bytes for the same text.

    Attributes:
        revision: of the text.
        title: name of the model.
        grid: pixels of a unit.
        box: left, top, right and lower side of all that is drawn [px].
        bodies, joints, ties: what is drawn.
        states: names of states beside the motion.
        off: paths of elements that are switched off.
        roles: coordinate -> "independent", "dependent" or "driven", of a closed model.
    """

    revision: int
    title: str
    grid: int
    box: list[int]
    bodies: list[DiagramBodyMessage]
    joints: list[DiagramJointMessage]
    ties: list[DiagramTieMessage]
    states: list[str]
    off: list[str]
    roles: dict[str, Literal["independent", "dependent", "driven"]]


class FieldMessage(Message):
    """A field of a kind of element, for a form.

    Attributes:
        name: of the field.
        text: what it means.
        unit: of its numbers, where it has one.
        form: how it is entered.
        required: whether it must be there.
        default: what it is where it is missing.
        choices: words that it may be.
        size: fewest and most entries of a list.
    """

    name: str
    text: str
    unit: str
    form: Literal[
        "number",
        "expression",
        "vector",
        "axis",
        "axes",
        "place",
        "joint",
        "choice",
        "flag",
        "text",
        "list",
        "mapping",
    ]
    required: bool
    default: Any
    choices: list[str] = Field(default_factory=list)
    size: list[int] = Field(default_factory=list)


class KindMessage(Message):
    """A kind of element: a row of the palette.

    Attributes:
        section: in which its elements stand.
        kind: its name; "" for elements of sections without kinds.
        text: what it is.
        places: labels of the bodies or points that it stands at.
        steps: of a joint: the motions that it is made of, as far as they are known beforehand.
        fields: of its elements.
    """

    section: str
    kind: str
    text: str
    places: list[str]
    steps: list[StepMessage]
    fields: list[FieldMessage]


class CatalogueMessage(Message):
    """All kinds, from the tables of their rooms; and outlines that bodies of the diagram may have.

    Attributes:
        kinds: of elements.
        outlines: of bodies.
        operations: edits and the names of what they take.
    """

    kinds: list[KindMessage]
    outlines: list[str]
    operations: dict[str, list[str]]


class ValuesMessage(Message):
    """Present values of expressions.

    Attributes:
        revision: of the text.
        values: path of an expression of parameters -> its value in SI units.
    """

    revision: int
    values: dict[str, float]


class DependentsMessage(Message):
    """Paths of the elements that are removed together with one."""

    element: str
    dependents: list[str]


class ScenePart(Message):
    """A body of the picture: its solids in the body frame, as pages have them."""

    name: str
    parts: list[dict[str, Any]]


class SceneMark(Message):
    """Something of a layer, in the frame of a body.

    Attributes:
        path: of the element.
        body: number of the body, the ground being 0.
        at: place [m].
        axis: direction of a joint's motion; null for none.
        letter: of a joint's motion.
        name: that is shown.
    """

    path: str
    body: int
    at: list[float]
    axis: list[float] | None = None
    letter: str = ""
    name: str = ""


class MassMark(Message):
    """Centre of mass and inertia of a body.

    Attributes:
        body: number of the body.
        mass: [kg].
        at: centre of mass [m].
        axes: of the ellipsoid, as rows of a rotation matrix from its frame to that of the body.
        radii: half axes of the ellipsoid of a solid with this inertia [m].
    """

    body: int
    mass: float
    at: list[float]
    axes: list[list[float]]
    radii: list[float]


class TieMark(Message):
    """A closure or force between places of two bodies.

    Attributes:
        path, kind: of the element.
        ends: number of the body and place in its frame [m], one or two.
        gap: how far a closure stays open; 0 for a closed one.
    """

    path: str
    kind: str
    ends: list[SceneMark]
    gap: float = 0.0


class SceneMessage(Message):
    """The mechanism in 3-D, whole or what differs from an earlier revision.

    Attributes:
        revision: of the text.
        since: revision that `bodies` is the difference to; null: they are all.
        names: of all bodies, the ground first.
        bodies: with solids that are new or have changed.
        links: springs and rods between points, all of them.
        poses: quaternion w, x, y, z and position [m] of every body but the ground.
        up, floor, size, low, high: the room that the picture takes.
        axes, points, masses, ties: layers.
        warnings: about shapes that cannot be shown.
    """

    revision: int
    since: int | None
    names: list[str]
    bodies: list[ScenePart]
    links: list[dict[str, Any]]
    poses: list[list[float]]
    up: list[float]
    floor: float
    size: float
    low: list[float]
    high: list[float]
    axes: list[SceneMark]
    points: list[SceneMark]
    masses: list[MassMark]
    ties: list[TieMark]
    warnings: list[str]


class ViewMessage(Message):
    """All that follows from a text; what is as it was at an earlier revision is left out.

    Attributes:
        revision: of the text.
        kept: which of the following are as they were at the revision that was asked about.
        check: what is wrong, how the loops stand, where the bodies are.
        elements, values, drawing, scene: null where they are kept, and where the text has none.
        partial: whether loops are still looked at: ask again for drawing, scene and their findings.
    """

    revision: int
    kept: list[str]
    check: CheckMessage
    elements: ElementsMessage | None = None
    values: ValuesMessage | None = None
    drawing: DiagramMessage | None = None
    scene: SceneMessage | None = None
    partial: bool = False


class DragMessage(Message):
    """A place of a body that is pulled.

    Attributes:
        body: its name.
        at: the place in the body frame [m].
        to: where it shall go, in the ground frame [m].
    """

    body: str = Field(max_length=200)
    at: list[float] = Field([0.0, 0.0, 0.0], min_length=3, max_length=3)
    to: list[float] = Field(min_length=3, max_length=3)


class PoseMessage(Message):
    """A pose that is asked for.

    Attributes:
        start: coordinates to begin with, by name; others are those of the closed start.
        hold: coordinates that keep the value of `start`.
        drag: a place that is pulled towards another.
        t: time at which drives are taken [s].
    """

    start: dict[str, float] = Field(default_factory=dict)
    hold: list[str] = Field(default_factory=list)
    drag: DragMessage | None = None
    t: float = 0.0


class ClosedPose(Message):
    """A pose with closed loops.

    Attributes:
        revision: of the text.
        q: coordinates by name.
        poses: of all bodies but the ground.
        left: distance of the place that was pulled from where it shall go [m].
        operations: the edit that makes it the start of the model.
    """

    revision: int
    q: dict[str, float]
    poses: list[list[float]]
    left: float
    operations: list[Operation]


# --- what the socket tells


class RevisionEvent(Message):
    """The text, or what of it is saved, has changed."""

    kind: Literal["revision"] = "revision"
    file: str
    revision: int
    saved: bool


class RunEvent(Message):
    """A run has gone on, or has ended."""

    kind: Literal["run"] = "run"
    run: RunState


class FileEvent(Message):
    """The file on the disk is another one than was read, or is gone."""

    kind: Literal["file"] = "file"
    state: Literal["changed", "removed", "known"]


EVENTS = (RevisionEvent, RunEvent, FileEvent)
"""All that the socket tells."""
