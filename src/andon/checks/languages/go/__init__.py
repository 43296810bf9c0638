"""Go: facts, environments and goals of its projects."""
