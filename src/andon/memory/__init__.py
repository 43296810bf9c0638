"""What a team, and later runs, remember: files that people read, a database, and MCP servers made for it (B-40)."""
