# SPDX-License-Identifier: Apache-2.0
"""Losses whose gradients are not those of their operations, and losses with factors of matrices, in plain JAX: name,
loss(parameters, *data), parameters, data."""

import jax
import jax.numpy as jnp
from jax import lax

from gradient_programs.drawn import Drawn
from gradient_programs.layers import cross_entropy, mlp, mlp_parameters


@jax.custom_vjp
def _rounded(x):
    return jnp.round(8 * x) / 8


_rounded.defvjp(lambda x: (_rounded(x), jnp.abs(x) < 1), lambda inside, g: (g * inside,))


@jax.custom_vjp
def _reversed(x, weight):
    return x * 1.0


_reversed.defvjp(lambda x, weight: (_reversed(x, weight), weight), lambda weight, g: (-weight * g, None))


@jax.custom_jvp
def _spike(x):
    return (x > 0).astype(x.dtype)


_spike.defjvp(lambda xs, ts: (_spike(*xs), ts[0] / (1 + 4 * jnp.abs(xs[0]))**2))


def quantized_network(draw):
    """Weights and activations are rounded, with the gradient of a clipped identity."""
    def loss(p, x, labels):
        for layer in p[:-1]:
            x = _rounded(jnp.tanh(x @ _rounded(layer["w"]) + layer["b"]))
        return cross_entropy(x @ _rounded(p[-1]["w"]) + p[-1]["b"], labels)

    return loss, mlp_parameters(draw, 6, 8, 8, 4), (draw.data(5, 6), draw.whole(4, 5))


def adversarial_domains(draw):
    """A classifier of domains whose gradient is reversed."""
    parameters = {"body": mlp_parameters(draw, 6, 8, 4), "labels": mlp_parameters(draw, 4, 3),
                  "domains": mlp_parameters(draw, 4, 6, 2)}

    def loss(p, x, labels, domains, weight):
        z = mlp(p["body"], x)
        return cross_entropy(mlp(p["labels"], z), labels) + cross_entropy(mlp(p["domains"], _reversed(z, weight)), domains)

    return loss, parameters, (draw.data(6, 6), draw.whole(3, 6), draw.whole(2, 6), draw.uniform())


def spiking_network(draw):
    """Spikes have the slope of a smooth function, in a scan."""
    parameters = {"in": draw(4, 6), "recurrent": draw(6, 6), "out": draw(6, 3)}

    def loss(p, x, labels):
        def step(state, now):
            voltage, spikes = state
            voltage = 0.9 * voltage * (1 - spikes) + now @ p["in"] + spikes @ p["recurrent"]
            spikes = _spike(voltage - 0.5)
            return (voltage, spikes), spikes

        _, spikes = lax.scan(step, (jnp.zeros((2, 6)), jnp.zeros((2, 6))), x)
        return cross_entropy(spikes.mean(0) @ p["out"], labels)

    return loss, parameters, (draw.data(7, 2, 4), draw.whole(3, 2))


def siamese(draw):
    parameters = {"body": mlp_parameters(draw, 6, 8, 4), "predict": mlp_parameters(draw, 4, 6, 4)}

    def loss(p, a, b):
        def apart(x, z):
            x = x / jnp.linalg.norm(x, axis=-1, keepdims=True)
            return -(x * lax.stop_gradient(z / jnp.linalg.norm(z, axis=-1, keepdims=True))).sum(-1).mean()

        za, zb = mlp(p["body"], a), mlp(p["body"], b)
        return apart(mlp(p["predict"], za), zb) + apart(mlp(p["predict"], zb), za)

    return loss, parameters, (draw.data(5, 6), draw.data(5, 6))


def glow(draw):
    """Invertible mixtures of channels: logarithms of determinants."""
    parameters = {"w": [draw(4, 4, scale=1) for _ in range(2)], "scale": draw(2, 4, scale=0.3)}

    def loss(p, x):
        total = 0
        for w, scale in zip(p["w"], p["scale"]):
            x = jnp.tanh(x @ w) + x * jnp.exp(scale)
            total = total + jnp.linalg.slogdet(w)[1] + scale.sum()
        return (0.5 * (x**2).sum(-1)).mean() - total

    return loss, parameters, (draw.data(6, 4),)


def ridge_regression(draw):
    """A linear system of learned features, and the inverse of a matrix."""
    parameters = {"features": mlp_parameters(draw, 3, 8, 4), "ridge": draw(1)}

    def loss(p, x, y, x_new, y_new):
        f, g = mlp(p["features"], x, jnp.tanh), mlp(p["features"], x_new, jnp.tanh)
        gram = f.T @ f + jnp.exp(p["ridge"]) * jnp.eye(4)
        error = g @ jnp.linalg.solve(gram, f.T @ y) - y_new
        return (error**2).mean() + jnp.trace(jnp.linalg.inv(gram)) + jnp.linalg.det(gram / 4)

    return loss, parameters, (draw.data(7, 3), draw.data(7, 2), draw.data(5, 3), draw.data(5, 2))


def spectral_embedding(draw):
    parameters = mlp_parameters(draw, 3, 6, 4)

    def loss(p, x):
        f = mlp(p, x, jnp.tanh)
        values, vectors = jnp.linalg.eigh(f.T @ f / 8 + jnp.diag(jnp.arange(4.0)))
        return -jnp.log(values).sum() + ((f @ vectors)**4).mean()

    return loss, parameters, (draw.data(8, 3),)


PROGRAMS = [quantized_network, adversarial_domains, spiking_network, siamese, glow, ridge_regression, spectral_embedding]


def programs():
    for make in PROGRAMS:
        yield make.__name__, *make(Drawn(len(make.__name__)))
