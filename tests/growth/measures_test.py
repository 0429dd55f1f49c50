#!/usr/bin/env python3
"""Tests the rates that are computed from samples of positions."""
import unittest

import measures
import reads

# Time, head, read models: 100 events/s from the second second on; the read models are one second behind.
SAMPLES = [(0.0, 0, 0), (1.0, 0, 0), (2.0, 100, 0), (4.0, 300, 200), (5.0, 300, 300)]


class Pace(unittest.TestCase):
    def test_a_moment_lies_between_two_looks(self):
        self.assertAlmostEqual(measures.moment(SAMPLES, 1, 50), 1.5)
        self.assertAlmostEqual(measures.moment(SAMPLES, 1, 200), 3.0)
        self.assertAlmostEqual(measures.moment(SAMPLES, 2, 250), 4.5)

    def test_idle_time_before_does_not_count(self):
        self.assertAlmostEqual(measures.pace(SAMPLES, 1, 100, 300), 100)
        self.assertAlmostEqual(measures.pace(SAMPLES, 2, 100, 300), 100)

    def test_what_was_never_seen_has_no_moment(self):
        for samples, position in ((SAMPLES, 301), (SAMPLES[2:], 99)):
            with self.assertRaises(ValueError):
                measures.moment(samples, 1, position)


class Percentile(unittest.TestCase):
    def test_it_is_a_value_that_was_measured(self):
        took = list(range(100, 0, -1))
        self.assertEqual([reads.percentile(took, part) for part in (0, .5, .99, 1)], [1, 51, 100, 100])


if __name__ == "__main__":
    unittest.main()
