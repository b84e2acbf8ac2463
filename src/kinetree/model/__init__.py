"""The description of a mechanism: bodies, points, joints, wrenches, parameters."""

from kinetree.model.check import refuse
from kinetree.model.closures import (
    CLOSURES,
    Along,
    Angle,
    Closure,
    ClosureKind,
    Coincide,
    Condition,
    Coupled,
    Distance,
    Law,
    RateLaw,
    Roll,
    Touch,
)
from kinetree.model.configuration import product, retract, rotate
from kinetree.model.contents import elements, plain, to_data
from kinetree.model.events import (
    DIRECTIONS,
    Clock,
    Event,
    happenings,
    instant_symbol,
    refuse_events,
)
from kinetree.model.forces import (
    AT_POINT,
    AT_POINT_WORK,
    FORCES,
    IN_JOINT,
    XYZ,
    Action,
    Between,
    Force,
    ForceKind,
    Frame,
    Offer,
    Place,
    State,
    Told,
    Work,
    gripping,
    holding,
    refuse_holding,
    refuse_pushes,
    stop_modes,
    stopping,
)
from kinetree.model.frame_model import FrameModel, map_elements
from kinetree.model.gimbal import gimbal_locks
from kinetree.model.kinds import ANY, JOINTS, REQUIRED, ElementKind, JointKind
from kinetree.model.laws import (
    Named,
    closure_law_names,
    coordinate_symbol,
    end_symbols,
    force_law_names,
    force_laws,
    law_symbols,
    place_symbols,
    refuse_words,
    state_names,
    state_symbol,
    time_symbol,
    trace,
    uses_time,
    variable,
)
from kinetree.model.mechanism import Mechanism
from kinetree.model.model import Model
from kinetree.model.outputs import (
    POINT_QUANTITIES,
    VARIABLES,
    Components,
    ModelOutput,
    Offered,
    Seen,
    SortedEquations,
    as_mechanism,
    asked_outputs,
    offers,
    output_names,
    signals,
    split_known,
)
from kinetree.model.parameters import (
    INERTIA,
    POSITIVE,
    ParameterTable,
    grip_units,
    parameter_table,
)
from kinetree.model.parts import (
    Ball,
    Body,
    CoordinateGroup,
    Float,
    Joint,
    Limits,
    Mimic,
    Motion,
    Point,
    Shift,
    Turn,
    Twist,
    Wrench,
)
from kinetree.model.position_matrices import as_frames, position_matrices
from kinetree.model.topology import leader_of, problems, quaternions
from kinetree.model.values import (
    IDENTITY,
    LOOP_TOLERANCE,
    Matrix3,
    Scalar,
    Vector3,
    direction,
    directions,
    numbers,
    rotation,
    rotation_rpy,
    scalar,
    snap,
)
from kinetree.model.vectors import (
    NULL,
    Mat,
    Vec,
    apply,
    apply_transposed,
    cross,
    dot,
    is_null,
    mat3,
    matmul,
    minus,
    negative,
    plus,
    times,
    transpose,
    vec,
    vec3,
)

__all__ = [
    "ANY", "AT_POINT", "AT_POINT_WORK", "CLOSURES", "DIRECTIONS", "FORCES", "IDENTITY", "INERTIA",
    "IN_JOINT", "JOINTS", "LOOP_TOLERANCE", "NULL", "POINT_QUANTITIES", "POSITIVE", "REQUIRED",
    "VARIABLES", "XYZ", "Action", "Along", "Angle", "Ball", "Between", "Body", "Clock", "Closure",
    "ClosureKind", "Coincide", "Components", "Condition", "CoordinateGroup", "Coupled", "Distance",
    "ElementKind", "Event", "Float", "Force", "ForceKind", "Frame", "FrameModel", "Joint",
    "JointKind", "Law", "Limits", "Mat", "Matrix3", "Mechanism", "Mimic", "Model", "ModelOutput",
    "Motion", "Named", "Offer", "Offered", "ParameterTable", "Place", "Point", "RateLaw", "Roll",
    "Scalar", "Seen", "Shift", "SortedEquations", "State", "Told", "Touch", "Turn", "Twist", "Vec",
    "Vector3", "Work", "Wrench", "apply", "apply_transposed", "as_frames", "as_mechanism",
    "asked_outputs", "closure_law_names", "coordinate_symbol", "cross", "direction", "directions",
    "dot", "elements", "end_symbols", "force_law_names", "force_laws", "gimbal_locks", "grip_units",
    "gripping", "happenings", "holding", "instant_symbol", "is_null", "law_symbols", "leader_of",
    "map_elements", "mat3", "matmul", "minus", "negative", "numbers", "offers", "output_names",
    "parameter_table", "place_symbols", "plain", "plus", "position_matrices", "problems", "product",
    "quaternions", "refuse", "refuse_events", "refuse_holding", "refuse_pushes", "refuse_words",
    "retract", "rotate", "rotation", "rotation_rpy", "scalar", "signals", "snap", "split_known",
    "state_names", "state_symbol", "stop_modes", "stopping", "time_symbol", "times", "to_data",
    "trace", "transpose", "uses_time", "variable", "vec", "vec3",
]  # fmt: skip
