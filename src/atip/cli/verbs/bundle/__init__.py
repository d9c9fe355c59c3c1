"""`atip bundle …`: CLI.md bundles (AIP-29): install, check, set up, log in, run confined, write."""
