"""A run as a film: GIF by Pillow, MP4 where imageio-ffmpeg is there; no browser is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.runs.progress import Share
from kinetree.errors import UnsupportedError
from kinetree.files import replacing
from kinetree.view.clips import thin

if TYPE_CHECKING:
    from kinetree.view.film.scene import FlatShape, Scene

FORMATS = (".gif", ".mp4")
WIDTH, HEIGHT = 640, 480
"""Size of a picture [px]."""
RATE = 25
"""Pictures per second."""
LONGEST = 500
"""Most pictures of a film; a longer run is shown faster."""
FINER = 2
"""Pictures are drawn so many times larger, for smooth edges."""
MARGIN = 0.12
"""Share of the picture that stays free on each side of the first frame."""
POSED = 0.1
"""Share of a film at which the poses of its pictures are there."""
PAPER, INK = "#eef2f7", "#1f2933"


def write_film(make: Callable[[], Scene], path: Path, share: Share) -> Path:
    """Write the frames of a scene as a film.

    Args:
        make: gives what is shown, with its poses.
        path: .gif or .mp4.
        share: is told how many pictures are drawn.

    Returns:
        The path written.
    """
    with share.part(0.0, POSED):
        scene = make()
    with share.part(POSED, 1.0):
        return _write(scene, path, share)


def _write(scene: Scene, path: Path, share: Share) -> Path:
    """Write the pictures of a scene."""
    times = np.array(scene.data["clips"][0]["times"])
    span = float(times[-1] - times[0])
    count = int(np.clip(round(span * RATE) + 1, 1, LONGEST))
    frames = share.parts([int(frame) for frame in thin(times, count)])
    pictures = (_draw(scene, frame) for frame in frames)
    with replacing(path) as part:
        write = _write_gif if path.suffix.lower() == ".gif" else _write_mp4
        write(pictures, part)
    return path


def _write_gif(pictures: Iterator[Any], part: Path) -> None:
    first, *rest = (picture.quantize(64) for picture in pictures)
    first.save(part, "GIF", save_all=True, append_images=rest, duration=1000 // RATE, loop=0)


def _write_mp4(pictures: Iterator[Any], part: Path) -> None:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise UnsupportedError(
            "there is no encoder for MP4",
            element="animate",
            cure="pip install imageio-ffmpeg, or name the file .gif",
        ) from None
    writer = imageio_ffmpeg.write_frames(
        str(part), (WIDTH, HEIGHT), fps=RATE, output_params=["-f", "mp4"]
    )
    writer.send(None)
    for picture in pictures:
        writer.send(picture.tobytes())
    writer.close()


def _draw(scene: Scene, frame: int) -> Any:
    """One picture."""
    from PIL import Image, ImageDraw

    size = FINER * np.array([WIDTH, HEIGHT])
    span = np.maximum(scene.high - scene.low, 1e-9)
    scale = float(((1 - 2 * MARGIN) * size / span).min())
    middle = (scene.low + scene.high) / 2
    picture = Image.new("RGB", tuple(size.tolist()), PAPER)
    pen = ImageDraw.Draw(picture, "RGBA")
    for shape in scene.shapes(frame):
        placed = (shape.points - middle) * (scale, -scale) + size / 2
        _trace(pen, shape, [tuple(row) for row in placed.tolist()])
    return picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def _trace(pen: Any, shape: FlatShape, corners: list[tuple[float, ...]]) -> None:
    """Draw one shape."""
    if len(corners) < 3:
        pen.line(corners, fill=shape.colour, width=3 * FINER)
        return
    fill = f"{shape.colour}{round(255 * shape.opacity):02x}"
    pen.polygon(corners, fill=fill, outline=INK if shape.edges else None)
