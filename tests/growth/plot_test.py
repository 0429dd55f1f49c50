#!/usr/bin/env python3
"""Tests that a plot shows its points."""
import json
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as xml

import plot

SVG = "{http://www.w3.org/2000/svg}"


def drawn(lines):
    return xml.fromstring(plot.draw("A < B", "events", "ms & more", lines))


class Labels(unittest.TestCase):
    def test_numbers_are_short(self):
        told = [plot.short(number) for number in (0, 0.25, 3.14159, 950, 999.9, 12_345, 1e6, 2.5e9)]
        self.assertEqual(told, ["0", "0.25", "3.14", "950", "1k", "12.3k", "1M", "2.5G"])

    def test_ticks_are_round_and_reach_the_highest(self):
        self.assertEqual(plot.ticks(100), [0, 20, 40, 60, 80, 100])
        for highest in (0.003, 1, 7.3, 99, 101, 123_456):
            found = plot.ticks(highest)
            self.assertGreaterEqual(found[-1], highest * 0.999)
            self.assertLessEqual(len(found), 2 * plot.STEPS)

    def test_x_marks_are_powers_of_ten_or_parts_of_them(self):
        self.assertEqual(plot.decades(900, 1.1e5), [1e3, 1e4, 1e5])
        self.assertEqual(plot.decades(900, 1.1e4), [1e3, 2e3, 5e3, 1e4])
        self.assertEqual(plot.decades(2_500, 4_500), [3e3, 4e3])


class Plane(unittest.TestCase):
    def test_the_x_axis_is_logarithmic_and_y_grows_upwards(self):
        plane = plot.Plane({"": [(10, 1), (1000, 4)]})
        self.assertAlmostEqual(plane.x(100) - plane.x(10), plane.x(1000) - plane.x(100), delta=0.2)
        self.assertEqual(plane.y(0), plot.HEIGHT - plot.BOTTOM)
        self.assertLess(plane.y(4), plane.y(1))

    def test_one_point_lies_inside(self):
        plane = plot.Plane({"": [(1, 0)]})
        self.assertTrue(plot.LEFT < plane.x(1) < plot.WIDTH - plot.RIGHT)

    def test_what_cannot_be_drawn_is_refused(self):
        for lines in ({}, {"a": []}, {"a": [(0, 1)]}, {"a": [(1, -1)]}):
            with self.assertRaises(ValueError):
                plot.check(lines)


class Picture(unittest.TestCase):
    def test_every_point_has_a_mark_and_its_value_and_text_is_escaped(self):
        root = drawn({"p50": [(1000, 2), (10, 1)], "p99": [(10, 7)], "none": []})
        marks = [one for one in root.iter(f"{SVG}circle") if one.get("r") == "4"]
        texts = [one.text for one in root.iter(f"{SVG}text")]
        self.assertEqual(len(marks), 3)
        self.assertTrue({"A < B", "ms & more", "events", "p50", "p99", "7"} <= set(texts))
        self.assertNotIn("none", texts)
        line = next(one for one in root.iter(f"{SVG}polyline")).get("points").split()
        self.assertLess(float(line[0].split(",")[0]), float(line[1].split(",")[0]))

    def test_the_value_of_the_lowest_point_is_below_it(self):
        lines = {"a": [(10, 5), (20, 1)], "b": [(10, 3), (20, 4)]}
        found = [plot.is_lowest(point, lines) for points in lines.values() for point in points]
        self.assertEqual(found, [False, True, True, False])
        self.assertFalse(plot.is_lowest((10, 5), {"": [(10, 5)]}))

    def test_both_grounds_have_colors(self):
        self.assertIn("prefers-color-scheme: dark", plot.draw("t", "x", "y", {"": [(1, 1)]}))

    def test_points_come_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            points, out = pathlib.Path(folder, "points.json"), pathlib.Path(folder, "out.svg")
            points.write_text(json.dumps([[1, 10], [1000, 300]]))
            plot.main(["Title", "connections", "per second", str(points), str(out)])
            self.assertEqual(len([one for one in xml.parse(out).iter(f"{SVG}circle")]), 2)


if __name__ == "__main__":
    unittest.main()
