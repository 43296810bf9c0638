"""The ordeals of `make chaos`: runs whose orchestrator is killed again and again, compared with runs left in peace."""
