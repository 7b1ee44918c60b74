"""Small made-up runs, as records of `metrics.jsonl`."""

Record = dict[str, object]


def records(script: list[tuple[int, float, str]]) -> list[Record]:
    """One record for each (level, fitness, event); events are learn, perfect, solve and restart."""
    learning = restarts = streak = 0
    lines: list[Record] = []
    for iteration, (level, fitness, event) in enumerate(script, start=1):
        learning += event == "learn"
        restarts += event == "restart"
        streak = streak + 1 if event in ("perfect", "solve") else 0
        lines.append(
            {
                "iteration": iteration,
                "level": level,
                "fitness": fitness,
                "learned": event == "learn",
                "restarted": event == "restart",
                "learning_iterations": learning,
                "restarts": restarts,
                "streak": streak,
                "solved": event == "solve",
                "nonfinite": 0,
            }
        )
    return lines


def long_run(levels: int, lesson: int, perfect: int) -> list[Record]:
    """Each level is learned for `lesson` iterations and then perfect until it is solved."""
    script: list[tuple[int, float, str]] = []
    for level in range(1, levels + 1):
        script += [(level, 150 * k / lesson, "learn") for k in range(lesson)]
        script += [(level, 150.0, "perfect")] * (perfect - 1) + [(level, 150.0, "solve")]
    return records(script)
