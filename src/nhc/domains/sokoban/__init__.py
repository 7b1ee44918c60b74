"""Sokoban: rules, encoding, the sampled world, level files, moves and drawings."""

from nhc.domains.sokoban.board import Board as Board
from nhc.domains.sokoban.encoding import decode as decode
from nhc.domains.sokoban.encoding import encode as encode
from nhc.domains.sokoban.rules import State as State
from nhc.domains.sokoban.rules import solved as solved
from nhc.domains.sokoban.rules import step as step
from nhc.domains.sokoban.world import Sokoban as Sokoban
