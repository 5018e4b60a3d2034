# SPDX-License-Identifier: Apache-2.0
"""Training losses of networks by libraries on JAX: name, loss(parameters, *data), parameters, data. A library that cannot
be imported leaves its programs out."""

import importlib

import jax
import jax.numpy as jnp

from gradient_programs.drawn import Drawn
from gradient_programs.layers import cross_entropy

KEY = jax.random.PRNGKey(3)


def flax_resnet(draw):
    from flax import linen as nn

    class Block(nn.Module):
        size: int
        stride: int

        @nn.compact
        def __call__(self, x):
            norm = lambda: nn.BatchNorm(use_running_average=False)
            y = nn.relu(norm()(nn.Conv(self.size, (3, 3), self.stride, use_bias=False)(x)))
            y = norm()(nn.Conv(self.size, (3, 3), use_bias=False)(y))
            if y.shape != x.shape:
                x = norm()(nn.Conv(self.size, (1, 1), self.stride, use_bias=False)(x))
            return nn.relu(x + y)

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.max_pool(nn.relu(nn.Conv(4, (5, 5), 2)(x)), (3, 3), (2, 2), "SAME")
            return nn.Dense(5)(Block(8, 2)(Block(4, 1)(x)).mean((1, 2)))

    images, labels, net = draw.data(3, 16, 16, 3), draw.whole(5, 3), Net()
    state = net.init(KEY, images)

    def loss(p, images, labels):
        logits, _ = net.apply({"params": p, "batch_stats": state["batch_stats"]}, images, mutable=["batch_stats"])
        return cross_entropy(logits, labels)

    return loss, state["params"], (images, labels)


def flax_vit(draw):
    from flax import linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.Conv(8, (4, 4), 4, padding="VALID")(x).reshape(x.shape[0], -1, 8)
            token = self.param("token", nn.initializers.normal(1.0), (1, 1, 8))
            x = jnp.concatenate([jnp.tile(token, (x.shape[0], 1, 1)), x], 1)
            x = x + self.param("places", nn.initializers.normal(0.5), (1, x.shape[1], 8))
            for _ in range(2):
                x = x + nn.MultiHeadDotProductAttention(2)(nn.LayerNorm()(x))
                x = x + nn.Dense(8)(nn.gelu(nn.Dense(16)(nn.LayerNorm()(x))))
            return nn.Dense(5)(nn.LayerNorm()(x)[:, 0])

    images, labels, net = draw.data(2, 8, 8, 3), draw.whole(5, 2), Net()
    return lambda p, x, y: cross_entropy(net.apply(p, x), y), net.init(KEY, images), (images, labels)


def flax_recurrent(draw):
    from flax import linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, words):
            x = nn.Embed(7, 4)(words)
            x = nn.Bidirectional(nn.RNN(nn.OptimizedLSTMCell(5)), nn.RNN(nn.GRUCell(5)))(x)
            return nn.Dense(7)(nn.RNN(nn.SimpleCell(6))(x))

    words, following, net = draw.whole(7, 2, 6), draw.whole(7, 2, 6), Net()
    return lambda p, x, y: cross_entropy(net.apply(p, x), y), net.init(KEY, words), (words, following)


