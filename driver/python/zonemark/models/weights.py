"""Random weights of Keras layers, drawn by NumPy: JAX compiles a program for each shape, which would take longer than all else in an export."""

from __future__ import annotations

import math
import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from keras import initializers


class Drawn(initializers.Initializer):  # type: ignore[misc]  # Keras has no types
    """Draws the same values for a shape whenever it is called; how, says the subclass. Keras' seed (keras.utils.set_random_seed) decides which."""

    def __init__(self) -> None:
        """Takes the seed from where Keras' own initializers take theirs."""
        self.seed = random.getrandbits(64)

    def __call__(self, shape: tuple[int, ...], dtype: Any = None) -> Any:
        """The values, or zeros while a computation is traced: Keras asks for values then to learn shapes only."""
        if isinstance(zero := jnp.zeros((), dtype), jax.core.Tracer):
            return jnp.broadcast_to(zero, shape)
        return jnp.asarray(self.draw(np.random.default_rng(self.seed), tuple(shape)), dtype)

    def draw(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """The values for a shape, in float32."""
        raise NotImplementedError


class Normal(Drawn):
    """Normal values around a mean."""

    def __init__(self, std: float, mean: float = 0.0) -> None:
        """``std`` is the standard deviation."""
        super().__init__()
        self.std, self.mean = std, mean

    def draw(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """The values for a shape, in float32."""
        values = generator.standard_normal(shape, np.float32)
        values *= np.float32(self.std)
        values += np.float32(self.mean)
        return values


class Kernel(Normal):
    """The weights of a sum, so that the mean square of the result is ``power`` times that of the input; 2 is He initialization.

    The first axes of the shape are those that are summed over: all but the last or, of a depthwise kernel, the image's.
    """

    def __init__(self, power: float, depthwise: bool = False) -> None:
        """``depthwise`` says that the kernel sums over the image alone."""
        super().__init__(math.sqrt(power))
        self.summed = 2 if depthwise else -1

    def draw(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """The values for a shape, in float32."""
        values = super().draw(generator, shape)
        values /= np.float32(math.sqrt(math.prod(shape[: self.summed])))
        return values


class Uniform(Drawn):
    """Values between two."""

    def __init__(self, low: float, high: float) -> None:
        """All values between ``low`` and ``high`` are as likely."""
        super().__init__()
        self.low, self.high = low, high

    def draw(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """The values for a shape, in float32."""
        return generator.uniform(self.low, self.high, shape).astype(np.float32)
