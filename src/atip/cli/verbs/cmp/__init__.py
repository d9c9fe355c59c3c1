"""`atip cmp …`: tools of the Capability Manifest Protocol."""
