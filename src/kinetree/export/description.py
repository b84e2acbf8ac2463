"""modelDescription.xml of FMI 2.0 and 3.0, and the build description of FMI 3.0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.plain import markup
from kinetree.units import exponents

if TYPE_CHECKING:
    from kinetree.export.variables import Variable

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
TOOL = "kinetree"
AttributeValue = str | float | int | bool | None


@dataclass(frozen=True)
class Description:
    """What stands in a modelDescription.xml besides the variables.

    Attributes:
        name: of the model, for people.
        identifier: of the model, in C.
        token: GUID or instantiation token.
        version: of FMI: "2.0" or "3.0".
        tool: kinetree and its version.
        text: what the model is.
        sources: names of the C files to compile.
        stop: usual end of a run [s].
        step: usual step of a run [s].
        asked: whether the FMU wants to be asked after every step.
        derivatives: whether it gives directional and adjoint derivatives.
    """

    name: str
    identifier: str
    token: str
    version: str
    tool: str
    text: str
    sources: tuple[str, ...]
    stop: float
    step: float
    asked: bool
    derivatives: bool


def element(name: str, values: Mapping[str, AttributeValue], inner: Iterable[str] = ()) -> str:
    """An element on a line of its own, its content indented; attributes without value are left."""
    pairs = [f'{key}="{markup(_spelt(x))}"' for key, x in values.items() if x not in (None, "")]
    head = " ".join([name, *pairs])
    lines = [f"  {line}" for text in inner for line in text.split("\n")]
    return "\n".join([f"<{head}>", *lines, f"</{name}>"]) if lines else f"<{head}/>"


def _spelt(value: AttributeValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def model_description(about: Description, rows: Sequence[Variable]) -> str:
    """The text of modelDescription.xml."""
    if about.version == "2.0":
        return _version_2(about, [row for row in rows if not row.clock])
    return _version_3(about, rows)


def build_description(about: Description) -> str:
    """The text of sources/buildDescription.xml of FMI 3.0."""
    files = [element("SourceFile", {"name": name}) for name in about.sources]
    library = element("Library", {"name": "m", "external": True})
    inner = [element("SourceFileSet", {"language": "C99"}, files), library]
    build = element("BuildConfiguration", {"modelIdentifier": about.identifier}, inner)
    return f"{HEAD}\n{element('fmiBuildDescription', {'fmiVersion': '3.0'}, [build])}\n"


# --- FMI 3.0 -------------------------------------------------------------------------------------


def _version_3(about: Description, rows: Sequence[Variable]) -> str:
    can: dict[str, AttributeValue] = {
        "modelIdentifier": about.identifier,
        "canGetAndSetFMUState": True,
        "canSerializeFMUState": True,
        "providesDirectionalDerivatives": about.derivatives,
        "providesAdjointDerivatives": about.derivatives,
    }
    exchange = {**can, "needsCompletedIntegratorStep": about.asked}
    stepping = {
        **can,
        "canHandleVariableCommunicationStepSize": True,
        "fixedInternalStepSize": about.step,
    }
    if any(v.clock for v in rows):
        stepping |= {"hasEventMode": True, "mightReturnEarlyFromDoStep": True}
    structure = [
        *(_unknown_3("Output", v) for v in rows if v.causality == "output"),
        *(_unknown_3("ContinuousStateDerivative", v) for v in rows if v.derivative is not None),
        *(_unknown_3("InitialUnknown", v) for v in rows if v.unknown_at_start),
        *(_unknown_3("EventIndicator", v) for v in rows if v.indicator),
    ]
    inner = [
        element("ModelExchange", exchange),
        element("CoSimulation", stepping),
        *_units(rows),
        _categories(),
        _experiment(about),
        element("ModelVariables", {}, [_variable_3(v) for v in rows]),
        element("ModelStructure", {}, structure),
    ]
    head: dict[str, AttributeValue] = {
        "fmiVersion": "3.0",
        "modelName": about.name,
        "instantiationToken": about.token,
        "description": about.text,
        "generationTool": about.tool,
        "variableNamingConvention": "flat",
    }
    return f"{HEAD}\n{element('fmiModelDescription', head, inner)}\n"


def _unknown_3(kind: str, row: Variable) -> str:
    return element(kind, {"valueReference": row.reference})


def _variable_3(row: Variable) -> str:
    return _clock_3(row) if row.clock else _float_3(row)


def _clock_3(row: Variable) -> str:
    values: dict[str, AttributeValue] = {
        "name": row.name,
        "valueReference": row.reference,
        "causality": row.causality,
        "variability": row.variability,
        "intervalVariability": "triggered",
        "description": row.description,
    }
    return element("Clock", values)


def _float_3(row: Variable) -> str:
    values: dict[str, AttributeValue] = {
        "name": row.name,
        "valueReference": row.reference,
        "causality": row.causality,
        "variability": row.variability,
        "initial": row.initial,
        "unit": row.unit,
        "derivative": row.derivative,
        "start": row.start,
        "clocks": " ".join(str(reference) for reference in row.clocks),
        "description": row.description,
    }
    return element("Float64", values)


# --- FMI 2.0 -------------------------------------------------------------------------------------


def _version_2(about: Description, rows: Sequence[Variable]) -> str:
    can: dict[str, AttributeValue] = {
        "modelIdentifier": about.identifier,
        "canNotUseMemoryManagementFunctions": True,
        "canGetAndSetFMUstate": True,
        "canSerializeFMUstate": True,
        "providesDirectionalDerivative": about.derivatives,
    }
    exchange = {**can, "completedIntegratorStepNotNeeded": not about.asked}
    stepping = {**can, "canHandleVariableCommunicationStepSize": True}
    files = element("SourceFiles", {}, [element("File", {"name": n}) for n in about.sources])
    structure = [
        _unknowns_2("Outputs", rows, [v for v in rows if v.causality == "output"]),
        _unknowns_2("Derivatives", rows, [v for v in rows if v.derivative is not None]),
        _unknowns_2("InitialUnknowns", rows, [v for v in rows if v.unknown_at_start]),
    ]
    inner = [
        element("ModelExchange", exchange, [files]),
        element("CoSimulation", stepping, [files]),
        *_units(rows),
        _categories(),
        _experiment(about),
        element("ModelVariables", {}, [_variable_2(v) for v in rows]),
        element("ModelStructure", {}, [text for text in structure if text]),
    ]
    head: dict[str, AttributeValue] = {
        "fmiVersion": "2.0",
        "modelName": about.name,
        "guid": about.token,
        "description": about.text,
        "generationTool": about.tool,
        "variableNamingConvention": "flat",
        "numberOfEventIndicators": sum(v.indicator for v in rows),
    }
    return f"{HEAD}\n{element('fmiModelDescription', head, inner)}\n"


def _unknowns_2(kind: str, rows: Sequence[Variable], some: Sequence[Variable]) -> str:
    """FMI 2.0 counts variables from 1."""
    place = {row.reference: k for k, row in enumerate(rows, 1)}
    inner = [element("Unknown", {"index": place[row.reference]}) for row in some]
    return element(kind, {}, inner) if inner else ""


def _variable_2(row: Variable) -> str:
    values: dict[str, AttributeValue] = {
        "name": row.name,
        "valueReference": row.reference,
        "description": row.description,
        "causality": row.causality,
        "variability": row.variability,
        "initial": row.initial,
    }
    real: dict[str, AttributeValue] = {
        "unit": row.unit,
        "start": row.start,
        "derivative": None if row.derivative is None else row.derivative + 1,
    }
    return element("ScalarVariable", values, [element("Real", real)])


# --- both ----------------------------------------------------------------------------------------


def _units(rows: Sequence[Variable]) -> list[str]:
    """Definitions of the units in use, in order of first use; with base units where known."""
    units = []
    for name in dict.fromkeys(row.unit for row in rows if row.unit):
        powers = exponents(name)
        base = [] if powers is None else [element("BaseUnit", dict(powers))]
        units.append(element("Unit", {"name": name}, base))
    return [element("UnitDefinitions", {}, units)] if units else []


def _categories() -> str:
    told = {"logStatusError": "what went wrong", "logStatusWarning": "what may be too rough"}
    inner = [element("Category", {"name": k, "description": text}) for k, text in told.items()]
    return element("LogCategories", {}, inner)


def _experiment(about: Description) -> str:
    values: dict[str, AttributeValue] = {
        "startTime": 0.0,
        "stopTime": about.stop,
        "tolerance": 1e-6,
        "stepSize": about.step,
    }
    return element("DefaultExperiment", values)
