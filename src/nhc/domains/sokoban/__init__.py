"""Sokoban: rules, encoding, the sampled world, level files, moves and drawings."""

from nhc.domains.sokoban.board import Board as Board
from nhc.domains.sokoban.boxoban import read_boxoban as read_boxoban
from nhc.domains.sokoban.draw import frames_text as frames_text
from nhc.domains.sokoban.draw import to_svg as to_svg
from nhc.domains.sokoban.draw import to_text as to_text
from nhc.domains.sokoban.encoding import decode as decode
from nhc.domains.sokoban.encoding import encode as encode
from nhc.domains.sokoban.legends import LEGENDS as LEGENDS
from nhc.domains.sokoban.legends import XSB as XSB
from nhc.domains.sokoban.legends import Legend as Legend
from nhc.domains.sokoban.level import Level as Level
from nhc.domains.sokoban.level import Note as Note
from nhc.domains.sokoban.level import level_id as level_id
from nhc.domains.sokoban.moves import read_moves as read_moves
from nhc.domains.sokoban.moves import replay as replay
from nhc.domains.sokoban.moves import write_moves as write_moves
from nhc.domains.sokoban.plan_check import Verdict as Verdict
from nhc.domains.sokoban.plan_check import check_plan as check_plan
from nhc.domains.sokoban.rules import State as State
from nhc.domains.sokoban.rules import solved as solved
from nhc.domains.sokoban.rules import step as step
from nhc.domains.sokoban.world import Sokoban as Sokoban
from nhc.domains.sokoban.xsb import read_levels as read_levels
from nhc.domains.sokoban.xsb import scan_levels as scan_levels
from nhc.domains.sokoban.xsb import write_level as write_level
