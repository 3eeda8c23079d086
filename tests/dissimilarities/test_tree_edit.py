"""Tree edit distance against PyPI's zss and apted."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import zss
from apted import APTED
from apted.helpers import Tree

from helpers import one_line
from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.dissimilarities.trees import (
    flatten,
    looks_like_tree,
    records_are_trees,
    unflatten,
)
from medoids.engines.cpu.points import distances_between


def grow(rng: random.Random, nodes: int) -> Any:
    """A random tree: every node joins a random one before it, as its last child."""
    tree: Any = (rng.choice("abcd"), [])
    all_ = [tree]
    for _ in range(nodes - 1):
        node: Any = (rng.choice("abcd"), [])
        rng.choice(all_)[1].append(node)
        all_.append(node)
    return tree


def to_zss(tree: Any) -> zss.Node:
    return zss.Node(tree[0], [to_zss(child) for child in tree[1]])


def to_apted(tree: Any) -> str:
    return "{" + tree[0] + "".join(map(to_apted, tree[1])) + "}"


def to_dict(tree: Any) -> dict[str, Any]:
    node = {"id": 1, "type": tree[0]}
    return node | {"children": [to_dict(child) for child in tree[1]]} if tree[1] else node


def distances(trees: list[Any], others: list[Any], **costs: float) -> np.ndarray:
    data = read(trees, "tree_edit", costs or None)
    with Workers(2) as workers:
        return distances_between(data, data.like(others), workers)


@pytest.fixture(scope="module")
def trees() -> list[Any]:
    rng = random.Random(0)
    return [grow(rng, rng.randint(1, 22)) for _ in range(70)]


def test_a_thousand_pairs_are_those_of_zss_and_apted(trees: list[Any]) -> None:
    left, right = trees[:25], trees[25:65]
    found = distances(left, right)
    assert found.size == 1000
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            assert found[i, j] == zss.simple_distance(to_zss(one), to_zss(other))
    for i, one in enumerate(left[:10]):
        for j, other in enumerate(right):
            pair = Tree.from_text(to_apted(one)), Tree.from_text(to_apted(other))
            assert found[i, j] == APTED(*pair).compute_edit_distance()


def test_costs_can_be_given(trees: list[Any]) -> None:
    left, right = trees[:12], trees[30:42]
    found = distances(left, right, insert=1.0, delete=2.5, rename=0.75)
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            assert found[i, j] == pytest.approx(
                zss.distance(
                    to_zss(one), to_zss(other), zss.Node.get_children,
                    lambda node: 1.0, lambda node: 2.5,
                    lambda a, b: 0.0 if a.label == b.label else 0.75,
                )
            )  # fmt: skip


def test_edits_have_a_direction(trees: list[Any]) -> None:
    leaf, pair = ("a", []), ("a", [("b", [])])
    assert distances([leaf], [pair], insert=1.0, delete=5.0)[0, 0] == 1
    assert distances([pair], [leaf], insert=1.0, delete=5.0)[0, 0] == 5


def test_dicts_are_trees_too(trees: list[Any]) -> None:
    dicts = [to_dict(tree) for tree in trees]
    np.testing.assert_array_equal(distances(dicts, trees), distances(trees, trees))


def test_deep_trees_do_not_overflow() -> None:
    deep: Any = ("a", [])
    for _ in range(3000):
        deep = ("a", [deep])
    assert distances([deep], [("a", [])])[0, 0] == 3000


@pytest.mark.parametrize("method", ["banditpam", "pam", "fasterpam", "alternate"])
def test_medoids_of_trees(trees: list[Any], method: str) -> None:
    matrix = distances(trees, trees)
    found = KMedoids(4, metric="tree_edit", method=method, random_state=0).fit(trees)
    expected = k_medoids(matrix, 4, metric="precomputed", method=method, random_state=0)
    assert found.medoid_indices_.tolist() == expected.medoid_indices.tolist()
    assert found.inertia_ == expected.inertia
    assert found.cluster_centers_ == [trees[i] for i in found.medoid_indices_]
    np.testing.assert_array_equal(found.predict(trees), found.labels_)
    new = [("z", [("y", [])]), trees[3]]
    np.testing.assert_array_equal(found.transform(new), distances(found.cluster_centers_, new).T)


@pytest.mark.parametrize("bad", [3, "abc", ("a",), ("a", 5), {"children": []}, ([], [])])
def test_what_is_no_tree_is_named(bad: Any) -> None:
    with pytest.raises(TypeError, match=r"X\[1\]") as caught:
        k_medoids([("a", []), bad], 1, metric="tree_edit")
    one_line(caught.value)


@pytest.mark.parametrize("params", [{"insert": -1}, {"rename": "no"}, {"other": 1}])
def test_costs_that_make_no_sense(params: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        k_medoids([("a", []), ("b", [])], 1, metric="tree_edit", metric_params=params)
    one_line(caught.value)


@pytest.mark.parametrize(
    ("thing", "expected", "childless"),
    [
        (("a", []), True, True),
        (["a", [["b", []]]], True, True),
        (("a", [{"type": "b"}]), True, True),
        ({"type": "a", "children": []}, True, True),
        ({"type": "dog", "weight": 3}, False, True),
        ({"type": "dog", "children": None}, False, True),
        ({"type": "dog", "children": 3}, False, False),
        ({"children": []}, False, False),
        ("ab", False, False),
        ((1, 2), False, False),
        (("a", ["b", "c"]), False, False),
        (([], []), False, False),
        ([None, []], False, False),
        (("a", [], []), False, False),
    ],
)
def test_what_looks_like_a_tree(thing: Any, expected: bool, childless: bool) -> None:
    assert looks_like_tree(thing) is expected
    assert looks_like_tree(thing, childless=True) is childless


def test_records_are_trees_if_some_have_children() -> None:
    dogs = [{"type": "dog", "weight": 3}, {"type": "cat", "weight": 2}]
    assert not records_are_trees(dogs)
    assert records_are_trees([*dogs, {"type": "a", "children": []}])
    assert not records_are_trees([*dogs, {"children": []}])


@pytest.mark.parametrize(
    "tree",
    [
        ("a", [("b", ()), ["c", [("d", [])]]]),
        {"type": "a", "id": 1, "children": [{"type": "b"}, {"type": "c", "children": ()}]},
        {"type": "a", "children": None},
        ["a", ({"type": "b", "children": [("c", [])]},)],
    ],
)
def test_flat_trees_are_plain_and_come_back(tree: Any) -> None:
    shells, counts, holders = flatten(tree)
    assert len(shells) == len(counts) == len(holders)
    assert {type(each) for each in holders} == {str}
    assert unflatten((shells, counts, holders)) == tree
