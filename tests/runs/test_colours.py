"""The colours of pictures can be told apart, by whoever sees two kinds of colour too."""

from itertools import combinations

import numpy as np
import pytest

from nhc.runs.figure import COLOURS

# Machado, Oliveira and Fernandes (2009), severity 1, on linear sRGB.
SIGHT = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranope": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "protanope": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
}
XYZ = ((0.41246, 0.35758, 0.18044), (0.21267, 0.71515, 0.07218), (0.01933, 0.11919, 0.95030))
FAR = 15.0
"""In CIELAB; 2.3 is just noticeable for areas side by side, thin lines need more."""


def lab(colour: tuple[float, float, float], sight: str) -> np.ndarray:
    srgb = np.array(colour)
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    xyz = np.array(XYZ) @ np.clip(np.array(SIGHT[sight]) @ linear, 0, 1) / (0.95047, 1.0, 1.08883)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array((116 * y - 16, 500 * (x - y), 200 * (y - z)))


@pytest.mark.parametrize("sight", SIGHT)
def test_every_two_colours_are_far_apart(sight: str) -> None:
    seen = [lab(colour, sight) for colour in (*COLOURS, (1.0, 1.0, 1.0))]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) > FAR


def test_the_measure_finds_what_cannot_be_told_apart() -> None:
    golden, vermilion = (0xB8 / 255, 0x86 / 255, 0x0B / 255), (0xD5 / 255, 0x5E / 255, 0.0)
    apart = {sight: float(np.linalg.norm(lab(golden, sight) - lab(vermilion, sight))) for sight in SIGHT}
    assert apart["usual"] > 30 and apart["deuteranope"] < 5
