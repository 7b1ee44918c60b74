"""The interpreted text against the prover's memory, the network, and a slow run of the table."""

import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.tree.environment import Status
from nhc.certify.decisions import Decisions, Margins
from nhc.certify.enclosure import Network
from nhc.certify.follow import Follower
from nhc.computer.trace import trace
from nhc.computer.world import ConfigurationGoal, Problem
from nhc.domains.free_tree import FreeTree, TreeState
from nhc.domains.registry import any_domain
from nhc.errors import InputError
from nhc.planning.states import computer_for
from nhc.program.interpreter import Machine, require_algorithm
from nhc.program.listing import listing
from nhc.program.minimize import minimized
from nhc.program.table import Phase
from nhc.program.text import listing_text, program_text
from tests.program.learned import FINISHED, GOALS, NAMES, NEAR, changed, model, proved, run_table
from tests.program.reader import end_ticks, parse_text, run_text

TICKS = max(NEAR) + 10


def texts(name: str) -> list[str]:
    """The program as it is printed, whole and minimised."""
    return [program_text(proved(name)), listing_text(minimized(proved(name)))]


@pytest.mark.parametrize("name", NAMES)
def test_the_text_reads_and_chooses_as_the_prover(name: str) -> None:
    """On the one search run of all goals, and on the way back from each."""
    task = proved(name).task
    prover = Follower(Decisions(Network(model(name)), Margins(strict=False)))
    machines = [Machine(parse_text(text)) for text in texts(name)]
    for goal in range(1, max(GOALS) + 1):
        searched = prover.tick(Phase.SEARCH)
        assert [machine.tick(Phase.SEARCH) for machine in machines] == [searched] * 2
        if goal in GOALS:
            end, ends = prover.copy(), [machine.copy() for machine in machines]
            for _ in range(end_ticks(task, goal)):
                expected = end.tick(Phase.BACK)
                assert [machine.tick(Phase.BACK) for machine in ends] == [expected] * 2


@pytest.mark.parametrize("name", NAMES)
def test_a_run_to_a_goal_is_the_table_s(name: str) -> None:
    for text in texts(name):
        for goal in (1, 2, 5, 37, 120, 341):
            assert run_text(text, goal) == [tick[:2] for tick in run_table(proved(name), goal)]


@pytest.mark.parametrize("name", NAMES)
def test_the_text_reads_and_chooses_as_the_network(name: str) -> None:
    tree = FreeTree()
    computer = computer_for(model(name), any_domain(tree))
    for goal in (3, 47, NEAR[1]):
        words = [jnp.asarray(tree.encode(TreeState(node))) for node in (0, goal)]
        found = trace(computer, Problem(words[0], ConfigurationGoal(words[1])), max_ticks=TICKS)
        assert found.status == Status.FINISHED
        network = list(zip(found.read.tolist(), found.op.tolist(), strict=True))
        for text in texts(name):
            assert run_text(text, goal) == network


@pytest.mark.parametrize(
    ("goal", "last"), [(1, [1, 0]), (4, [4, 0]), (85, [85, 21, 5, 1, 0]), (21, [21, 5, 1, 0])]
)
def test_the_way_back_leads_to_the_start(goal: int, last: list[int]) -> None:
    ticks = run_text(texts("plan")[1], goal)
    assert ticks[goal:] == [(node, 4) for node in last]
    assert ticks[:goal] == [divmod(tick, 4) for tick in range(goal)]


def test_every_way_to_read_on_a_small_memory() -> None:
    """A made-up program whose reads are followed by hand."""
    text = """
        program plan
        start                add A  read first A              do up
        search
          on A after up      mark B  add C  read next          do right
          on C after right   mark D  add E  read previous      do down
          on B after down    mark F  add G  read child         do left
          on G after left    mark H  add A  read parent        do up if F, nop if D
        back
          on F after up      mark K  add L  read parent, else first X, else first H or G  do up if H
    """
    machine = Machine(parse_text(text))
    found = [machine.tick(phase) for phase in [Phase.SEARCH] * 5 + [Phase.BACK]]
    assert found == [(0, 0), (1, 1), (0, 2), (3, 3), (0, 0), (3, 0)]
    assert machine.memory.words == ["K", "D", "E", "H", "A", "L"]
    assert machine.memory.parents == [-1, 0, 1, 0, 3, 0]


