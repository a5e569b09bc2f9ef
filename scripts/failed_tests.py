#!/usr/bin/env python3
"""failed_tests.py REPORT: the failed tests of a JUnit report of ctest, each with the end of what it printed."""

import sys
import xml.etree.ElementTree as ElementTree

KEPT = 1500  # characters of each test's output: the summary of a suite or an assertion with its values


def main() -> None:
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        if case.get("status") != "fail" and case.find("failure") is None:
            continue
        printed = (case.findtext("system-out") or "").strip()
        print(f"---- failed: {case.get('name')} ({float(case.get('time') or 0):.1f} s)")
        print(printed if len(printed) <= KEPT else "[...] " + printed[-KEPT:])


main()
