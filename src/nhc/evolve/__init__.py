"""Learning by evolution: NES, ranking, fitness, curriculum, bad memories, and the loop over them."""
