"""Scan what there is, read a workflow document. The rules are domain/teams; here are files, programs and servers."""
