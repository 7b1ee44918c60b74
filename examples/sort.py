"""Learn to sort, from random weights, on lists of at most five numbers; prove it; sort a thousand: minutes.

python examples/sort.py
"""

import numpy as np

import nhc
from nhc.computer.sequences import run_sequence


def main(size: int = 1000) -> None:
    """Train until proved, and run what was learned by its table."""
    result = nhc.train(nhc.run_config("sort", overrides={"seed": 1}))
    learned = "learned" if result.state.mastered else "not learned"
    print(f"{learned} in {result.state.learning_iterations:,} iterations")
    print("proved for every length" if result.state.certified else "not proved")
    numbers = tuple(np.random.default_rng(0).integers(0, 10 * size, size).tolist())
    made = run_sequence(result.model, numbers)
    right = made.result == tuple(sorted(numbers))
    print(f"{size:,} numbers in {made.ticks:,} ticks: {'right' if right else 'wrong'}")


if __name__ == "__main__":
    main()
