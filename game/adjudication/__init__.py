"""What a director can do about a flag, and what would follow from it."""
