"""Where summaries come from besides the program itself: curated knowledge, manual pages, package metadata."""
