"""Context for agents: the snippet for their instructions, and tool context between agents."""
