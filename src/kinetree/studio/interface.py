"""The interface of the studio as one table, and OpenAPI made from it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from kinetree.studio import messages as m

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import BaseModel

REFERENCE = "#/components/schemas/{model}"
PARAMETER = re.compile(r"\{(\w+)(:int)?\}")


@dataclass(frozen=True)
class Endpoint:
    """One request that is answered.

    Attributes:
        name: of the function that answers it.
        method: "GET", "POST" or "DELETE".
        path: with {number:int} for the number of a run.
        text: what it does.
        gives: the answer, or the media type of one that is not JSON.
        takes: the body, of a POST.
        query: name of a parameter of the address -> what it says.
        status: of the answer.
    """

    name: str
    method: str
    path: str
    text: str
    gives: type[BaseModel] | str
    takes: type[BaseModel] | None = None
    query: dict[str, str] = field(default_factory=dict)
    status: int = 200


RUN = "/api/runs/{number:int}"
DERIVED = {"of": "quantity, such as forward", "formalism": "such as order_n; none: the usual"}
CURVES = {"name": "of a curve; may be given several times", "from": "time to begin with [s]",
          "to": "time to end with [s]", "pixels": "parts of the picture"}  # fmt: skip
ENDPOINTS = (
    Endpoint("document", "GET", "/api/document", "The text and its state.", m.DocumentText),
    Endpoint("edit", "POST", "/api/document/edit", "Change the text; 409 where it has changed "
        "since `base`.", m.DocumentChange, m.EditMessage),
    Endpoint("undo", "POST", "/api/document/undo", "Take the last edit back.", m.DocumentChange,
        m.EmptyMessage),
    Endpoint("redo", "POST", "/api/document/redo", "Make the edit again that was taken back.",
        m.DocumentChange, m.EmptyMessage),
    Endpoint("save", "POST", "/api/document/save", "Write the file; 409 where it has changed on "
        "the disk.", m.DocumentChange, m.EmptyMessage),
    Endpoint("history", "GET", "/api/document/history", "Labels of all edits.", m.HistoryMessage),
    Endpoint("diff", "GET", "/api/document/diff", "How the text differs from another one.",
        m.DifferenceMessage, query={"against": "saved, disk, or the number of a run"}),
    Endpoint("three_way", "GET", "/api/document/disk", "The text, the file as it was read, and as "
        "it is on the disk.", m.ThreeWayMessage),
    Endpoint("resolve", "POST", "/api/document/resolve", "Go on with a file that was changed on "
        "the disk.", m.DocumentChange, m.ResolveMessage),
    Endpoint("dependents", "GET", "/api/document/dependents", "What is removed together with an "
        "element.", m.DependentsMessage, query={"element": "path such as bodies.rod"}),
    Endpoint("files", "GET", "/api/files", "The folder.", m.FilesMessage),
    Endpoint("open", "POST", "/api/files/open", "Open a file of the folder.", m.DocumentText,
        m.OpenMessage),
    Endpoint("new", "POST", "/api/files/new", "Make a file and open it: empty, from an example, "
        "or imported.", m.DocumentText, m.NewMessage),
    Endpoint("elements", "GET", "/api/elements", "The document as data.", m.ElementsMessage),
    Endpoint("schema", "GET", "/api/schema", "JSON schema of model files.", "application/json"),
    Endpoint("catalogue", "GET", "/api/catalogue", "Kinds of elements with their fields.",
        m.CatalogueMessage),
    Endpoint("values", "GET", "/api/values", "Present values of expressions.", m.ValuesMessage),
    Endpoint("check", "GET", "/api/check", "What is wrong with the text, how its loops stand, and "
        "where its bodies are.", m.CheckMessage, query={"quick": "without loops and poses"}),
    Endpoint("view", "GET", "/api/view", "All of this and what is drawn, or what of it differs.",
        m.ViewMessage, query={"since": "revision whose view is known already",
                              "early": "where loops are to be derived, do not wait for them"}),
    Endpoint("diagram", "GET", "/api/diagram", "The drawing; 409 where the text is not a model.",
        "image/svg+xml", query={"plain": "leave the style out"}),
    Endpoint("drawing", "GET", "/api/drawing", "The drawing as data.", m.DiagramMessage),
    Endpoint("scene", "GET", "/api/scene", "The mechanism in 3-D, or what of it has changed.",
        m.SceneMessage, query={"since": "revision whose scene is known already"}),
    Endpoint("scene_page", "GET", "/api/scene/page", "A page that shows the mechanism in 3-D.",
        "text/html"),
    Endpoint("pose", "POST", "/api/pose", "A pose with closed loops: given, or of a body that is "
        "pulled.", m.ClosedPose, m.PoseMessage),
    Endpoint("analyses", "GET", "/api/analyses", "The table of analyses.", m.AnalysisList),
    Endpoint("runs", "GET", "/api/runs", "All runs.", m.RunList),
    Endpoint("start", "POST", "/api/runs", "Start an analysis of the present text.", m.RunState,
        m.RunMessage, status=202),
    Endpoint("run", "GET", RUN, "What has become of a run.", m.RunState),
    Endpoint("cancel", "DELETE", RUN, "Ask a run to end; what was computed stays.", m.RunState),
    Endpoint("import", "POST", "/api/runs/import", "Show measured curves as a run.", m.RunState,
        m.ImportMessage, status=202),
    Endpoint("title", "POST", RUN + "/title", "Give a run a name.", m.RunState, m.TitleMessage),
    Endpoint("remove", "POST", RUN + "/remove", "Forget a run and what it computed.", m.RunList,
        m.EmptyMessage),
    Endpoint("manifest", "GET", RUN + "/manifest", "What a run was made from.",
        m.ManifestMessage),
    Endpoint("result", "GET", RUN + "/result", "What an analysis says.", m.ResultMessage),
    Endpoint("signals", "GET", RUN + "/signals", "Names of curves, or curves, with the least and "
        "the largest value per pixel.", m.CurvesMessage, query={**CURVES, "whole": "1: whole rows, "
        "evenly spread, so that one curve can be drawn over another"}),
    Endpoint("numbers", "GET", RUN + "/signals.bin", "The same as numbers: rows (unsigned, 64 "
        "bits), times, then curve after curve (double precision), little-endian.",
        "application/octet-stream", query=CURVES),
    Endpoint("motion", "GET", RUN + "/motion", "Poses of a run, or of modes.", m.MotionMessage),
    Endpoint("efforts", "GET", RUN + "/efforts", "Forces of a run of reactions, in the ground "
        "frame and where they act.", m.EffortsMessage),
    Endpoint("compare", "POST", "/api/compare", "How a run differs from another.",
        m.ComparisonMessage, m.CompareMessage),
    Endpoint("difference", "GET", RUN + "/minus/{other:int}", "Curves of a run taken from those "
        "of another.", m.CurvesMessage, query=CURVES),
    Endpoint("table", "GET", RUN + "/table.csv", "All curves of a run.", "text/csv"),
    Endpoint("netcdf", "GET", RUN + "/run.nc", "A run with its manifest.",
        "application/x-netcdf"),
    Endpoint("picture", "GET", RUN + "/curves.{kind}", "Curves on paper, as svg or png.",
        "image/svg+xml", query={"name": "of a curve; several times", "x": "curve along the axis"}),
    Endpoint("page", "GET", RUN + "/page", "A page on which a run or modes move, which needs no "
        "server.", "text/html"),
    Endpoint("film", "GET", RUN + "/film", "The film that was made of a run.", "image/gif"),
    Endpoint("unpack", "POST", RUN + "/folder", "Write generated code into a folder beside the "
        "model, one that is new or empty.", m.WrittenMessage, m.FolderMessage),
    Endpoint("archive", "GET", RUN + "/archive.zip", "Files of generated code.",
        "application/zip"),
    Endpoint("quantities", "GET", "/api/quantities", "What can be derived, and how.",
        m.QuantitiesMessage),
    Endpoint("equations", "GET", "/api/equations", "Equations of an element, in pages.",
        m.EquationsMessage, query={"element": "path such as joints.elbow; none: all", **DERIVED,
        "page": "number, from 0"}),
    Endpoint("cancel_equations", "DELETE", "/api/equations", "End a derivation.", m.EmptyMessage),
    Endpoint("symbol", "GET", "/api/symbols", "Definition, uses and elements of a name.",
        m.SymbolMessage, query={"name": "of the equations", **DERIVED}),
    Endpoint("shares", "GET", "/api/shares", "Equations and operations of every element.",
        m.SharesMessage, query=DERIVED),
    Endpoint("targets", "GET", "/api/targets", "What code can be written in, and why one of them "
        "cannot express the text.", m.TargetsMessage, query={"target": "to try", **DERIVED}),
    Endpoint("live", "GET", "/api/live", "Data of a simulation in the browser.", m.LiveData),
    Endpoint("live_script", "GET", "/api/live.js", "Its script, which defines kinetreeLive.",
        "text/javascript"),
    Endpoint("share", "GET", "/api/share", "A page that simulates and needs no server.",
        "text/html"),
    Endpoint("openapi", "GET", "/api/openapi.json", "This description.", "application/json"),
)  # fmt: skip
"""All requests, in the order of the documentation."""
SOCKET = "/api/events"
"""Where the socket is that only tells."""


def openapi() -> dict[str, Any]:
    """The interface in OpenAPI 3.1; messages of the socket are among the components."""
    given = [row.gives for row in ENDPOINTS if not isinstance(row.gives, str)]
    taken = [row.takes for row in ENDPOINTS if row.takes is not None]
    models: list[type[BaseModel]] = [*given, *taken, m.ErrorMessage, *m.EVENTS]
    _, schema = models_json_schema(
        [
            (model, "serialization" if model in given else "validation")
            for model in dict.fromkeys(models)
        ],
        ref_template=REFERENCE,
    )
    paths: dict[str, dict[str, Any]] = {}
    for row in ENDPOINTS:
        paths.setdefault(PARAMETER.sub(r"{\1}", row.path), {})[row.method.lower()] = _operation(row)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kinetree studio",
            "version": "1",
            "description": f"Requests need the secret as a cookie or as a bearer; the socket "
            f"{SOCKET} tells {', '.join(event.__name__ for event in m.EVENTS)} and takes nothing.",
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schema["$defs"].items())),
            "securitySchemes": {"secret": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"secret": []}],
    }


def openapi_text() -> str:
    """The same as a file."""
    return json.dumps(openapi(), indent=1, ensure_ascii=False) + "\n"


def _operation(row: Endpoint) -> dict[str, Any]:
    """One request in OpenAPI."""
    made: dict[str, Any] = {"operationId": row.name, "summary": row.text}
    parameters = [*_parameters(row)]
    if parameters:
        made["parameters"] = parameters
    if row.takes is not None:
        made["requestBody"] = {"required": True, "content": _content(row.takes)}
    made["responses"] = {
        str(row.status): {"description": row.text, "content": _content(row.gives)},
        "default": {"description": "What is wrong.", "content": _content(m.ErrorMessage)},
    }
    return made


def _parameters(row: Endpoint) -> Iterable[dict[str, Any]]:
    for name, whole in PARAMETER.findall(row.path):
        schema = {"type": "integer"} if whole else {"type": "string", "enum": ["svg", "png"]}
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    for name, text in row.query.items():
        yield {"name": name, "in": "query", "description": text, "schema": {"type": "string"}}


def _content(gives: type[BaseModel] | str) -> dict[str, Any]:
    if isinstance(gives, str):
        return {gives: {"schema": {} if gives.endswith("json") else {"type": "string"}}}
    return {"application/json": {"schema": {"$ref": REFERENCE.format(model=gives.__name__)}}}
