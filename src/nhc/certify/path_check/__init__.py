"""The check of a certificate that speaks of an environment: written anew, with nothing of the prover."""
