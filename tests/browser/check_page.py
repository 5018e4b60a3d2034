#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a page of podsim from disk in a headless Chromium and checks that it works.

  check_page.py PAGE [--expect EXPRESSION ...] [--screenshots FOLDER]

At 390 and 1440 pixels, light and dark: nothing on the console, no request but the page itself, nothing wider than the
window. Tables sort by every column, filters filter, links lead somewhere. Each EXPRESSION is JavaScript that must be
true in the end. Exit code 0: all of it holds; 1: what does not is on stdout; 77: there is no browser.
"""
import argparse
import pathlib
import sys

import devtools

WIDTHS = (390, 1440)


def check(page, what, found):
    found += [f"{what}: {message}" for message in page.complaints()]
    others = [url for url in page.requests() if url != page.url]
    found += [f"{what}: asks for {url}" for url in others]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--expect", action="append", default=[])
    parser.add_argument("--screenshots")
    arguments = parser.parse_args()
    if devtools.find_browser() is None:
        print("no Chromium on this machine")
        return 77
    checks = pathlib.Path(__file__).with_name("page_checks.js").read_text()
    found, grounds = [], {}
    with devtools.Browser(limit_s=100) as browser:
        for width in WIDTHS:
            page = browser.open(arguments.page, width=width)
            page.evaluate(checks + "; null")
            for dark in (False, True):
                what = f"{width} px, {'dark' if dark else 'light'}"
                page.set_scheme(dark)
                page.settle()
                grounds[width, dark] = page.evaluate("getComputedStyle(document.body).backgroundColor")
                found += [f"{what}: {message}" for message in page.evaluate("pageChecks.overflow()")]
                if arguments.screenshots:
                    name = f"{width}-{'dark' if dark else 'light'}.png"
                    page.screenshot(pathlib.Path(arguments.screenshots) / name, full=True)
            for name in ("structure", "sorting", "filtering", "overflow"):
                found += [f"{width} px: {message}" for message in page.evaluate(f"pageChecks.{name}()")]
            if width == WIDTHS[-1]:
                for expression in arguments.expect:
                    if page.evaluate(expression) is not True:
                        found.append(f"not true: {expression}")
            check(page, f"{width} px", found)
            page.close()
    if any(grounds[width, False] == grounds[width, True] for width in WIDTHS):
        found.append("dark and light have the same ground")
    print("\n".join(found) if found else "the page works")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
