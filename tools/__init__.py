"""Scripts of the repository: sizes, pictures of the house, pages, the site, distributions."""
