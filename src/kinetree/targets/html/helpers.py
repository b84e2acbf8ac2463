"""HTML: style and script of the page, and the parts that every page has."""

from __future__ import annotations

from importlib.resources import files

STYLE = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
"""Light or dark as the reader's system is, until told otherwise."""
SCRIPT = files(__package__).joinpath("page.js").read_text(encoding="utf-8")
"""Filter by body, coordinate and search; names lead to definitions and uses."""
TOOLS = """\
<input id="search" type="search" placeholder="Search" aria-label="Search">
<p><button id="theme">light / dark</button><button id="text">mathematics / text</button></p>
"""
STATE = '<div id="state" hidden><span id="told"></span> <button id="clear">show all</button></div>'
USES = (
    '<div id="uses" hidden><button id="close" aria-label="Close">×</button>'
    '<b id="name"></b> is used in<p id="users"></p></div>'
)
