"""The names that `import nhc` offers: all there, where they are said to be, and no work before their use."""

import importlib
import inspect
import re
import sys
import tomllib
from pathlib import Path

import pytest

import nhc
from nhc.streams import require_seed
from tests.training.processes import python

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", nhc.PUBLIC)
def test_every_name_is_defined_where_it_is_said_to_be(name: str) -> None:
    found = getattr(nhc, name)
    module = importlib.import_module(nhc.PUBLIC[name])
    assert found is getattr(module, name)
    assert found.__module__ == nhc.PUBLIC[name]
    assert inspect.getdoc(found), "whoever uses it wants to read about it"


def test_the_docstring_names_only_what_there_is() -> None:
    assert nhc.__doc__ is not None
    named = re.findall(r"`(\w+)`", nhc.__doc__)
    assert len(named) > 10
    assert set(named) <= set(nhc.PUBLIC)


def test_a_star_imports_them() -> None:
    names: dict[str, object] = {}
    exec("from nhc import *", names)
    assert names.keys() - {"__builtins__"} == set(nhc.PUBLIC)


def test_what_is_no_world_s_task_is_refused_before_jax_sees_it() -> None:
    model, puzzle = nhc.load_model("zoo:plan"), nhc.make_domain("sliding-3x3")
    problem = nhc.problem_for(nhc.task_of_level(puzzle, 1, seed=0))
    computer = nhc.computer_for(model, nhc.make_domain("free-tree"))
    for runner in (nhc.trace, nhc.run):
        with pytest.raises(nhc.NhcError) as caught:
            runner(computer, problem, max_ticks=9)
        assert caught.value.code == "model.encoding"
        assert "32 bits for exact free-tree, found 81 bits" in str(caught.value)


def test_a_trace_that_would_not_end_is_refused() -> None:
    computer = nhc.computer_for(nhc.load_model("zoo:plan"), nhc.make_domain("free-tree"))
    problem = nhc.problem_for(nhc.task_between(nhc.make_domain("free-tree"), 0, 9))
    for ticks in (0, -1, 1_000_000):
        with pytest.raises(nhc.NhcError) as caught:
            nhc.trace(computer, problem, max_ticks=ticks)
        assert caught.value.code == "trace.length"


@pytest.mark.parametrize("seed", [-1, 2**32, True])
def test_a_seed_is_a_seed_for_every_function(seed: int) -> None:
    domain = nhc.make_domain("free-tree")
    for draw in (nhc.task_of_level, nhc.task_at_node, nhc.far_task):
        if draw is nhc.task_at_node:  # In the free tree nothing is drawn for a node.
            domain = nhc.make_domain("stacking")
        with pytest.raises(nhc.NhcError) as caught:
            draw(domain, 1, seed=seed)
        assert caught.value.code == "config.value"


@pytest.mark.parametrize("seed", [None, "1", 1.0, -1, False])
def test_what_is_no_seed_would_give_other_numbers_each_time(seed: object) -> None:
    with pytest.raises(nhc.NhcError, match=re.escape(repr(seed))) as caught:
        require_seed(seed)
    assert caught.value.code == "config.value"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"task": "shuffle"}, "algorithm.unknown"),
        ({"preset": "best"}, "config.preset"),
        ({"fitness": "best"}, "config.value"),
        ({"overrides": {"budget": True}}, "config.value"),
        ({"overrides": {"sampling": "exact", "domain": "stacking"}}, "config.value"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(options: dict[str, object], code: str) -> None:
    with pytest.raises(nhc.NhcError) as caught:
        nhc.run_config(**({"task": "plan"} | options))
    assert caught.value.code == code


@pytest.mark.parametrize("kind", [nhc.TrainConfig, nhc.MachineConfig])
def test_options_made_by_hand_are_checked_with_a_code(kind: type) -> None:
    for values, code in (({"machine": 3, "mix": 3}, "config.value"), ({"colour": 1}, "config.key")):
        with pytest.raises(nhc.NhcError) as caught:
            kind(**values)
        assert caught.value.code == code and "pydantic" not in str(caught.value)


def test_paths_are_texts_or_paths(tmp_path: Path) -> None:
    model = nhc.load_model("zoo:plan")
    for path in (str(tmp_path / "text"), tmp_path / "path"):
        nhc.save_model(path, model)
        assert nhc.load_model(path).hash == model.hash
    with pytest.raises(nhc.NhcError) as caught:
        nhc.solve(model, nhc.task_between(nhc.make_domain("free-tree"), 0, 9), engine="steam")
    assert caught.value.code == "solve.engine"


def test_dir_lists_them() -> None:
    assert dir(nhc) == sorted([*nhc.PUBLIC, "__version__"])


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'nhc' has no attribute 'nothing'"):
        _ = nhc.nothing
    assert not hasattr(nhc, "__wrapped__")


def test_no_name_hides_a_part_of_the_package() -> None:
    """`import nhc.x` binds x in the package: a public name of that kind would change its meaning."""
    parts = {path.stem for path in (ROOT / "src" / "nhc").iterdir()}
    assert parts.isdisjoint(nhc.PUBLIC)


def test_the_version_is_the_distribution_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert nhc.__version__ == project["version"]


def test_importing_does_no_work() -> None:
    """In a process of its own: neither JAX nor NumPy is loaded, and only the package itself."""
    code = "import sys, nhc; print(sorted(name for name in sys.modules if name.split('.')[0] in {wanted}))"
    wanted = "('nhc', 'jax', 'numpy', 'matplotlib', 'pydantic', 'equinox')"
    done = python("-c", code.format(wanted=wanted), env={"PATH": "", "PYTHONPATH": ":".join(sys.path)})
    assert done.stdout == "['nhc']\n", done.stderr


def test_the_short_way_from_the_names_to_a_plan() -> None:
    """What the docstring suggests, with nothing but public names."""
    task = nhc.task_of_level(nhc.make_domain("sokoban-6x6"), 2, seed=1)
    solution = nhc.solve(nhc.load_model("zoo:plan"), task, budget=nhc.Budget(ticks=1 << 15))
    assert solution.solved and len(solution.ops) == len(solution.plan) == 2
