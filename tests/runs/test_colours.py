"""The colours of pictures can be told apart, by whoever sees two kinds of colour too."""

import re
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import nhc
from nhc.runs import palette
from nhc.runs.figure import COLOURS, lighten

# Machado, Oliveira and Fernandes (2009), severity 1, on linear sRGB.
SIGHT = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranope": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "protanope": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "tritanope": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
XYZ = ((0.41246, 0.35758, 0.18044), (0.21267, 0.71515, 0.07218), (0.01933, 0.11919, 0.95030))
FAR = 20.0
"""In CIELAB; 2.3 is just noticeable for areas side by side, thin lines need more."""
CLEAR = 12.0
"""Of light areas side by side."""
WHITE = (1.0, 1.0, 1.0)


def lab(colour: tuple[float, float, float], sight: str) -> np.ndarray:
    srgb = np.array(colour)
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    xyz = np.array(XYZ) @ np.clip(np.array(SIGHT[sight]) @ linear, 0, 1) / (0.95047, 1.0, 1.08883)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array((116 * y - 16, 500 * (x - y), 200 * (y - z)))


def apart(colours: list[tuple[float, float, float]], sight: str) -> float:
    """The least difference of two of them."""
    seen = [lab(colour, sight) for colour in colours]
    return min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2))


@pytest.mark.parametrize("sight", SIGHT)
def test_every_two_colours_are_far_apart(sight: str) -> None:
    assert apart([*COLOURS, WHITE], sight) > FAR
    assert apart([*map(to_rgb, (palette.WALL, palette.FLOOR, palette.AGENT, palette.BOX))], sight) > FAR


@pytest.mark.parametrize("sight", SIGHT)
def test_light_forms_differ_from_the_strong_and_from_their_neighbours(sight: str) -> None:
    light = list(map(lighten, COLOURS))
    for pair in zip(COLOURS, light, strict=True):
        assert apart([*pair], sight) > FAR
    for neighbours in pairwise([*light, light[0]]):
        assert apart([*neighbours], sight) > CLEAR


def test_the_measure_finds_what_cannot_be_told_apart() -> None:
    for first, second, blind in (("#b8860b", "#d55e00", "deuteranope"), ("#117733", "#0072b2", "tritanope")):
        pair = [to_rgb(first), to_rgb(second)]
        assert apart(pair, "usual") > 30 and apart(pair, blind) < 15


def test_pictures_have_no_other_colours() -> None:
    source = Path(nhc.__file__).parent
    files = [path for path in source.rglob("*.py") if path.name != "palette.py"]
    found = [path.name for path in files if re.search(r"[\"']#[0-9a-fA-F]{3,6}[\"']", path.read_text())]
    assert len(files) > 100 and not found
