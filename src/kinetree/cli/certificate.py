"""The verb certify: prove equations, or check that proof and code belong together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinetree.cli.common import AsJson, ByOption, Formalism, OfOption, Treatment, app, read
from kinetree.cli.runs import not_empty
from kinetree.errors import FormatError
from kinetree.printing import print_json, print_table, say, working

if TYPE_CHECKING:
    from kinetree.certificate.certificate import Certificate
    from kinetree.certificate.verify import Verification
    from kinetree.model import Model


@app.command()
def certify(
    file: Annotated[Path | None, typer.Argument(metavar="MODEL", help="A model file.")] = None,
    of: OfOption = "forward",
    formalism: Formalism = "",
    by: ByOption = None,
    parameters: Treatment = "run-time",
    formulation: Annotated[str, typer.Option(help="Of --of step: hybrid, topological, …")] = "",
    method: Annotated[str, typer.Option(help="Of --of step: trapezoidal, rk4, …")] = "",
    target: Annotated[
        list[str] | None, typer.Option("--target", help="Only this target; may be repeated.")
    ] = None,
    states: Annotated[int, typer.Option(help="Number of random states.")] = 8,
    seed: Annotated[int, typer.Option(help="Of the random states.")] = 0,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for certificate.json and .html.")
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option(help="Check this certificate, folder or FMU against its code and MODEL."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare a quantity by all formalisms, targets and engines at hand with the reference."""
    if verify is not None:
        _verify(verify, file, as_json=as_json)
        return
    from kinetree import certify as certify_model

    model = _read(file)
    options = not_empty(formalism=formalism, formulation=formulation, method=method, by=by)
    with working(show=not as_json) as tell:
        found = certify_model(
            model, of, parameters=parameters, targets=target, states=states, seed=seed,
            progress=tell, **options,
        )  # fmt: skip
        written = [] if out is None else [str(path) for path in found.save(out)]
    _print(found, written, as_json=as_json)
    if not found.agrees:
        _fail(f"model '{model.name}': not all comparisons agree.", as_json=as_json)


def _read(file: Path | None) -> Model:
    """The model to certify."""
    if file is None:
        raise FormatError("nothing says what to certify", element="MODEL", cure="name a model file")
    model: Model = read(file)[0]
    return model


def _print(found: Certificate, written: list[str], *, as_json: bool) -> None:
    """Tell what was compared, what was left out, and what was written."""
    from kinetree.certificate.page import show_deviation

    if as_json:
        import json

        print_json({**json.loads(found.text()), "written": written})
        return
    rows = [
        {"compared": f"{row.kind} {row.name}", "deviation": show_deviation(row),
         "allowed": f"{row.tolerance:.0e}", "in": row.output, "at": row.state}
        for row in found.comparisons
    ]  # fmt: skip
    name = found.programs[0].name
    print_table(f"{name}: deviations from the reference, seed {found.seed}", rows)
    for left in found.left_out:
        say(f"left out: {left.kind} {left.name}: {left.reason}")
    for path in written:
        say(path)


def _verify(path: Path, file: Path | None, *, as_json: bool) -> None:
    """Check a certificate and tell what was found."""
    from kinetree import verify as verify_certificate

    found: Verification = verify_certificate(path, None if file is None else read(file)[0])
    rows = [{"what": row.what, "holds": row.holds, "found": row.text} for row in found.findings]
    if as_json:
        print_json({"holds": found.holds, "agrees": found.certificate.agrees, "findings": rows})
    else:
        print_table(f"{path.name}: certificate and what belongs to it", rows)
        if file is None:
            say("the model was not checked: name its file before --verify")
    if not found.holds:
        wrong = [row.what for row in found.findings if row.holds is False]
        text = f"{', '.join(wrong)} changed" if wrong else "not all of its comparisons agree"
        _fail(f"certificate '{path}': {text}; certify again.", as_json=as_json)


def _fail(sentence: str, *, as_json: bool) -> None:
    """End with a sentence, which the document on standard output says already."""
    if not as_json:
        say(f"error: {sentence}", error=True)
    raise typer.Exit(1)
