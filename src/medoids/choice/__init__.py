"""Which number of clusters? All of them in one run, and criteria side by side.

`path` fits every k on shared distances; `criteria` say what the losses and the clusters mean;
`suggest` weighs what they say; `scan` puts it together, and `table` is what users get. It stands on
`_fit` and the data alone, and imports no estimator.
"""
