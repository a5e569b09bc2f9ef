#: mask = ["in [0-9.]+s"]
import unittest


class T(unittest.TestCase):
    def test_good(self):
        self.assertEqual(1, 1)

    def test_bad(self):
        self.assertEqual([1], [2])


unittest.main()
