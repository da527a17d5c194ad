"""The table's side of a hall: joining, sending its log, answering the director."""