def flax_spectral(draw):
    """Spectral norms and weight norms of a discriminator with a hinge loss, and a transposed convolution."""
    from flax import linen as nn

    class Generator(nn.Module):
        @nn.compact
        def __call__(self, z):
            x = nn.relu(nn.GroupNorm(2)(nn.Dense(32)(z).reshape(-1, 2, 2, 8)))
            return jnp.tanh(nn.ConvTranspose(2, (4, 4), (2, 2))(nn.relu(nn.ConvTranspose(4, (4, 4), (2, 2))(x))))

    class Discriminator(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.leaky_relu(nn.WeightNorm(nn.Conv(4, (4, 4), 2))(x), 0.2)
            return nn.Dense(1)(nn.leaky_relu(nn.Conv(4, (4, 4), 2)(x), 0.2).reshape(x.shape[0], -1))

    z, real = draw.data(3, 4), draw.data(3, 8, 8, 2)
    make, judge = Generator(), Discriminator()
    parameters = {"make": make.init(KEY, z), "judge": judge.init(KEY, real)}

    def loss(p, z, real):
        fake = make.apply(p["make"], z)
        return nn.relu(1 - judge.apply(p["judge"], real)).mean() + nn.relu(1 + judge.apply(p["judge"], fake)).mean()

    return loss, parameters, (z, real)


def nnx_decoder(draw):
    from flax import nnx

    class Layer(nnx.Module):
        def __init__(self, rngs):
            self.norm, self.attention = nnx.RMSNorm(8, rngs=rngs), nnx.MultiHeadAttention(2, 8, decode=False, rngs=rngs)
            self.up, self.down = nnx.Linear(8, 16, rngs=rngs), nnx.Linear(16, 8, rngs=rngs)

        def __call__(self, x):
            mask = nnx.make_causal_mask(x[..., 0])
            x = x + self.attention(self.norm(x), mask=mask)
            return x + self.down(nnx.silu(self.up(self.norm(x))))

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.words, self.first, self.second = nnx.Embed(9, 8, rngs=rngs), Layer(rngs), Layer(rngs)

        def __call__(self, words):
            return self.words.attend(self.second(self.first(self.words(words))))

    graph, parameters = nnx.split(Net(nnx.Rngs(0)), nnx.Param)
    return (lambda p, x, y: cross_entropy(nnx.merge(graph, p)(x), y), parameters,
            (draw.whole(9, 2, 5), draw.whole(9, 2, 5)))


def haiku_network(draw):
    import haiku as hk

    def forward(images):
        x = hk.Conv2D(4, 3, 2)(images)
        x = jax.nn.relu(hk.LayerNorm(-1, True, True)(x))
        x = hk.SeparableDepthwiseConv2D(2, 3)(x) if hasattr(hk, "SeparableDepthwiseConv2D") else hk.DepthwiseConv2D(2, 3)(x)
        x = hk.MaxPool(2, 2, "SAME")(jax.nn.relu(x))
        x = hk.AvgPool(2, 1, "SAME")(hk.GroupNorm(2)(hk.Conv2DTranspose(4, 2, 2)(x)))
        return hk.nets.MLP([8, 5])(hk.Flatten()(x))

    net = hk.without_apply_rng(hk.transform(forward))
    images, labels = draw.data(2, 12, 12, 3), draw.whole(5, 2)
    return lambda p, x, y: cross_entropy(net.apply(p, x), y), net.init(KEY, images), (images, labels)


def haiku_recurrent(draw):
    import haiku as hk

    def forward(words):
        x = hk.Embed(7, 4)(words).swapaxes(0, 1)
        core = hk.DeepRNN([hk.LSTM(5), jax.nn.relu, hk.GRU(4)])
        x, _ = hk.dynamic_unroll(core, x, core.initial_state(words.shape[0]))
        return hk.BatchApply(hk.Linear(7))(x).swapaxes(0, 1)

    net = hk.without_apply_rng(hk.transform(forward))
    words, following = draw.whole(7, 2, 5), draw.whole(7, 2, 5)
    return lambda p, x, y: cross_entropy(net.apply(p, x), y), net.init(KEY, words), (words, following)


def equinox_network(draw):
    import equinox as eqx

    keys = jax.random.split(KEY, 5)
    net = {"conv": eqx.nn.Conv2d(2, 4, 3, 2, key=keys[0]), "norm": eqx.nn.GroupNorm(2, 4),
           "attention": eqx.nn.MultiheadAttention(2, 4, key=keys[1]), "cell": eqx.nn.GRUCell(4, 6, key=keys[2]),
           "mlp": eqx.nn.MLP(6, 5, 8, 2, activation=jax.nn.softplus, key=keys[3]), "pool": eqx.nn.AdaptiveAvgPool2d(3)}
    parameters, static = eqx.partition(net, eqx.is_inexact_array)

    def loss(p, images, labels):
        net = eqx.combine(p, static)

        def logits(image):
            x = net["pool"](jax.nn.relu(net["norm"](net["conv"](image)))).reshape(4, -1).T
            x = x + net["attention"](x, x, x)
            return net["mlp"](jax.lax.scan(lambda h, row: (net["cell"](row, h), None), jnp.zeros(6), x)[0])

        return cross_entropy(jax.vmap(logits)(images), labels)

    return loss, parameters, (draw.data(2, 2, 9, 9), draw.whole(5, 2))


def numpyro_hierarchy(draw):
    """The potential of a hierarchical regression with Student errors."""
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer.util import potential_energy

    def model(x, group, y):
        mean, spread = numpyro.sample("mean", dist.Normal(0, 1)), numpyro.sample("spread", dist.HalfCauchy(1))
        slope = numpyro.sample("slope", dist.Normal(mean, spread).expand([3]))
        noise, freedom = numpyro.sample("noise", dist.Exponential(1)), numpyro.sample("freedom", dist.Gamma(2, 0.1))
        numpyro.sample("y", dist.StudentT(freedom, slope[group] * x, noise), obs=y)

    parameters = {"mean": draw(), "spread": draw(), "slope": draw(3), "noise": draw(), "freedom": draw() + 2}
    return (lambda p, x, group, y: potential_energy(model, (x, group, y), {}, p), parameters,
            (draw.data(8), draw.whole(3, 8), draw.data(8)))


def numpyro_mixture(draw):
    """A mixture with Dirichlet shares, an LKJ factor of correlations, and Beta and Poisson parts."""
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer.util import potential_energy

    def model(x, counts):
        shares = numpyro.sample("shares", dist.Dirichlet(jnp.ones(3) * 2))
        factor = numpyro.sample("factor", dist.LKJCholesky(2, 2.0))
        places = numpyro.sample("places", dist.Normal(0, 2).expand([3, 2]).to_event(2))
        rate = numpyro.sample("rate", dist.Beta(2, 3))
        parts = dist.MultivariateNormal(places, scale_tril=factor)
        numpyro.sample("x", dist.MixtureSameFamily(dist.Categorical(probs=shares), parts), obs=x)
        numpyro.sample("counts", dist.ZeroInflatedPoisson(rate, 3.0), obs=counts)

    parameters = {"shares": draw(2), "factor": draw(1), "places": draw(3, 2), "rate": draw()}
    return (lambda p, x, counts: potential_energy(model, (x, counts), {}, p), parameters,
            (draw.data(6, 2), draw.whole(4, 6)))


def optax_losses(draw):
    """Connectionist temporal classification, Huber and cosine losses."""
    import optax

    parameters = {"a": draw.layer(4, 6), "b": draw.layer(6, 5)}

    def loss(p, x, labels, wanted):
        h = jnp.tanh(x @ p["a"]["w"] + p["a"]["b"])
        logits = h @ p["b"]["w"] + p["b"]["b"]
        padding = jnp.zeros(labels.shape)
        ctc = optax.ctc_loss(logits, jnp.zeros(logits.shape[:2]), labels, padding).mean()
        return ctc + optax.huber_loss(h.mean(1), wanted).mean() + optax.cosine_distance(h[:, 0], wanted).mean() + (
            optax.sigmoid_focal_loss(logits, jax.nn.one_hot(labels[:, :1], 5)).mean())

    return loss, parameters, (draw.data(2, 7, 4), 1 + draw.whole(4, 2, 3), draw.data(2, 6))


def brax_policy(draw):
    """A reward after two steps of a simulated pendulum, by a policy that is trained through the physics."""
    from brax import envs

    env = envs.create("inverted_pendulum", backend="spring", auto_reset=False)
    start = jax.jit(env.reset)(KEY)
    parameters = draw.layer(start.obs.shape[-1], env.action_size)

    def loss(p, push):
        state = start
        for _ in range(1):
            state = env.step(state, jnp.tanh(state.obs @ p["w"] + p["b"]) + push)
        return (state.obs**2).sum()

    return loss, parameters, (draw.data(env.action_size),)


PROGRAMS = {"flax": [flax_resnet, flax_vit, flax_recurrent, flax_spectral, nnx_decoder], "haiku": [haiku_network, haiku_recurrent],
            "equinox": [equinox_network], "numpyro": [numpyro_hierarchy, numpyro_mixture], "optax": [optax_losses], "brax": [brax_policy]}


def programs():
    for library, makers in PROGRAMS.items():
        try:
            importlib.import_module(library)
        except ImportError:
            continue
        for make in makers:
            yield make.__name__, *make(Drawn(len(make.__name__)))
