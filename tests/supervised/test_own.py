"""The example of a world of one's own, and what the functions that it uses promise."""

import io
import re
import runpy
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import nhc
from nhc.data.learned import LearnedModules
from nhc.domains.small import SmallWorld
from nhc.errors import ConfigError, InputError, ModelError
from nhc.runs.arrays import weight_hash
from nhc.runs.progress import Standing
from nhc.supervised.files import blocks
from nhc.supervised.own import SMALL, ModulesReport

ROOT = Path(__file__).resolve().parents[2]
PEGS = "ABCD"


class Heard:
    """A progress display for the test."""

    def __init__(self) -> None:
        self.standings: list[Standing] = []
        self.closed = 0

    def update(self, standing: Standing) -> None:
        self.standings.append(standing)

    def say(self, text: str) -> None:
        raise AssertionError(text)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture(scope="module")
def example() -> SimpleNamespace:
    """The example after its run, what it printed, and what a progress display would have shown."""
    heard = Heard()
    with redirect_stdout(io.StringIO()) as printed, pytest.MonkeyPatch.context() as patch:
        patch.setattr(nhc, "learn_modules", partial(nhc.learn_modules, progress=heard))
        names = runpy.run_path(str(ROOT / "examples" / "own_world.py"))
    return SimpleNamespace(**names, printed=printed.getvalue(), heard=heard)


def hurried(world: SmallWorld) -> tuple[LearnedModules, ModulesReport]:
    """Modules after a single round each, of which Transform_D is too small."""
    sizes = SMALL.model_copy(update={"view": (2,)})
    return nhc.learn_modules(world, seed=1, budget=1000, sizes=sizes)


def moved(state: str, op: int) -> str:
    """Two pegs as stacks; the smaller of their tops goes to the other one."""
    stacks = {peg: [disc for disc in range(len(state)) if state[disc] == peg] for peg in PEGS}
    pegs = PEGS[op], PEGS[(op + 1) % 4]
    one, other = (stacks[peg][0] if stacks[peg] else 99 for peg in pegs)
    if one == other:
        return state
    after = [*state]
    after[min(one, other)] = pegs[1] if one < other else pegs[0]
    return "".join(after)


def test_the_example_follows_its_rules_and_its_plan_is_a_shortest_one(example: SimpleNamespace) -> None:
    world: SmallWorld = example.world
    for discs in product(PEGS, repeat=4):
        text = "".join(discs)
        for op in range(4):
            assert world.draw(world.step(world.state_from_json(text), op)) == moved(text, op)
    assert example.solution.solved
    states = [world.draw(state) for state in example.solution.states]
    assert states[0] == "AAAA" and states[-1] == "BBBA"
    assert [moved(state, op) for state, op in zip(states, example.solution.ops, strict=False)] == states[1:]
    front, depth = {"AAAA"}, 0
    while "BBBA" not in front:
        front, depth = {moved(state, op) for state in front for op in range(4)}, depth + 1
    assert len(example.solution.ops) == depth == 7


def test_the_page_shows_what_the_example_prints(example: SimpleNamespace) -> None:
    """Margins depend on the machine."""
    page = (ROOT / "docs" / "own_world.md").read_text()
    shown = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[0]
    hidden = re.compile(r"margin [\d.]+")
    assert hidden.sub("margin", shown) == hidden.sub("margin", example.printed)
    assert len((ROOT / "examples" / "own_world.py").read_text().splitlines()) < 80


def weights(modules: LearnedModules) -> str:
    return weight_hash(blocks(modules.networks))


def test_a_display_sees_each_module_up_to_its_last_check(example: SimpleNamespace) -> None:
    heard = example.heard
    assert list(dict.fromkeys(dict(standing.fields)["module"] for standing in heard.standings)) == [
        *("input", "transform_d", "alu", "output")
    ]
    assert heard.closed == 1 and dict(heard.standings[-1].fields)["last check"] == "0 errors"
    assert nhc.check_modules(example.world, example.modules) == example.report


