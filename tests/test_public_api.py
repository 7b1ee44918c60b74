"""The names that `import nhc` offers: all there, where they are said to be, and no work before their use."""

import importlib
import inspect
import re
import sys
import tomllib
from pathlib import Path

import pytest

import nhc
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
    assert solution.solved and len(solution.ops) == 2
