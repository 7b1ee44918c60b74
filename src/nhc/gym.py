"""The worlds as Gymnasium environments, `nhc/Sokoban-6x6-v0` and others (extra `gym`).

An action is one of the four operations of a world, an observation the encoded configuration beside that of
the goal. Reaching the goal gives 1, every other step 0. `gymnasium.make` finds the environments where this
package is installed.
"""

from typing import cast

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import AnyState, make_domain
from nhc.domains.states import plain
from nhc.errors import ConfigError, InputError
from nhc.planning.sample import task_of_level
from nhc.tasks.planning import GoalCells, PlanningTask

ENVIRONMENTS = {
    "nhc/Sokoban-6x6-v0": "sokoban-6x6",
    "nhc/Sokoban-8x8-v0": "sokoban-8x8",
    "nhc/Sliding-3x3-v0": "sliding-3x3",
    "nhc/Stacking-v0": "stacking",
}
"""Names of environments and of their worlds."""
MOST_STEPS = 100
LEVEL = 3
"""Tasks come from this level unless `options` name another: they take one or two actions."""
SEEDS = 2**31 - 1
DOTS = 24
"""Pixels of a sign."""

Observation = dict[str, NDArray[np.int8]]


def register() -> None:
    """Make the environments known to Gymnasium."""
    for name, world in ENVIRONMENTS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, "nhc.gym:World", kwargs={"world": world}, max_episode_steps=MOST_STEPS)


class World(gymnasium.Env[Observation, np.int64]):
    """One world; each episode is a planning task.

    `reset(options={"level": 5})` draws a task of that level of the curriculum, `options={"task": task}` takes
    one of `nhc.read_task` or `nhc.task_between` whose goal is one configuration. `info["action_mask"]` has 1
    for each operation that changes something.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012  Gymnasium's own form

    def __init__(self, world: str = "sokoban-6x6", render_mode: str | None = None) -> None:
        """Raises ConfigError: what `make_domain` raises, and `gym.render` for another mode of rendering."""
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError("gym.render", f"expected ansi or rgb_array, found {render_mode!r}")
        self.render_mode = render_mode
        self._domain = make_domain(world)
        bits = spaces.MultiBinary(self._domain.word_bits)
        self.observation_space = cast(spaces.Space[Observation], spaces.Dict({"state": bits, "goal": bits}))
        self.action_space = spaces.Discrete(BRANCHING)
        self._task: PlanningTask | None = None
        self._state: AnyState = ()

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Observation, dict[str, object]]:
        """A new task.

        Raises InputError: `task.level` for a level without tasks, `gym.task` for a task of another world or
        with goal cells.
        """
        super().reset(seed=seed)
        asked = options or {}
        given, level = asked.get("task"), asked.get("level", LEVEL)
        if given is None and isinstance(level, int) and level > 0:
            given = task_of_level(self._domain, level, seed=int(self.np_random.integers(SEEDS)))
        if not isinstance(given, PlanningTask):
            raise InputError("gym.task", f"expected a task or a level from 1 on, found {asked!r:.80}")
        if given.world.name != self._domain.name or isinstance(given.goal, GoalCells):
            wanted = f"a task of {self._domain.name} whose goal is one configuration"
            raise InputError("gym.task", f"expected {wanted}, found {given.task_id}")
        self._task, self._state = given, plain(given.start)
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, object]]:
        """Apply an operation. Raises ConfigError (`gym.reset`) before the first reset."""
        task = self._required()
        self._state = plain(self._domain.step(self._state, int(action)))
        met = task.is_met(self._state)
        return self._observation(), float(met), met, False, self._info()

    def render(self) -> str | NDArray[np.uint8] | None:
        """The configuration as text, or as an image of that text."""
        self._required()
        drawing = self._domain.draw(self._state)
        if self.render_mode == "rgb_array":
            return image(drawing)
        return f"{drawing}\n" if self.render_mode == "ansi" else None

    def _required(self) -> PlanningTask:
        if self._task is None:
            raise ConfigError("gym.reset", "expected a reset before the first step, found none")
        return self._task

    def _observation(self) -> Observation:
        goal = self._required().goal
        assert not isinstance(goal, GoalCells), "such tasks were refused"
        words = {"state": self._state, "goal": goal}
        return {name: self._domain.encode(state).astype(np.int8) for name, state in words.items()}

    def _info(self) -> dict[str, object]:
        after = [plain(self._domain.step(self._state, op)) for op in range(BRANCHING)]
        return {"action_mask": np.array([state != self._state for state in after], np.int8)}


def image(drawing: str) -> NDArray[np.uint8]:
    """Text as an image, rows x columns x 3, `DOTS` pixels a sign."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    lines = drawing.split("\n")
    height, width = len(lines), max(map(len, lines))
    figure = Figure(figsize=(width, height), dpi=DOTS)
    canvas = FigureCanvasAgg(figure)
    for row, line in enumerate(lines):
        for column, sign in enumerate(line):
            place = (column + 0.5) / width, 1 - (row + 0.5) / height
            figure.text(*place, sign, family="monospace", size=48, ha="center", va="center")
    canvas.draw()  # type: ignore[no-untyped-call]
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()  # type: ignore[no-untyped-call]
