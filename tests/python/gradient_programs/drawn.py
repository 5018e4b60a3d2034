# SPDX-License-Identifier: Apache-2.0
"""Parameters and data of the programs of this folder, drawn from a fixed seed."""

import math

import numpy as np


class Drawn:
    """draw(3, 4) is an array of 3 x 4 with a variance of 1 / 3, as a layer of 3 inputs has."""

    def __init__(self, seed=0):
        self.random = np.random.default_rng(seed)

    def __call__(self, *shape, scale=None):
        scale = 1 / math.sqrt(max(1, math.prod(shape[:-1]))) if scale is None else scale
        return (scale * self.random.standard_normal(shape)).astype(np.float32)

    def data(self, *shape):
        return self(*shape, scale=1)

    def near_one(self, *shape):
        return 1 + self(*shape, scale=0.1)

    def whole(self, below, *shape):
        return self.random.integers(0, below, shape).astype(np.int32)

    def uniform(self, *shape):
        return self.random.random(shape).astype(np.float32)

    def layer(self, inputs, outputs):
        return {"w": self(inputs, outputs), "b": self(outputs, scale=0.1)}

    def norm(self, size):
        return {"scale": self.near_one(size), "bias": self(size, scale=0.1)}

    def kernel(self, *shape):
        """Spatial sizes, inputs of a group, outputs."""
        return {"w": self(*shape), "b": self(shape[-1], scale=0.1)}

    def bare(self, *shape):
        """A kernel before a batch norm, in which a bias would have no gradient."""
        return {"w": self(*shape)}
