"""Build hook of the wheel: the viewer of pages is built along, where node is there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSTALL = ("pnpm@10", "install", "--frozen-lockfile")
BUILD = ("pnpm@10", "run", "build")


class ViewerHook(BuildHookInterface[Any]):
    """Builds web/viewer before a wheel is packed; an editable install uses ``make web``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run the build, unless the file is there or cannot be made."""
        del build_data
        root = Path(self.root)
        viewer = root / "web" / "viewer"
        bundle = root / "src" / "kinetree" / "view" / "bundle" / "viewer.js"
        if version == "editable" or bundle.is_file():
            return
        npx = shutil.which("npx")
        if npx is None or not viewer.is_dir():
            self.app.display_warning("there is no node: the wheel is packed without the viewer")
            return
        for step in (INSTALL, BUILD):
            if subprocess.run([npx, "-y", *step], cwd=viewer, check=False).returncode:
                self.app.display_warning("the wheel is packed without the viewer, see above")
                return


__all__ = ["ViewerHook"]
