"""Publishing a registry: from a folder of contributions to static files with TUF metadata beside them."""
