"""`atip mcp`: serve all known tools to any MCP client, and configure clients."""
