"""`andon team run`: units of a workflow, each by the member it belongs to, measured, reviewed, and brought together."""
