"""Worlds of a few thousand states, from plain functions on texts: the short way to a world of one's own."""

from nhc.domains.small.make import small_world as small_world
from nhc.domains.small.world import Cells as Cells
from nhc.domains.small.world import SmallWorld as SmallWorld
