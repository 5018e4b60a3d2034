# SPDX-License-Identifier: Apache-2.0
"""Losses of graph networks, operators, physics, statistics and reinforcement learning, in plain JAX: name,
loss(parameters, *data), parameters, data."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from gradient_programs.drawn import Drawn
from gradient_programs.layers import cross_entropy, dense, mlp, mlp_parameters


def graph_convolution(draw):
    parameters = {"a": draw.layer(5, 6), "b": draw.layer(6, 3)}

    def loss(p, x, senders, receivers, labels):
        degree = jax.ops.segment_sum(jnp.ones(20), receivers, 8) + 1
        scale = lax.rsqrt(degree)

        def spread(y):
            y = y * scale[:, None]
            return (jax.ops.segment_sum(y[senders], receivers, 8) + y) * scale[:, None]

        return cross_entropy(spread(dense(p["b"], jax.nn.relu(spread(dense(p["a"], x))))), labels)

    return loss, parameters, (draw.data(8, 5), draw.whole(8, 20), draw.whole(8, 20), draw.whole(3, 8))


def graph_attention(draw):
    parameters = {"w": draw(5, 6), "from": draw(2, 3), "to": draw(2, 3), "head": draw.layer(6, 3)}

    def loss(p, x, senders, receivers, labels):
        h = (x @ p["w"]).reshape(8, 2, 3)
        scores = jax.nn.leaky_relu((h * p["from"]).sum(-1)[senders] + (h * p["to"]).sum(-1)[receivers], 0.2)
        most = jax.ops.segment_max(scores, receivers, 8)
        scores = jnp.exp(scores - most[receivers])
        weights = scores / jax.ops.segment_sum(scores, receivers, 8)[receivers]
        y = jax.ops.segment_sum(weights[..., None] * h[senders], receivers, 8)
        return cross_entropy(dense(p["head"], jax.nn.elu(y.reshape(8, 6))), labels)

    return loss, parameters, (draw.data(8, 5), draw.whole(8, 20), draw.whole(8, 20), draw.whole(3, 8))


def message_passing(draw):
    """Messages of an edge network, a gated update, and sums over each of two graphs."""
    parameters = {"edge": mlp_parameters(draw, 11, 8, 5), "gate": draw.layer(10, 10), "new": draw.layer(10, 5),
                  "read": mlp_parameters(draw, 5, 6, 1)}

    def loss(p, x, edges, senders, receivers, graphs, wanted):
        for _ in range(2):
            m = mlp(p["edge"], jnp.concatenate([x[senders], x[receivers], edges], -1), jax.nn.relu)
            m = jax.ops.segment_sum(m, receivers, 8)
            r, z = jnp.split(jax.nn.sigmoid(dense(p["gate"], jnp.concatenate([x, m], -1))), 2, -1)
            x = z * x + (1 - z) * jnp.tanh(dense(p["new"], jnp.concatenate([r * x, m], -1)))
        read = jax.ops.segment_sum(mlp(p["read"], x, jax.nn.relu), graphs, 2)[:, 0]
        return jnp.mean((read - wanted)**2)

    return loss, parameters, (draw.data(8, 5), draw.data(20, 1), draw.whole(8, 20), draw.whole(8, 20),
                              np.arange(8, dtype=np.int32) // 4, draw.data(2))


def molecule_forces(draw):
    """Energies of distances and their gradients: forces in the loss."""
    parameters = {"kinds": draw(3, 6, scale=1), "filter": mlp_parameters(draw, 8, 6, 6),
                  "update": mlp_parameters(draw, 6, 6, 6), "read": mlp_parameters(draw, 6, 4, 1)}
    first, second = np.nonzero(~np.eye(5, dtype=bool))

    def energy(p, places, kinds):
        far = jnp.sqrt(((places[first] - places[second])**2).sum(-1))
        rbf = jnp.exp(-4 * (far[:, None] - jnp.linspace(0, 4, 8))**2)
        window = jnp.where(far < 4, 0.5 * (jnp.cos(jnp.pi * far / 4) + 1), 0)
        h, softened = p["kinds"][kinds], lambda x: jax.nn.softplus(x) - jnp.log(2.0)
        for _ in range(2):
            w = mlp(p["filter"], rbf, softened) * window[:, None]
            h = h + mlp(p["update"], jax.ops.segment_sum(h[second] * w, first, 5), softened)
        return mlp(p["read"], h, softened).sum()

    def loss(p, places, kinds, energies, forces):
        e, slopes = jax.vmap(jax.value_and_grad(lambda r, k: energy(p, r, k)))(places, kinds)
        return jnp.mean((e - energies)**2) + jnp.mean((slopes + forces)**2)

    return loss, parameters, (draw.data(2, 5, 3), draw.whole(3, 2, 5), draw.data(2), draw.data(2, 5, 3))


def equivariant(draw):
    """Features and places that move together."""
    parameters = {"edge": mlp_parameters(draw, 9, 8, 6), "move": mlp_parameters(draw, 6, 6, 1),
                  "node": mlp_parameters(draw, 10, 8, 4)}

    def loss(p, h, x, wanted):
        n = h.shape[0]
        for _ in range(2):
            apart = x[:, None] - x[None]
            square = (apart**2).sum(-1, keepdims=True)
            pairs = jnp.concatenate([jnp.broadcast_to(h[:, None], (n, n, 4)), jnp.broadcast_to(h[None], (n, n, 4)), square], -1)
            m = mlp(p["edge"], pairs, jax.nn.silu) * (1 - jnp.eye(n))[..., None]
            x = x + (apart / (jnp.sqrt(square + 1e-8) + 1) * mlp(p["move"], m, jax.nn.silu)).mean(1)
            h = h + mlp(p["node"], jnp.concatenate([h, m.sum(1)], -1), jax.nn.silu)
        return jnp.mean((x - wanted)**2) + h.mean()

    return loss, parameters, (draw.data(5, 4), draw.data(5, 3), draw.data(5, 3))


def fourier_operator(draw):
    parameters = {"lift": draw.layer(3, 4), "layers": [{"real": draw(3, 3, 4, 4, scale=0.2), "imaginary": draw(3, 3, 4, 4, scale=0.2),
                                                        "skip": draw.layer(4, 4)} for _ in range(2)],
                  "project": mlp_parameters(draw, 4, 6, 1)}

    def loss(p, x, wanted):
        line = jnp.linspace(0, 1, 8)
        grid = jnp.stack(jnp.meshgrid(line, line), -1)
        x = dense(p["lift"], jnp.concatenate([x, jnp.broadcast_to(grid, (2, 8, 8, 2))], -1))
        for layer in p["layers"]:
            low = jnp.fft.rfft2(x, axes=(1, 2))[:, :3, :3]
            mixed = jnp.einsum("nxyi,xyio->nxyo", low, layer["real"] + 1j * layer["imaginary"])
            high = jnp.zeros((2, 8, 5, 4), jnp.complex64).at[:, :3, :3].set(mixed)
            x = jax.nn.gelu(jnp.fft.irfft2(high, s=(8, 8), axes=(1, 2)) + dense(layer["skip"], x))
        error = mlp(p["project"], x)[..., 0] - wanted
        return jnp.mean(jnp.sqrt((error**2).sum((1, 2))) / jnp.sqrt((wanted**2).sum((1, 2))))

    return loss, parameters, (draw.data(2, 8, 8, 1), draw.data(2, 8, 8))


def deep_operator(draw):
    parameters = {"branch": mlp_parameters(draw, 10, 8, 6), "trunk": mlp_parameters(draw, 2, 8, 6), "bias": draw(1)}

    def loss(p, u, y, wanted):
        products = mlp(p["branch"], u, jnp.tanh) @ mlp(p["trunk"], y, jnp.sin).T
        return jnp.mean((products + p["bias"] - wanted)**2)

    return loss, parameters, (draw.data(3, 10), draw.data(7, 2), draw.data(3, 7))


def burgers(draw):
    """A physics-informed network: second derivatives by forward mode over reverse mode."""
    parameters = mlp_parameters(draw, 2, 8, 8, 1)

    def loss(p, points, edge, values):
        u = lambda tx: mlp(p, tx, jnp.tanh)[0]

        def residual(tx):
            slope = jax.grad(u)
            across = jax.jvp(slope, (tx,), (jnp.array([0.0, 1.0]),))[1][1]
            first = slope(tx)
            return first[0] + u(tx) * first[1] - 0.01 * across

        return jnp.mean(jax.vmap(residual)(points)**2) + jnp.mean((jax.vmap(u)(edge) - values)**2)

    return loss, parameters, (draw.data(6, 2), draw.data(4, 2), draw.data(4))


def poisson(draw):
    """A Laplacian by the whole Hessian."""
    parameters = mlp_parameters(draw, 3, 8, 8, 1)

    def loss(p, points, source):
        hessian = jax.vmap(jax.hessian(lambda x: mlp(p, x, jnp.sin)[0]))(points)
        return jnp.mean((jnp.trace(hessian, axis1=1, axis2=2) - source)**2)

    return loss, parameters, (draw.data(4, 3), draw.data(4))


def neural_ode(draw):
    """Runge-Kutta steps of a field that is a network."""
    parameters = {"field": mlp_parameters(draw, 3, 8, 2)}

    def loss(p, start, wanted):
        def field(t, y):
            return mlp(p["field"], jnp.concatenate([y, jnp.full((*y.shape[:-1], 1), t)], -1), jnp.tanh)

        def step(y, t, h=0.1):
            a = field(t, y)
            b = field(t + h / 2, y + h / 2 * a)
            c = field(t + h / 2, y + h / 2 * b)
            y = y + h / 6 * (a + 2 * b + 2 * c + field(t + h, y + h * c))
            return y, y

        return jnp.mean((lax.scan(step, start, 0.1 * jnp.arange(8.0))[1] - wanted)**2)

    return loss, parameters, (draw.data(3, 2), draw.data(8, 3, 2))


def hamiltonian(draw):
    parameters = mlp_parameters(draw, 4, 8, 1)

    def loss(p, q, momentum, wanted):
        energy = lambda q, m: mlp(p, jnp.concatenate([q, m], -1), jnp.tanh).sum()

        def step(i, state):
            q, m = state
            m = m - 0.05 * jax.grad(energy)(q, m)
            q = q + 0.1 * jax.grad(energy, 1)(q, m)
            return q, m - 0.05 * jax.grad(energy)(q, m)

        return jnp.mean((lax.fori_loop(0, 4, step, (q, momentum))[0] - wanted)**2)

    return loss, parameters, (draw.data(3, 2), draw.data(3, 2), draw.data(3, 2))


def gaussian_process(draw):
    """The marginal likelihood, by a Cholesky factor and triangular systems."""
    parameters = {"lengths": draw(2, scale=0.3), "scale": draw(1, scale=0.3), "noise": draw(1, scale=0.3), "mean": draw(1)}

    def loss(p, x, y):
        apart = (x[:, None] - x[None]) * jnp.exp(p["lengths"])
        kernel = jnp.exp(p["scale"] - 0.5 * (apart**2).sum(-1)) + jnp.exp(p["noise"] - 1) * jnp.eye(7)
        factor = jnp.linalg.cholesky(kernel)
        z = jax.scipy.linalg.solve_triangular(factor, y - p["mean"], lower=True)
        return 0.5 * (z**2).sum() + jnp.log(jnp.diag(factor)).sum()

    return loss, parameters, (draw.data(7, 2), draw.data(7))


def coupling_flow(draw):
    parameters = [mlp_parameters(draw, 2, 8, 4) for _ in range(3)]

    def loss(p, x):
        total = 0
        for layer in p:
            a, b = jnp.split(x, 2, -1)
            scale, shift = jnp.split(mlp(layer, a, jax.nn.relu), 2, -1)
            b = b * jnp.exp(jnp.tanh(scale)) + shift
            total, x = total + jnp.tanh(scale).sum(-1), jnp.concatenate([b, a], -1)
        return (0.5 * (x**2).sum(-1) - total).mean()

    return loss, parameters, (draw.data(5, 4),)


def spline_flow(draw):
    """Monotonic rational splines: running sums of widths, a search for the bin, gathers."""
    parameters = mlp_parameters(draw, 2, 8, 2 * 14)

    def loss(p, x):
        raw = mlp(p, x[:, :2], jnp.tanh).reshape(-1, 2, 14)
        w, h, d = jax.nn.softmax(raw[..., :5]), jax.nn.softmax(raw[..., 5:10]), jax.nn.softplus(raw[..., 10:]) + 1e-3
        edge = jnp.ones_like(d[..., :1])
        d = jnp.concatenate([edge, d, edge], -1)
        xs, ys = (jnp.pad(jnp.cumsum(a, -1), ((0, 0), (0, 0), (1, 0))) for a in (w, h))
        y = jax.nn.sigmoid(x[:, 2:])
        search = jax.vmap(jax.vmap(lambda edges, v: jnp.searchsorted(edges, v, side="right") - 1))
        at = jnp.clip(search(xs, y), 0, 4)[..., None]
        take = lambda a, i=0: jnp.take_along_axis(a, at + i, -1)[..., 0]
        slope, t = take(h) / take(w), (y - take(xs)) / take(w)
        below = slope + (take(d, 1) + take(d) - 2 * slope) * t * (1 - t)
        out = take(ys) + take(h) * (slope * t**2 + take(d) * t * (1 - t)) / below
        gain = slope**2 * (take(d, 1) * t**2 + 2 * slope * t * (1 - t) + take(d) * (1 - t)**2) / below**2
        return (out**2 - jnp.log(gain)).sum(-1).mean()

    return loss, parameters, (draw.data(5, 4),)


def kalman_filter(draw):
    """The likelihood of observations, with a Cholesky solve in each step of a scan."""
    parameters = {"move": draw(3, 3), "see": draw(2, 3), "q": draw(3, scale=0.3), "r": draw(2, scale=0.3)}

    def loss(p, seen):
        def step(state, y):
            m, v = p["move"] @ state[0], p["move"] @ state[1] @ p["move"].T + jnp.diag(jnp.exp(p["q"]))
            s = p["see"] @ v @ p["see"].T + jnp.diag(jnp.exp(p["r"]))
            factor = jax.scipy.linalg.cho_factor(s, lower=True)
            error = y - p["see"] @ m
            gain = jax.scipy.linalg.cho_solve(factor, p["see"] @ v).T
            score = error @ jax.scipy.linalg.cho_solve(factor, error) / 2 + jnp.log(jnp.diag(factor[0])).sum()
            return (m + gain @ error, v - gain @ p["see"] @ v), score

        return lax.scan(step, (jnp.zeros(3), jnp.eye(3)), seen)[1].sum()

    return loss, parameters, (draw.data(5, 2),)


def hidden_markov(draw):
    parameters = {"start": draw(3), "move": draw(3, 3), "emit": draw(3, 4)}

    def loss(p, seen):
        start, move, emit = (jax.nn.log_softmax(p[n]) for n in ("start", "move", "emit"))
        step = lambda alpha, y: (jax.nn.logsumexp(alpha[:, None] + move, 0) + emit[:, y], None)
        return -jax.nn.logsumexp(lax.scan(step, start + emit[:, seen[0]], seen[1:])[0])

    return loss, parameters, (draw.whole(4, 8),)


def negative_binomial(draw):
    """Counts and a Student prior: logarithms of the gamma function."""
    parameters = {"w": draw(3, 1), "b": draw(1), "size": draw(1, scale=0.3), "freedom": draw(1, scale=0.3)}

    def loss(p, x, counts):
        mean, size = jnp.exp(x @ p["w"] + p["b"])[:, 0], jnp.exp(p["size"]) + 1
        gamma = jax.scipy.special.gammaln
        logs = gamma(counts + size) - gamma(size) - gamma(counts + 1.0)
        logs = logs + size * jnp.log(size / (size + mean)) + counts * jnp.log(mean / (size + mean))
        freedom = jnp.exp(p["freedom"]) + 2
        prior = gamma((freedom + 1) / 2) - gamma(freedom / 2) - 0.5 * jnp.log(freedom) - (freedom + 1) / 2 * jnp.log1p(
            p["w"]**2 / freedom)
        return -logs.sum() - prior.sum()

    return loss, parameters, (draw.data(6, 3), draw.whole(6, 6))


def clipped_policy(draw):
    """The loss of proximal policy optimisation, with advantages by a reversed scan."""
    parameters = {"policy": mlp_parameters(draw, 4, 8, 3), "value": mlp_parameters(draw, 4, 8, 1)}

    def loss(p, seen, actions, old, rewards):
        values = mlp(p["value"], seen, jnp.tanh)[..., 0]
        errors = rewards + 0.99 * values[1:] - values[:-1]
        step = lambda sum_, e: (e + 0.9 * sum_, e + 0.9 * sum_)
        gains = lax.scan(step, jnp.zeros(3), errors, reverse=True)[1]
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        logs = jax.nn.log_softmax(mlp(p["policy"], seen[:-1], jnp.tanh))
        ratio = jnp.exp(jnp.take_along_axis(logs, actions[..., None], -1)[..., 0] - old)
        gain = jnp.minimum(ratio * gains, jnp.clip(ratio, 0.8, 1.2) * gains).mean()
        return -gain + 0.5 * jnp.mean(values[:-1]**2) + 0.01 * (jnp.exp(logs) * logs).sum(-1).mean()

    return loss, parameters, (draw.data(6, 3, 4), draw.whole(3, 5, 3), -1 - draw.uniform(5, 3), draw.data(5, 3))


def soft_actor(draw):
    parameters = {"actor": mlp_parameters(draw, 4, 8, 4), "critics": [mlp_parameters(draw, 6, 8, 1) for _ in range(2)]}

    def loss(p, seen, noise):
        mean, spread = jnp.split(mlp(p["actor"], seen, jax.nn.relu), 2, -1)
        spread = jnp.clip(spread, -5, 2)
        raw = mean + jnp.exp(spread) * noise
        logs = (-0.5 * noise**2 - spread - 2 * (jnp.log(2.0) - raw - jax.nn.softplus(-2 * raw))).sum(-1)
        both = jnp.concatenate([seen, jnp.tanh(raw)], -1)
        values = jnp.stack([mlp(c, both, jax.nn.relu)[..., 0] for c in p["critics"]]).min(0)
        return (0.2 * logs - values).mean()

    return loss, parameters, (draw.data(5, 4), draw.data(5, 2))


def contrastive(draw):
    """Two towers, normalised, with a temperature, both ways."""
    parameters = {"images": mlp_parameters(draw, 8, 6, 4), "texts": mlp_parameters(draw, 5, 6, 4), "heat": draw(1)}

    def loss(p, images, texts):
        a, b = mlp(p["images"], images), mlp(p["texts"], texts)
        a, b = (x / jnp.linalg.norm(x, axis=-1, keepdims=True) for x in (a, b))
        logits, labels = a @ b.T * jnp.exp(p["heat"]), jnp.arange(6)
        return (cross_entropy(logits, labels) + cross_entropy(logits.T, labels)) / 2

    return loss, parameters, (draw.data(6, 8), draw.data(6, 5))


def recommendation(draw):
    """Tables of rows, bags of several rows, products of all pairs."""
    parameters = {"tables": [draw(7, 4, scale=1) for _ in range(3)], "bottom": mlp_parameters(draw, 5, 8, 4),
                  "top": mlp_parameters(draw, 10, 8, 1)}

    def loss(p, numbers, rows, clicked):
        vectors = [mlp(p["bottom"], numbers, jax.nn.relu)] + [t[rows[:, i]].sum(1) for i, t in enumerate(p["tables"])]
        z = jnp.stack(vectors, 1)
        i, j = np.triu_indices(4, 1)
        both = jnp.einsum("nid,njd->nij", z, z)[:, i, j]
        logits = mlp(p["top"], jnp.concatenate([vectors[0], both], -1), jax.nn.relu)[:, 0]
        return -jnp.mean(clicked * jax.nn.log_sigmoid(logits) + (1 - clicked) * jax.nn.log_sigmoid(-logits))

    return loss, parameters, (draw.data(5, 5), draw.whole(7, 5, 3, 2), draw.whole(2, 5).astype(np.float32))


def transport(draw):
    """Sinkhorn's iterations on the costs between two clouds that a network moves."""
    parameters = mlp_parameters(draw, 2, 8, 2)

    def loss(p, x, y):
        costs = ((mlp(p, x, jnp.tanh)[:, None] - y[None])**2).sum(-1)

        def step(_, fg):
            f = -0.5 * jax.nn.logsumexp((fg[1][None] - costs) / 0.5, 1)
            return f, -0.5 * jax.nn.logsumexp((f[:, None] - costs) / 0.5, 0)

        f, g = lax.fori_loop(0, 6, step, (jnp.zeros(5), jnp.zeros(6)))
        return f.mean() + g.mean()

    return loss, parameters, (draw.data(5, 2), draw.data(6, 2))


