"""What training needs of a recurrent network: parameters, a state, and one tick."""

from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from jaxtyping import Array, Float

ParametersT = TypeVar("ParametersT")
StateT = TypeVar("StateT")


@runtime_checkable
class Network(Protocol[ParametersT, StateT]):
    """A network of fixed sizes: a hashable value that holds no weights."""

    @property
    def inputs(self) -> int:
        """Size of an input."""
        ...

    @property
    def outputs(self) -> int:
        """Size of an output."""
        ...

    def initial_parameters(self, rng: np.random.Generator) -> ParametersT:
        """Random weights; consumes `rng`."""
        ...

    def begin(self) -> StateT:
        """The state before the first tick."""
        ...

    def step(
        self, parameters: ParametersT, state: StateT, x: Float[Array, " inputs"]
    ) -> tuple[StateT, Float[Array, " outputs"]]:
        """One tick: the state after it, and the output before any squashing."""
        ...
