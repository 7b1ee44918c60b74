"""The Gymnasium environments: their protocol, and that they are the worlds."""

import numpy as np
import pytest

import nhc
from nhc.domains.registry import make_domain
from nhc.domains.states import plain

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from nhc.gym import ENVIRONMENTS, World, register  # noqa: E402


@pytest.fixture(autouse=True)
def _registered() -> None:
    register()


@pytest.mark.filterwarnings("ignore")  # of Gymnasium itself, about rendering
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_each_keeps_the_protocol(name: str) -> None:
    check_env(gymnasium.make(name, render_mode="rgb_array").unwrapped)


def test_an_episode_is_a_run_of_the_world_and_ends_at_the_goal() -> None:
    env, domain = gymnasium.make("nhc/Sliding-3x3-v0", render_mode="ansi"), make_domain("sliding-3x3")
    task = nhc.task_between(domain, [[1, 2, 3], [4, 5, 6], [7, 0, 8]], [[1, 2, 3], [4, 5, 6], [7, 8, 0]])
    seen, info = env.reset(options={"task": task})
    assert (seen["state"] == domain.encode(task.start)).all()
    assert info["action_mask"].tolist() == [
        int(plain(domain.step(task.start, op)) != task.start) for op in range(4)
    ]
    assert "7 . 8" in env.render()
    plan = nhc.solve(nhc.load_model("zoo:plan"), task, modules="exact").ops
    results = [env.step(op) for op in plan]
    assert [result[1:3] for result in results] == [(0.0, False)] * (len(plan) - 1) + [(1.0, True)]
    assert (results[-1][0]["state"] == results[-1][0]["goal"]).all()


def test_a_seed_gives_the_same_tasks_and_levels_are_chosen() -> None:
    env = gymnasium.make("nhc/Sokoban-6x6-v0")
    first, again, other = (env.reset(seed=seed)[0] for seed in (4, 4, 5))
    assert all((first[key] == again[key]).all() for key in first)
    assert any((first[key] != other[key]).any() for key in first)
    near, far = (env.reset(seed=1, options={"level": level})[0] for level in (1, 21))
    moved = [int((task["state"] != task["goal"]).sum()) for task in (near, far)]
    assert min(moved) > 0


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(nhc.NhcError, match=r"gym\.render"):
        World("stacking", render_mode="human")
    env = gymnasium.make("nhc/Sokoban-6x6-v0").unwrapped
    with pytest.raises(nhc.NhcError, match=r"gym\.reset"):
        env.step(np.int64(0))
    for wrong in ({"task": nhc.puzzle_task("1 2 3 4 5 6 7 0 8")}, {"level": 0}, {"level": "3"}, {"task": 5}):
        with pytest.raises(nhc.NhcError, match=r"gym\.task"):
            env.reset(options=wrong)
