"""What comes before a test imports JAX or Keras, whose backend the package chooses."""

import gc
import os
from collections.abc import Iterator

import pytest

# LLVM's optimizations would take most of the time of programs that run once. XLA's own stay.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

# Models that were traced stay for other tests: millions of objects, which the default looks through again and again.
gc.set_threshold(100_000)

import zonemark.models  # noqa: E402, F401


@pytest.fixture(autouse=True)
def _not_looked_through_again() -> Iterator[None]:
    """What a test leaves is not collected: Keras has all objects looked through before each model, which took a third of the time of all tests."""
    yield
    gc.freeze()
