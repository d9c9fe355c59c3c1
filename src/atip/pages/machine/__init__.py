"""The pages of one machine, served by `atip ui`."""
