"""The pure rules of `auto`: scoring, modes, gates, loops, state. No input or output."""
