"""The director's remedies for a flag, and a preview of their effect."""
