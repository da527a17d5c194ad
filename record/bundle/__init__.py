"""Evidence bundles: one game in one file that anybody can check offline."""
