import json
import urllib.request


def pay(order: str, cents: int) -> dict:
    body = json.dumps({"order": order, "cents": cents}).encode()
    with urllib.request.urlopen("https://pay.example/charge", body) as answer:
        return json.load(answer)
