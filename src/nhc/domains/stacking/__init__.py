"""Stacking boxes with a gripper: rules, local view, the family of all arrangements."""

from nhc.domains.stacking.rules import Stacks as Stacks
from nhc.domains.stacking.rules import step as step
from nhc.domains.stacking.world import Stacking as Stacking
