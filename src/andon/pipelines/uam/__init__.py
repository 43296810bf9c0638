"""`uam`: quick plan, sprint over a graph of TODOs, quality gates, fix loop, finalize."""
