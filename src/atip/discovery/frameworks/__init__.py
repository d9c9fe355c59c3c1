"""Framework introspection: exact structure from programs that can be asked for their own parser."""
