"""The command line (extra `cli`): a file for each command, and for each thing they share."""
