"""Sources that are asked over HTTP, through our one client. Their addresses come from `--sources FILE`, never from code."""
