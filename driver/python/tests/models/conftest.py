"""What comes before a test imports JAX or Keras, whose backend the package chooses."""

import gc
import os

# LLVM's optimizations would take most of the time of programs that run once. XLA's own stay.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

# Models that were traced stay for other tests: millions of objects, which the default looks through again and again.
gc.set_threshold(100_000)

import zonemark.models  # noqa: E402, F401
