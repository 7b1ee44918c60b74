"""The sequence algorithms that ship."""

from nhc.algorithms.sequence.add import Add
from nhc.algorithms.sequence.brackets import Brackets
from nhc.algorithms.sequence.copy import Copy
from nhc.algorithms.sequence.counts import Counts
from nhc.algorithms.sequence.duplicate import Duplicate
from nhc.algorithms.sequence.every_second import EverySecond
from nhc.algorithms.sequence.hanoi import Hanoi
from nhc.algorithms.sequence.intersect import Intersect
from nhc.algorithms.sequence.odds_first import OddsFirst
from nhc.algorithms.sequence.postfix import Postfix
from nhc.algorithms.sequence.preorder import Preorder
from nhc.algorithms.sequence.recall import Recall
from nhc.algorithms.sequence.repeat import Repeat
from nhc.algorithms.sequence.reverse import Reverse
from nhc.algorithms.sequence.sort import Sort

SEQUENCES = (
    Copy(),
    Reverse(),
    Duplicate(),
    Repeat(),
    EverySecond(),
    OddsFirst(),
    Brackets(),
    Postfix(),
    Preorder(),
    Add(),
    Hanoi(),
    Intersect(),
    Recall(),
    Sort(),
    Counts(),
)
