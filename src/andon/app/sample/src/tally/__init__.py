"""Counts words in text."""


def words(text: str) -> dict[str, int]:
    """How often each word occurs, in lower case."""
    counts: dict[str, int] = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return counts
