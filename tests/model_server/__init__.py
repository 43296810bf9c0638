"""A scripted model server on loopback: real agent programs talk to it as to their provider, and it plays scenarios.

It speaks Anthropic Messages, OpenAI Responses and Chat Completions, and Gemini. It keeps no state between requests:
what was done already stands in the conversation that each request carries, so agents may run in parallel and be killed.
"""

from model_server.playing import Player
from model_server.server import ModelServer
from model_server.troubles import Trouble

__all__ = ["ModelServer", "Player", "Trouble"]
