"""Static layers of verification: each looks at a change and says what stands against it. None runs anything.

A layer is a function from a `ChangeSet` to findings; its rules are in `domain/verification.py`. Layers know nothing of
each other, of plans and of people: whether a finding is declared or accepted is decided elsewhere.
"""
