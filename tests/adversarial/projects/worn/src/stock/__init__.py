from stock.shelf import Shelf

__all__ = ["Shelf"]
