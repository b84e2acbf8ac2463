"""One HTML file that shows a mechanism in any browser, with no server and no network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinetree.analysis.runs.progress import ProgressCall, sharing
from kinetree.arguments import check_arguments
from kinetree.assembly.assemble import assemble
from kinetree.errors import FormatError, UnsupportedError
from kinetree.files import write_file
from kinetree.plain import html_frame, markup
from kinetree.targets.html.policy import policy, script_element
from kinetree.view.clips import Footage, of_modes, of_run, standing
from kinetree.view.components import drawn_mechanism
from kinetree.view.dimensions import measures
from kinetree.view.film import FORMATS as FILMS
from kinetree.view.film import Scene, write_film
from kinetree.view.live import Live, engine
from kinetree.view.packing import pack
from kinetree.view.payload import Look, payload
from kinetree.view.poses import poses
from kinetree.view.signals import as_run

if TYPE_CHECKING:
    from kinetree.analysis.modes import Modes
    from kinetree.model import Components, Mechanism
    from kinetree.view.widget import PageWidget

    _Place = Path
else:
    _Place = type(Path())  # before Python 3.12 only the class of the platform can be extended

BUNDLE = Path(__file__).parent / "bundle" / "viewer.js"
"""The viewer: web/viewer built into one file."""
HEIGHT = 520
"""Height of a page in a notebook [px]."""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
</head>
<body>
<script type="application/json" id="kinetree-data">{data}</script>
{scripts}
</body>
</html>
"""


class ShownPage(_Place):
    """The path of a page; a notebook shows the page itself."""

    def _repr_html_(self) -> str:
        """The page in a frame."""
        return html_frame(self.read_text(encoding="utf-8"), HEIGHT)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any] | None:
        """The page as a widget beside the frame; none where anywidget is not installed."""
        try:
            found = self.widget()._repr_mimebundle_()
        except UnsupportedError:
            return None
        return found[0] if found else None

    def widget(self) -> PageWidget:
        """The page as a widget of a notebook, whose `t` [s] and `playing` can be set and read."""
        try:
            from kinetree.view.widget import PageWidget
        except ImportError as error:
            raise UnsupportedError(
                "anywidget is not installed",
                element="widget",
                cure="pip install 'kinetree[notebook]', or show the page itself",
            ) from error
        return PageWidget(page=self.read_text(encoding="utf-8"), height=HEIGHT)


def animate(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism | Components,
    run: Any = None,
    path: str | Path = "mechanism.html",
    *,
    modes: Modes | None = None,
    shapes: bool | str | Path = True,
    title: str | None = None,
    live: bool | Live = False,
    progress: bool | ProgressCall | None = None,
) -> Path:
    """Write a page that animates a mechanism in 3-D, with a time slider and curves.

    The file is complete in itself.  Bodies are drawn from `model.shapes`, and from joints and
    points where there are none.

    Args:
        model: the mechanism, or connected components with one in them.
        run: a Dataset as `simulate` gives it, or a mapping with "time" [s] and "q" (frames × nq),
            perhaps "qd"; None shows the assembled initial configuration.
        path: the .html file to write; or .gif, or .mp4 (with imageio-ffmpeg), for a film, which
            needs no browser and has no curves.
        modes: modes of the model in place of a run, swinging about their state.
        shapes: False draws all bodies from joints and points; a folder says where mesh files are.
        title: heading of the page; by default the model's name.
        live: True for a page that simulates by itself, with sliders for coordinates, velocities,
            efforts and parameters; `Live` says how.
        progress: show how far a film is; by default on a terminal when it takes long.  A function
            is told the share done, 0 to 1, and ends it by returning True; nothing is written then.

    Returns:
        The path written; as the last line of a cell of a notebook it shows the page.
    """
    check_arguments(animate, locals())
    _refuse_both({"a run": run is not None, "modes": modes is not None, "live": live is not False})
    if hasattr(model, "as_mechanism"):
        _refuse_components(modes, live)
    model, run = drawn_mechanism(model, run)
    file = Path(path)
    folder = Path() if isinstance(shapes, bool) else Path(shapes)
    look = Look(title or "", shapes is not False, folder)
    if file.suffix.lower() in FILMS and live is False:
        with sharing(progress, "animate") as share:
            return write_film(lambda: Scene(model, footage(model, run, modes), look), file, share)
    if progress:
        raise UnsupportedError(
            "a page is there at once", element="progress",
            cure="leave it out, or write a film: name the file .gif or .mp4",
        )  # fmt: skip
    if file.suffix.lower() not in (".html", ".htm"):
        raise FormatError(
            f"'{file.suffix}' is not a valid format of pages",
            element=f"file '{file}'",
            cure="name it .html, or .gif or .mp4 for a film",
        )
    viewer = bundle()
    if live is False:
        text = page(payload(model, footage(model, run, modes), look), viewer)
    else:
        text = _live_page(model, Live() if live is True else live, look, viewer)
    return ShownPage(write_file(file, text))


def _refuse_both(given: Mapping[str, bool]) -> None:
    """Refuse more than one thing to show."""
    both = [name for name, is_given in given.items() if is_given]
    if len(both) > 1:
        raise UnsupportedError(
            f"{' and '.join(both)} were both given", element="animate", cure="write a page for each"
        )


def _refuse_components(modes: Any, live: Any) -> None:
    """Refuse what components are not drawn with."""
    what = {"modes": modes is not None, "live": live is not False}
    for name, given in what.items():
        if given:
            raise UnsupportedError(
                f"{name}= is for mechanisms, not for connected components",
                element="animate",
                cure="give a run of the components",
            )


def footage(model: Mechanism, run: Any, modes: Modes | None) -> Footage:
    """The frames of a run or of modes, or the assembled initial configuration."""
    if modes is not None:
        first = poses(model, modes.linear.q[None])[0]
        return of_modes(model, modes, measures(model, first).size)
    if run is not None:
        return of_run(as_run(model, run))
    closed = bool(model.closures or model.drives)
    return standing(assemble(model).q if closed else model.initial())


def _live_page(model: Mechanism, how: Live, look: Look, viewer: str) -> str:
    """A page that simulates; a run made beforehand only tells how much room the motion takes."""
    first = poses(model, model.initial()[None])[0]
    made = engine(model, how, measures(model, first).size)
    shown = footage(model, made.preview, None)
    data = payload(model, shown, look)
    data |= {
        "poses": pack(poses(model, shown.q[:1]).reshape(1, -1)),
        "clips": standing(shown.q[0]).clips,
        "signals": [],
        "note": data["note"].partition(f" · {len(shown.q)} frames")[0],
        "live": made.data,
    }
    return page(data, made.script, viewer)


def page(data: dict[str, Any], *scripts: str) -> str:
    """The text of the page: data that is never run, and the scripts, which alone are."""
    inline = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    rows = "\n".join(script_element(script) for script in scripts)
    rules = policy(scripts, "img-src data: blob:")
    return PAGE.format(policy=rules, title=markup(data["title"]), data=inline, scripts=rows)


def bundle() -> str:
    """The text of the viewer, or a sentence about how to build it."""
    if not BUNDLE.is_file():
        raise UnsupportedError(
            "the viewer is not built in this installation",
            element="animate",
            cure="run 'make web' in the repository, or install a released wheel",
        )
    return BUNDLE.read_text(encoding="utf-8")


__all__ = ["BUNDLE", "Live", "animate", "bundle", "footage", "page"]
