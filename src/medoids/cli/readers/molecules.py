"""Molecules in SMILES, a line each (RDKit)."""

from __future__ import annotations

import re

from ...chemistry import bit_vectors
from ..problem import Problem, one_line
from .inputs import Input, Reading, only_for_tables
from .source import Source


def read_smiles(source: Source, reading: Reading) -> Input:
    """A molecule a line: its SMILES, and its name behind; Morgan fingerprints of 2,048 bits."""
    only_for_tables(reading, "SMILES")
    smiles: list[str] = []
    names, places = [], []
    for at, line in enumerate(source.text.splitlines(), 1):
        if not line.strip():
            continue
        first, *rest = line.split(maxsplit=1)
        if not smiles and first.lower() in ("smiles", "canonical_smiles"):  # a heading
            continue
        smiles.append(first)
        places.append(at)
        names.append(rest[0].strip() if rest else str(at))
    if not smiles:
        raise Problem(f"{source.name} has no molecules: give a SMILES a line.")
    try:
        vectors = bit_vectors(smiles)
    except ImportError:
        raise Problem(f"{source.name} (.smi) needs RDKit: pip install rdkit.") from None
    except ValueError as error:
        said = re.sub(
            r"molecules\[(\d+)\]", lambda at: f"line {places[int(at[1])]}", one_line(error)
        )
        raise Problem(f"{source.name}: {said}") from None
    made = Input(vectors, "bits", names, texts=smiles)
    made.notes.append("compared by Morgan fingerprints, radius 2, 2,048 bits")
    return made
