"""`atip mcp`: serve everything known to any MCP client, and tell clients about it."""
