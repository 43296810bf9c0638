"""JavaScript and TypeScript: facts, environments and goals of its projects."""
