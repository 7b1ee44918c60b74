"""Settings of the whole test run: silent rank promotion is an error, as warnings are."""

import jax

jax.config.update("jax_numpy_rank_promotion", "raise")
