"""Sources queried over HTTP with `system.network.http`. Their addresses come from `--sources FILE`, never from code."""