def meta_learning(draw):
    """A loss after two steps of gradient descent on other data."""
    parameters = mlp_parameters(draw, 1, 8, 1)

    def loss(p, x, y, x_new, y_new):
        def error(p, x, y):
            return jnp.mean((mlp(p, x, jnp.tanh) - y)**2)

        def of_task(x, y, x_new, y_new):
            q = p
            for _ in range(2):
                q = jax.tree.map(lambda a, g: a - 0.1 * g, q, jax.grad(error)(q, x, y))
            return error(q, x_new, y_new)

        return jax.vmap(of_task)(x, y, x_new, y_new).mean()

    return loss, parameters, tuple(draw.data(3, 5, 1) for _ in range(4))


def spline_network(draw):
    """Splines on edges (a Kolmogorov-Arnold network), by the recursion of B-splines."""
    parameters = [{"c": draw(3, 7, 4, scale=0.5), "w": draw(3, 4)}, {"c": draw(4, 7, 1, scale=0.5), "w": draw(4, 1)}]

    def basis(x, grid):
        b = ((x[..., None] >= grid[:-1]) & (x[..., None] < grid[1:])).astype(jnp.float32)
        for k in range(1, 4):
            left = (x[..., None] - grid[:-k - 1]) / (grid[k:-1] - grid[:-k - 1])
            right = (grid[k + 1:] - x[..., None]) / (grid[k + 1:] - grid[1:-k])
            b = left * b[..., :-1] + right * b[..., 1:]
        return b

    def loss(p, x, wanted):
        grid = jnp.linspace(-3, 3, 11)
        for layer in p:
            x = jnp.einsum("nig,igo->no", basis(x, grid), layer["c"]) + jax.nn.silu(x) @ layer["w"]
        return jnp.mean((x - wanted)**2)

    return loss, parameters, (draw.data(6, 3), draw.data(6, 1))


def equilibrium(draw):
    """A fixed point by Newton-like iterations that run a fixed number of times."""
    parameters = {"w": draw(4, 4, scale=0.3), "u": draw.layer(3, 4), "head": draw.layer(4, 2)}

    def loss(p, x, wanted):
        z = lax.fori_loop(0, 12, lambda _, z: jnp.tanh(z @ p["w"] + dense(p["u"], x)), jnp.zeros((5, 4)))
        return jnp.mean((dense(p["head"], z) - wanted)**2)

    return loss, parameters, (draw.data(5, 3), draw.data(5, 2))


PROGRAMS = [graph_convolution, graph_attention, message_passing, molecule_forces, equivariant, fourier_operator, deep_operator,
            burgers, poisson, neural_ode, hamiltonian, gaussian_process, coupling_flow, spline_flow, kalman_filter,
            hidden_markov, negative_binomial, clipped_policy, soft_actor, contrastive, recommendation, transport, meta_learning,
            spline_network, equilibrium]


def programs():
    for make in PROGRAMS:
        yield make.__name__, *make(Drawn(len(make.__name__)))
