class Shelf:
    def __init__(self):
        self.pieces = {}

    def put(self, name, count=1):
        self.pieces[name] = self.pieces.get(name, 0) + count

    def take(self, name, count=1):
        self.pieces[name] -= count
        return self.pieces[name]

    def count(self):
        return sum(self.pieces.values())
