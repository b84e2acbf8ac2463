"""What a page may run: its own scripts, known by their digests, and nothing else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256


def script_element(script: str) -> str:
    """HTML that runs a text, which the policy of the page has to name."""
    return f"<script>{_normal(script)}</script>"


def policy(scripts: Sequence[str], *more: str) -> str:
    """The content policy of a page with these scripts, which loads nothing from anywhere.

    Args:
        scripts: the texts that may run.
        more: further rules, such as "img-src data:".
    """
    rules = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    rules.append(f"script-src {' '.join(map(source, scripts))}")
    return "; ".join([*rules, "style-src 'unsafe-inline'", *more])


def source(script: str) -> str:
    """How a policy names a script."""
    return f"'sha256-{b64encode(sha256(_normal(script).encode()).digest()).decode()}'"


def _normal(script: str) -> str:
    """The text as a browser reads it: with ends of lines of one kind."""
    return script.replace("\r\n", "\n").replace("\r", "\n")
