"""Draw the pictures of docs/gallery.md: `python examples/gallery.py [FOLDER]`.

They are of scikit-learn's own data, so that anyone can draw them again; the page is of MNIST
where the folder $MEDOIDS_DATA has it, and is photographed where Chromium and Playwright are.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_wine, make_blobs

from medoids import KMedoids, plot
from medoids._silhouette import medoid_silhouette
from medoids.datasets import load_mnist

WORDS = """
sitting fitting knitting kitten mitten bitten written smitten hitting biting kiting
saturday sunday monday tuesday wednesday thursday friday
river liver giver diver driver silver sliver quiver
table cable fable gable stable unable label
"""


def save(folder: Path, name: str, ax: Any) -> None:
    ax.figure.savefig(folder / f"{name}.png", dpi=110, facecolor="white")
    plt.close(ax.figure)
    print(folder / f"{name}.png")


def draw(folder: Path) -> None:
    """Each picture of `medoids.plot`."""
    digits = load_digits().data
    ten = KMedoids(10, random_state=0).fit(digits)
    hundred = KMedoids(100, random_state=0).fit(digits)
    save(folder, "medoids", plot.medoids(ten, digits, image_shape=(8, 8)))
    save(folder, "medoids_100", plot.medoids(hundred, digits, image_shape=(8, 8)))
    save(folder, "map", plot.map(ten, digits))
    save(folder, "sizes", plot.sizes(ten))
    save(folder, "silhouette", plot.silhouette(ten, digits))

    wine = load_wine(as_frame=True)
    scaled = (wine.data - wine.data.mean()) / wine.data.std()
    three = KMedoids(3, random_state=0).fit(scaled)
    save(folder, "medoids_rows", plot.medoids(three, scaled))
    cultivar = wine.target.rename("cultivar")
    save(folder, "contingency", plot.contingency(three, cultivar))
    save(folder, "map_by", plot.map(three, scaled, by=wine.data["proline"]))
    words = KMedoids(5, metric="levenshtein", random_state=0).fit(WORDS.split())
    save(folder, "medoids_objects", plot.medoids(words))

    blobs, _ = make_blobs(20_000, 20, centers=12, cluster_std=9, random_state=1)
    large = KMedoids(8, random_state=0).fit(blobs)
    save(folder, "search", plot.search(large))
    save(folder, "loss", plot.loss(large))

    ks = list(range(2, 15))
    few, _ = make_blobs(1_500, 6, centers=7, cluster_std=2.2, random_state=4)
    fits = [KMedoids(k, random_state=0).fit(few) for k in ks]
    silhouettes = [float(medoid_silhouette(km.transform(few)).mean()) for km in fits]
    best = ks[int(np.argmax(silhouettes))]
    save(folder, "scan", plot.scan(ks, [km.inertia_ for km in fits], silhouettes, best))


def photograph(folder: Path) -> None:
    """The explorer page, with a cluster chosen, in light and in dark."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("no picture of the page: it needs chromium, and playwright in Python")
        return
    if (Path(os.environ.get("MEDOIDS_DATA", "")) / "mnist.npz").is_file():
        (X, labels), shape, title = load_mnist(), (28, 28), "Handwritten digits (MNIST)"
    else:
        X, labels = load_digits(return_X_y=True)
        shape, title = (8, 8), "Handwritten digits"
    km = KMedoids(10, random_state=0).fit(X)
    with tempfile.TemporaryDirectory() as where, sync_playwright() as playwright:
        path = Path(where) / "report.html"
        km.report(X, path, image_shape=shape, title=title, labels=labels)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme, name in (("light", "report"), ("dark", "report_dark")):
            page = browser.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 1240})
            page.goto(path.as_uri())
            page.locator(".choose").nth(6).click()
            page.wait_for_timeout(1000)
            page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
            page.wait_for_timeout(500)
            page.screenshot(path=folder / f"{name}.png")
            print(folder / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs") / "gallery"
    target.mkdir(parents=True, exist_ok=True)
    draw(target)
    photograph(target)
