"""Operations of a running Citewell: health, metrics, traces. Nothing here answers questions."""
