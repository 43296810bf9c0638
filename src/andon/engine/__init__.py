"""Durable execution: the only package that knows DBOS. Runs, journal, ledger, holds, budget and their tables."""
