"""The tile classifier and the board locator: scenes, training, weights, evaluation."""
