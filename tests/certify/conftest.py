"""What tests of proofs share."""

from collections.abc import Iterator

import jaxtyping
import pytest


@pytest.fixture
def plainly() -> Iterator[None]:
    """Proofs on paths are plain Python over small tuples; checks at every call slow them down tenfold."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
