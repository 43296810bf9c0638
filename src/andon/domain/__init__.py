"""The nouns and the pure rules. Standard library only, no input or output."""
