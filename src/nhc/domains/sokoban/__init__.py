"""Sokoban: rules, the sampled world, level files, moves and drawings."""

from nhc.domains.sokoban.legends import LEGENDS as LEGENDS
from nhc.domains.sokoban.legends import XSB as XSB
from nhc.domains.sokoban.legends import Legend as Legend
from nhc.domains.sokoban.levels import Level as Level
from nhc.domains.sokoban.levels import Reading as Reading
from nhc.domains.sokoban.levels import level_id as level_id
from nhc.domains.sokoban.levels import read_levels as read_levels
from nhc.domains.sokoban.levels import scan_levels as scan_levels
from nhc.domains.sokoban.plan_check import Verdict as Verdict
from nhc.domains.sokoban.plan_check import check_plan as check_plan
from nhc.domains.sokoban.rules import Board as Board
from nhc.domains.sokoban.rules import State as State
from nhc.domains.sokoban.rules import replay as replay
from nhc.domains.sokoban.rules import solved as solved
from nhc.domains.sokoban.rules import step as step
from nhc.domains.sokoban.text import read_moves as read_moves
from nhc.domains.sokoban.text import to_text as to_text
from nhc.domains.sokoban.text import write_moves as write_moves
from nhc.domains.sokoban.world import Sokoban as Sokoban
from nhc.errors import Note as Note
