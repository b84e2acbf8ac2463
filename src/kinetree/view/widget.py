"""A page in a cell of a notebook whose time Python sets and reads, by anywidget."""

from __future__ import annotations

from pathlib import Path

import anywidget
from traitlets import Bool, Float, Int, Unicode

SCRIPT = Path(__file__).with_suffix(".js")
"""What the notebook runs: it frames the page and passes its time on."""


class PageWidget(anywidget.AnyWidget):
    """A page of `animate` as a widget.

    Attributes:
        page: the text of the page.
        height: of the frame [px].
        t: time shown [s]; of a page that simulates it is only read.
        playing: whether it goes on.
    """

    _esm = SCRIPT.read_text(encoding="utf-8")
    page = Unicode().tag(sync=True)
    height = Int(520).tag(sync=True)
    t = Float(0.0).tag(sync=True)
    playing = Bool(True).tag(sync=True)
