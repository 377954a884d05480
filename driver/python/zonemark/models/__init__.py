"""Models that zonemark benchmarks end to end, and what writes them as StableHLO programs with their weights beside them.

A model is a function under a decorator; a file of its own in this folder, or in a folder named with --models, is all it takes:

    import jax.numpy as jnp
    from zonemark.models import Module, Parameter, benchmark_model

    @benchmark_model(configs=["small", "large"])
    def mlp(training: bool, config: str, force_num_layers: int = 0):
        width = {"small": 128, "large": 1024}[config]
        params = [Parameter((width, width), std=width**-0.5) for _ in range(force_num_layers or 4)]

        def forward(params, x):
            for weights in params:
                x = jnp.tanh(x @ weights)
            return x

        return [Module(forward, params)], [jnp.ones((8, width))]

It needs jax and keras (requirements.txt); the rest of the package zonemark does without them and does not import this one.
"""

import os

# Before jax and keras are imported for the first time: exports are made and checked on the CPU, and Keras computes with JAX.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["KERAS_BACKEND"] = "jax"

from zonemark.models.exporter.module import Module, Parameter  # noqa: E402
from zonemark.models.exporter.registry import benchmark_model  # noqa: E402

__all__ = ["Module", "Parameter", "benchmark_model"]
