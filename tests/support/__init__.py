"""Words that the tests are written in: rings, walks, naive twins, strategies."""
