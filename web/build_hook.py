"""Build hook of the wheel: viewer and studio are built along, where node is there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSTALL = ("pnpm@10", "install", "--frozen-lockfile")
BUILD = ("pnpm@10", "run", "build")
MADE = ("view/bundle/viewer.js", "studio/bundle/studio.js")


class WebHook(BuildHookInterface[Any]):
    """Builds what is under web before a wheel is packed; an editable install uses ``make web``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run the build, unless the files are there or cannot be made."""
        del build_data
        root = Path(self.root)
        made = all((root / "src" / "kinetree" / name).is_file() for name in MADE)
        if version == "editable" or made:
            return
        npx = shutil.which("npx")
        if npx is None or not (root / "web").is_dir():
            self.app.display_warning("there is no node: the wheel is packed without its pages")
            return
        for step in (INSTALL, BUILD):
            if subprocess.run([npx, "-y", *step], cwd=root / "web", check=False).returncode:
                self.app.display_warning("the wheel is packed without its pages, see above")
                return


__all__ = ["WebHook"]
