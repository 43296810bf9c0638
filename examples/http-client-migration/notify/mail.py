import urllib.parse
import urllib.request


def send(to: str, text: str) -> None:
    words = urllib.parse.urlencode({"to": to, "text": text}).encode()
    urllib.request.urlopen("https://mail.example/send", words)
