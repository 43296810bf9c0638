"""The command line: parse, call one application function, render. Decides nothing."""
