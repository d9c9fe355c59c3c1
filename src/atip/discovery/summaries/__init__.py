"""Sources of summaries besides the program itself: curated knowledge, manual pages, package metadata."""
