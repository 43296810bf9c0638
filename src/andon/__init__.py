"""andon drives coding agents through plan, design, do, check, act, and believes only what it measured."""

__version__ = "0.1.0"
