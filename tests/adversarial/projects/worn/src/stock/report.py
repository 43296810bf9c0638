def table(shelf):
    return "\n".join(f"{name}: {count}" for name, count in sorted(shelf.pieces.items()))


def show(shelf):  # pragma: no cover
    print(table(shelf))


def lines(shelf):
    return len(shelf.pieces)
