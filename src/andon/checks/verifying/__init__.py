"""Verification: everything that decides whether a change may pass, measured by andon and by nobody else."""
