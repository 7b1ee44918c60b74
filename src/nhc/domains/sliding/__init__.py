"""The sliding puzzle: rules, local view, the family of all boards."""

from nhc.domains.sliding.rules import Tiles as Tiles
from nhc.domains.sliding.rules import step as step
from nhc.domains.sliding.world import Sliding as Sliding
