"""Names in a writable place that stay as they are, at any depth, whether they exist or not: hooks, settings of agents and editors."""
