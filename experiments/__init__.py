"""The paper's experiments: `python -m experiments`, or `make reproduce`."""
