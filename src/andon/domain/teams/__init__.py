"""Teams out of what there is: resources, workflow documents, units, graphs, roles, memory, the review loop. Pure."""
