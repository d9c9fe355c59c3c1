"""`atip guard`: the permission hook of coding agents, and everything around it."""
