"""Screenshots of every page for reviewers, in both themes, on a desktop and on a phone.

    PYTHONPATH=src:tests python tests/web/page_screenshots.py LIBRARY FOLDER

LIBRARY is the folder of a library; FOLDER receives `PAGE-THEME-WIDTH.png`. Compare with those of the branch before.
"""

import sys
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from browsing import Served, arguments, chromium, page_addresses

SIZES = ((1440, 900), (390, 844))
THEMES = ("light", "dark")


def main(library: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    served = Served(library)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=arguments())
            for theme in THEMES:
                for width, height in SIZES:
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
                    page.goto(served.url)
                    for address in page_addresses(page):
                        page.goto(address)
                        page.wait_for_load_state("networkidle")
                        name = urlsplit(address).path.strip("/").replace("/", "-")
                        page.screenshot(path=folder / f"{name}-{theme}-{width}.png", full_page=True)
                    page.close()
            browser.close()
    finally:
        served.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
