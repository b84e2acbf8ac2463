"""Generated Python modules, run in this process."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from kinetree.errors import UnsupportedError


def need(package: str) -> None:
    """Refuse with a sentence where a package is missing."""
    try:
        import_module(package)
    except ImportError:
        raise UnsupportedError(
            f"the package '{package}' is not installed", cure=f"run 'pip install {package}'"
        ) from None


def load_module(name: str, text: str) -> ModuleType:
    """The module with that text; nothing is written."""
    module = ModuleType(name)
    exec(compile(text, f"<{name}>", "exec"), module.__dict__)
    return module
