"""What to tell agents: the snippet for their instructions, and tool context from one to another."""
