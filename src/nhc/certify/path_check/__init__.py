"""The check of a certificate that speaks of an environment: written anew, it shares nothing with the prover."""
