"""The pure rules of UAM: the plan's grammar, its graph, phases, convergence, who may write what.

Shared with the hooks of the plugin, which are short-lived processes: nothing here imports a module that is slow to
load (dataclasses, enum, typing), and modules name each other by `from . import`.
"""
