"""The guard as a part of coding agents: their hook protocols, their settings files, the log of decisions."""
