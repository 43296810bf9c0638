"""The API for programs, under /api: JSON in, JSON out, one module per subject. Everything calls a function of `app`."""
