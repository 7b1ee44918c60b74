"""Planning tasks in PDDL: the STRIPS subset with types, negative conditions, equality and constants.

Text is read with places (`text.py`, `sections.py`, `conditions.py`, `domain.py`, `problem.py`), grounded by
joins (`joins.py`, `grounding.py`) and packed into bits for search (`packed.py`). `task.py` puts that
together; `plans.py` reads plans and replays them on the text itself.
"""

from nhc.pddl.grounding import Limits as Limits
from nhc.pddl.plans import fault_of_plan as fault_of_plan
from nhc.pddl.plans import read_plan as read_plan
from nhc.pddl.plans import write_plan as write_plan
from nhc.pddl.task import PddlTask as PddlTask
from nhc.pddl.task import Size as Size
from nhc.pddl.task import parse_pddl as parse_pddl
from nhc.pddl.task import read_pddl as read_pddl
