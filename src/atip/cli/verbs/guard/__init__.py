"""`atip guard`: the permission hook for coding agents, its installation and its log."""