def errors_by_hand(world: SmallWorld, modules: LearnedModules) -> Iterator[tuple[str, int]]:
    """Wrong cases of the three modules in a row, one state and operation after the other."""
    run = jax.jit(lambda op, word: modules.insert(*modules.alu(op, modules.view(word)), word))
    for discs in product(PEGS, repeat=4):
        text = "".join(discs)
        word = jnp.asarray([int(held == peg) for held in text for peg in PEGS], jnp.uint8)
        for op in range(5):
            then = moved(text, op) if op < 4 else text
            if np.asarray(run(jnp.int32(op), word)).tolist() != [int(a == b) for a in then for b in PEGS]:
                yield text, op


def test_a_budget_that_is_too_small_leaves_errors_that_are_counted(example: SimpleNamespace) -> None:
    """Always the same ones, for the seed decides the weights."""
    (modules, report), (again, other) = hurried(example.world), hurried(example.world)
    assert weights(again) == weights(modules) and other == report
    rows = {row.module: row for row in report.modules}
    assert list(rows) == ["input", "transform_d", "alu", "output", "composed"]
    assert not report.passed and not rows["composed"].passed and rows["composed"].margin <= 0
    wrong = len(list(errors_by_hand(example.world, modules)))
    assert 0 < wrong == rows["composed"].errors < rows["composed"].cases == 5 * 4**4
    assert f"{wrong:,} errors" in str(report)


def test_a_clean_report_agrees_with_a_count_by_hand(example: SimpleNamespace) -> None:
    assert example.report.passed and all(row.passed for row in example.report.modules)
    assert example.report.states == example.report.formula == 4**4
    assert list(errors_by_hand(example.world, example.modules)) == []


def test_a_task_brings_its_world(example: SimpleNamespace) -> None:
    """Nothing is registered: sampling, solving and the referee work on the object."""
    world = example.world
    with pytest.raises(ConfigError, match="hanoi-ring"):
        nhc.make_domain(world.name)
    model = nhc.load_model("zoo:plan")
    task = nhc.task_of_level(world, 2, seed=4)
    exact, learned = (nhc.solve(model, task, modules=modules) for modules in ("exact", example.modules))
    assert exact == learned and exact.solved and len(exact.ops) == 2
    assert nhc.task_between(world, "AAAA", "BBBA") == example.task
    with pytest.raises(InputError, match="a state of hanoi-ring, found 'AAAE'") as caught:
        nhc.task_between(world, "AAAE", "BBBA")
    assert caught.value.code == "task.json"
    stacking = nhc.make_domain("stacking-2")
    with pytest.raises(ModelError, match="found learned hanoi-ring") as other:
        nhc.computer_for(model, stacking, example.modules)
    assert other.value.code == "model.encoding"
    with pytest.raises(ModelError) as refused:
        nhc.check_modules(stacking, example.modules)
    assert refused.value.code == "model.encoding"


def test_modules_are_kept_for_their_world_only(example: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "modules.safetensors"
    nhc.save_modules(path, example.world, example.modules)
    again = nhc.load_modules(path, example.world)
    assert weights(again) == weights(example.modules) and again.form == example.world.form
    other = replace(
        example.world, tables=example.world.tables._replace(successors=example.world.tables.successors[::-1])
    )
    with pytest.raises(ModelError, match="another encoding") as caught:
        nhc.load_modules(path, other)
    assert caught.value.code == "model.encoding"


def test_only_worlds_that_fit_together_are_learned(example: SimpleNamespace) -> None:
    broken = type("Broken", (SmallWorld,), {"family_size": 250})(*vars(example.world).values())
    with pytest.raises(InputError, match="expected 250 states by formula, found 256") as caught:
        nhc.learn_modules(broken)
    assert caught.value.code == "world.size"
