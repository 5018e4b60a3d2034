# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 v1.5 (He et al. 2015) in plain JAX, with a step of SGD with momentum:

python3 python/examples/jax_resnet.py
"""
import jax
import jax.numpy as jnp
from jax import lax

import podsim.jax

BLOCKS = (3, 4, 6, 3)


def parameters(make):
    """The list of parameters, a convolution with its norm or the head each; make(shape) makes a leaf."""
    tree = []

    def conv(size, inputs, outputs):
        tree.append((make((size, size, inputs, outputs)), make((outputs,)), make((outputs,))))

    conv(7, 3, 64)
    inputs = 64
    for stage, blocks in enumerate(BLOCKS):
        width = 64 << stage
        for block in range(blocks):
            if block == 0:
                conv(1, inputs, 4 * width)
            conv(1, inputs, width)
            conv(3, width, width)
            conv(1, width, 4 * width)
            inputs = 4 * width
    return tree + [(make((2048, 1000)), make((1000,)))]


def conv(x, p, stride):
    """A convolution in the type of x, and batch norm in f32."""
    kernel, scale, bias = p
    size = kernel.shape[0]
    padding = [((size - 1) // 2, size // 2)] * 2
    x = lax.conv_general_dilated(x, kernel.astype(x.dtype), (stride, stride), padding,
                                 dimension_numbers=("NHWC", "HWIO", "NHWC"))
    wide = x.astype(jnp.float32)
    mean = wide.mean((0, 1, 2))
    factor = scale * lax.rsqrt((wide * wide).mean((0, 1, 2)) - mean * mean + 1e-5)
    return (wide * factor + (bias - mean * factor)).astype(x.dtype)


def loss(tree, images, labels):
    rest = iter(tree)
    x = jax.nn.relu(conv(images, next(rest), 2))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for stage, blocks in enumerate(BLOCKS):
        for block in range(blocks):
            stride = 2 if stage and block == 0 else 1
            shortcut = conv(x, next(rest), stride) if block == 0 else x
            y = jax.nn.relu(conv(x, next(rest), 1))
            y = jax.nn.relu(conv(y, next(rest), stride))
            x = jax.nn.relu(conv(y, next(rest), 1) + shortcut)
    features = x.astype(jnp.float32).mean((1, 2)).astype(x.dtype)
    kernel, bias = next(rest)
    logits = (features @ kernel.astype(x.dtype)).astype(jnp.float32) + bias
    wanted = jax.nn.one_hot(labels, 1000) * 0.9 + 0.1 / 1000
    return -(wanted * jax.nn.log_softmax(logits)).sum(-1).mean()


def step(tree, momentum, images, labels, rate):
    value, gradients = jax.value_and_grad(loss)(tree, images, labels)
    momentum = jax.tree.map(lambda m, g, w: 0.9 * m + g + 1e-4 * w, momentum, gradients, tree)
    return jax.tree.map(lambda w, m: w - rate * m, tree, momentum), momentum, value


def simulate(batch=128, **flags):
    """The podsim.result.Result of a step of one core with a batch of `batch` images."""
    tree = parameters(lambda shape: jax.ShapeDtypeStruct(shape, jnp.float32))
    images = jax.ShapeDtypeStruct((batch, 224, 224, 3), jnp.bfloat16)
    args = (tree, tree, images, jax.ShapeDtypeStruct((batch,), jnp.int32), jax.ShapeDtypeStruct((), jnp.float32))
    return podsim.jax.simulate(step, args, donate_argnums=(0, 1), **flags)


if __name__ == "__main__":
    print(simulate())
