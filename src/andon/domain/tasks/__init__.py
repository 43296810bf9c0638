"""The rules of tasks (create_app, modify_app, workflow, custom): what is asked for, what passes, what follows. Pure."""
