"""The package chooses Keras' backend, so that it comes before a test imports Keras."""

import zonemark.models  # noqa: F401
