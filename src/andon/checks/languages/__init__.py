"""A room for each language, with the same file names in each: project (its facts), environment (what its checks run
with) and goals (what they run). A further language is one more room."""
