"""What can carry out an order. Each runtime translates an order into a command, and what that command left into a reply.

Runtimes start no processes and know nothing of runs, workspaces or checks.
"""
