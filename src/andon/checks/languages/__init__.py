"""One folder for each language: what andon must know of it to measure a change."""
