"""The account of a game as HTML that needs no script: for bundles and for the director's pages."""
