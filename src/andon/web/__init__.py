"""The web page and its API: server-rendered, live, and open to nobody who was not let in."""
