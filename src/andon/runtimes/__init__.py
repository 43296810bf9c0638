"""What can carry out an order: each runtime translates an order into a command, and what is left of it into a reply.

Runtimes start no processes and know nothing of runs, workspaces or checks.
"""
