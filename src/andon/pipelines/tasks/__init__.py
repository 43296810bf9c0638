"""Tasks: create_app, modify_app, workflow; each phase worked on, verified, and decided by a person."""
