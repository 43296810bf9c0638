import urllib.request


def picture(article: str) -> bytes:
    while True:
        try:
            with urllib.request.urlopen(f"https://pictures.example/{article}.jpg") as answer:
                return answer.read()
        except OSError:
            continue
