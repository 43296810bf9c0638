"""Checks: what andon itself measures. Never modifies what it measures, and never takes an agent's word for it."""
