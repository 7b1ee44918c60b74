"""Tables of programs: every entry of the program, read back, and what is refused."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from nhc import jit
from nhc.domains.protocol import OPS
from nhc.errors import ConfigError
from nhc.program import compiled
from nhc.program.compiled import compile_program
from nhc.program.table import FIRST_STATE, NO_WORD, ControlState, Phase, Program, Row
from nhc.shapes import NONE
from tests.program.made_up import random_program, zoo_program


@pytest.mark.parametrize("seed", range(8))
def test_tables_say_what_the_program_says(seed: int) -> None:
    program = (
        zoo_program(("plan", "search")[seed % 2])
        if seed < 2
        else random_program(np.random.default_rng(seed), gaps=0.1)
    )
    tables = compile_program(program)
    code = [*tables.codes.tolist(), NO_WORD]
    asked = {word for row in program.rows.values() for word in row.preference}
    assert set(code[: tables.lookups]) == asked
    rows = {}
    for (phase, word, op), number in np.ndenumerate(tables.after):
        if number != NONE:
            rows[ControlState(Phase(phase), code[word], NONE if op == len(OPS) else op)] = int(number)
    assert rows.keys() == program.rows.keys()
    for state, number in rows.items():
        fields, row = tables.rows[number].tolist(), program.rows[state]
        constrained, fresh, *mechanisms = fields[: compiled.PREFERENCE]
        preference = [code[word] for word in fields[compiled.PREFERENCE :] if word != NONE]
        ops = {code[word]: op for word, op in enumerate(tables.ops[number].tolist()) if op != NONE}
        said = Row(code[constrained], code[fresh], tuple(mechanisms), tuple(preference), ops)
        assert said == row
    assert tables.backtracks == (program.task == "plan")


def test_tables_cannot_be_changed() -> None:
    tables = compile_program(zoo_program("plan"))
    for table in tables:
        if isinstance(table, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                table[...] = 0


def test_numbers_out_of_range_are_refused() -> None:
    program = zoo_program("plan")
    row = program.first
    bad_rows = (
        row._replace(constrained=-1),
        row._replace(fresh=256),
        row._replace(mechanisms=(0, 5)),
        row._replace(preference=(41, -1)),
        row._replace(ops={66: 5}),
        row._replace(ops={66: NONE}),
        row._replace(ops={256: 1}),
    )
    for bad in bad_rows:
        with pytest.raises(ConfigError, match=r"program\.table"):
            compile_program(replace(program, rows={**program.rows, FIRST_STATE: bad}))
    for state in (ControlState(Phase.BACK, 300, 1), ControlState(Phase.BACK, 41, 5)):
        with pytest.raises(ConfigError, match=r"program\.table"):
            compile_program(replace(program, rows={**program.rows, state: row}))
    with pytest.raises(ConfigError, match=r"program\.table"):
        compile_program(replace(program, task="sort"))


def test_a_byte_holds_256_words_and_no_more() -> None:
    def with_words(count: int) -> Program:
        rows = {FIRST_STATE: Row(0, 1, (0,), (), dict.fromkeys(range(count), 0))}
        return Program("plan", 9, rows)

    assert len(compile_program(with_words(256)).codes) == 256
    with pytest.raises(ConfigError, match=r"program\.words"):
        compile_program(with_words(257))


def test_loops_run_where_no_folder_can_be_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def refusing(function: Callable[[int], int], **options: bool) -> Callable[[int], int]:
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("no locator available")
        return function

    def loop(number: int) -> int:
        return number + 1

    monkeypatch.setattr(jit, "compiler", refusing)
    assert jit.compiled(loop)(4) == 5
    assert [options.get("cache", False) for options in asked] == [True, False]
    assert jit.compiled(loop) is jit.compiled(loop)
    assert len(asked) == 2


def test_nothing_is_compiled_or_written_by_importing(tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = tmp_path_factory.mktemp("numba")
    code = (
        "from nhc.program import engine, loop\n"
        "loops = [f for f in vars(loop).values() if hasattr(f, 'signatures')]\n"
        "assert loops and not any(f.signatures for f in loops)\n"
    )
    env = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, "-c", code], env=env, check=True, timeout=60)
    assert not list(cache.iterdir())