@pytest.mark.parametrize(
    ("text", "ticks", "why"),
    [
        ("program plan start add A read first B do up", 1, "tick 1: nothing to read"),
        ("program plan start add A read next, else parent, else child do up", 1, "tick 1: nothing to read"),
        ("program plan start add A read first A do up", 2, "tick 2: no rule on A after up in search"),
        ("program plan start add A read first A do up if B", 1, "tick 1: no operation for A"),
        (
            "program plan start add A read first A do up "
            "search on A after up mark A add A read previous, else parent do up",
            2,
            "tick 2: nothing to read",
        ),
    ],
)
def test_a_run_that_cannot_go_on_says_why(text: str, ticks: int, why: str) -> None:
    machine = Machine(parse_text(text))
    with pytest.raises(InputError) as caught:
        for _ in range(ticks):
            machine.tick(Phase.SEARCH)
    assert (caught.value.code, caught.value.message, machine.ticks) == ("program.stuck", why, ticks)


def test_the_lowest_cell_with_any_of_the_words_is_found() -> None:
    text = """
        program plan
        start add A read first A do up
        search on A after up mark B add C read first C or B do right
               on B after right mark D add B read first B, else first C or D do down
    """
    machine = Machine(parse_text(text))
    assert [machine.tick(Phase.SEARCH)[0] for _ in range(3)] == [0, 0, 2]


def test_a_copy_goes_on_alone() -> None:
    machine = Machine(listing(proved("hand")))
    for _ in range(7):
        machine.tick(Phase.SEARCH)
    other = machine.copy()
    assert [other.tick(Phase.BACK) for _ in range(3)] == [(7, 4), (1, 4), (0, 4)]
    assert [machine.tick(Phase.SEARCH) for _ in range(2)] == [(1, 3), (2, 0)]
    assert Machine(machine.rules) == Machine(listing(proved("hand")))


@pytest.mark.parametrize("name", NAMES)
def test_proved_programs_do_their_task(name: str) -> None:
    require_algorithm(listing(proved(name)), 30)


def test_other_programs_do_not() -> None:
    hand = proved("hand")
    for state, row in hand.rows.items():
        if state.op < 0:
            continue
        wrong_op = row._replace(ops=dict.fromkeys(row.ops, (max(row.ops.values()) + 1) % 5))
        no_cell = row._replace(mechanisms=(0,), preference=(FINISHED - 1,))
        for wrong in (wrong_op, no_cell):
            with pytest.raises(InputError) as caught:
                require_algorithm(listing(changed(hand, state, wrong)), 30)
            assert caught.value.code == "program.run"
            assert caught.value.message.startswith("goal ")


def test_the_message_says_which_read_was_expected() -> None:
    hand = proved("hand")
    state = next(s for s in hand.rows if s.phase is Phase.SEARCH and s.op == 3)
    row = hand.rows[state]
    # The fourth child of the root is found instead of the second node.
    lost = changed(hand, state, row._replace(mechanisms=(3, 0, 1, 2, 4)))
    with pytest.raises(InputError) as caught:
        require_algorithm(listing(lost), 30)
    said = "goal 5, tick 5: expected a read of cell 1 and up, found cell 4 and up"
    assert caught.value.message == said


def test_search_may_read_anything_at_its_end() -> None:
    search = proved("search")
    state = next(s for s in search.rows if s.phase is Phase.BACK and s.op == 2)
    words = {int(word): 4 for word in np.arange(256)}
    for mechanism in (1, 3):
        row = search.rows[state]._replace(mechanisms=(mechanism,), ops=words)
        require_algorithm(listing(changed(search, state, row)), 30)
