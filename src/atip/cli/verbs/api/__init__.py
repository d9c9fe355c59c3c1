"""`atip api …`: MCP servers, OpenAPI, GraphQL and databases as typed wrappers and one small manifest."""
