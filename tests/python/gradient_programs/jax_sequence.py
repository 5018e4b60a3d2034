# SPDX-License-Identifier: Apache-2.0
"""Training losses of networks for sequences, in plain JAX: name, loss(parameters, *data), parameters, data."""

import jax
import jax.numpy as jnp
from jax import lax

from gradient_programs.drawn import Drawn
from gradient_programs.layers import (attention, attention_parameters, convolve, cross_entropy, dense, depthwise, heads_of,
                                      layer_norm, mlp, mlp_parameters, rms_norm)


def _block(draw, size):
    return {"norm0": draw.norm(size), "attention": attention_parameters(draw, size), "norm1": draw.norm(size),
            "mlp": mlp_parameters(draw, size, 2 * size, size)}


def _applied(b, x, heads, **options):
    x = x + attention(b["attention"], layer_norm(b["norm0"], x), heads, **options)
    return x + mlp(b["mlp"], layer_norm(b["norm1"], x))


def gpt(draw):
    parameters = {"words": draw(11, 8, scale=1), "places": draw(6, 8), "blocks": [_block(draw, 8), _block(draw, 8)],
                  "norm": draw.norm(8)}

    def loss(p, words, following):
        x = p["words"][words] + p["places"]
        for b in p["blocks"]:
            x = _applied(b, x, 2, causal=True)
        return cross_entropy(layer_norm(p["norm"], x) @ p["words"].T, following)

    return loss, parameters, (draw.whole(11, 2, 6), draw.whole(11, 2, 6))


def llama(draw):
    """Rotary positions, root mean square norms, gated feed-forward layers, grouped queries; layers scanned, recomputed."""
    size, heads, groups = 8, 4, 2

    def stacked(*shape):
        return draw(2, *shape, scale=shape[0]**-0.5)

    parameters = {"words": draw(11, size, scale=1), "norm": draw.near_one(size), "head": draw(size, 11),
                  "layers": {"norm0": draw.near_one(2, size), "q": stacked(size, 8), "k": stacked(size, 4),
                             "v": stacked(size, 4), "o": stacked(8, size), "norm1": draw.near_one(2, size),
                             "gate": stacked(size, 16), "up": stacked(size, 16), "down": stacked(16, size)}}

    def rotated(x):
        half = x.shape[-1] // 2
        angles = jnp.arange(x.shape[1])[:, None] * 100.0**(-jnp.arange(half) / half)
        cosine, sine = jnp.cos(angles)[:, None], jnp.sin(angles)[:, None]
        a, b = x[..., :half], x[..., half:]
        return jnp.concatenate([a * cosine - b * sine, a * sine + b * cosine], -1)

    @jax.checkpoint
    def layer(x, p):
        y = rms_norm(p["norm0"], x)
        q, k, v = rotated(heads_of(y @ p["q"], heads)), rotated(heads_of(y @ p["k"], groups)), heads_of(y @ p["v"], groups)
        k, v = jnp.repeat(k, heads // groups, 2), jnp.repeat(v, heads // groups, 2)
        x = x + jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(x.shape) @ p["o"]
        y = rms_norm(p["norm1"], x)
        return x + (jax.nn.silu(y @ p["gate"]) * (y @ p["up"])) @ p["down"], None

    def loss(p, words, following):
        x, _ = lax.scan(layer, p["words"][words], p["layers"])
        return cross_entropy(rms_norm(p["norm"], x) @ p["head"], following)

    return loss, parameters, (draw.whole(11, 2, 5), draw.whole(11, 2, 5))


def mamba(draw):
    """A selective state-space model by an associative scan."""
    size, state = 6, 3
    parameters = {"words": draw(7, 4, scale=1), "in": draw(4, 2 * size), "depth": draw.kernel(3, 1, size),
                  "select": draw(size, 1 + 2 * state), "step": draw.layer(1, size), "a": draw(size, state, scale=0.5),
                  "d": draw.near_one(size), "out": draw(size, 4), "norm": draw.near_one(4)}

    def loss(p, words, following):
        x = p["words"][words]
        u, gate = jnp.split(rms_norm(p["norm"], x) @ p["in"], 2, -1)
        u = jax.nn.silu(depthwise(p["depth"], u, padding=[(2, 0)]))
        step, b, c = jnp.split(u @ p["select"], [1, 1 + state], -1)
        step = jax.nn.softplus(dense(p["step"], step))[..., None]
        decay = jnp.exp(-step * jnp.exp(p["a"]))
        _, h = lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]),
                                    (decay, step * b[:, :, None] * u[..., None]), axis=1)
        y = (h * c[:, :, None]).sum(-1) + p["d"] * u
        return cross_entropy((x + (y * jax.nn.silu(gate)) @ p["out"]) @ p["words"].T, following)

    return loss, parameters, (draw.whole(7, 2, 7), draw.whole(7, 2, 7))


def s4d(draw):
    """A diagonal state-space model: complex exponents, a convolution by Fourier transforms."""
    parameters = {"in": draw.layer(2, 4), "a": draw(4, 3, scale=0.5), "frequency": draw(4, 3, scale=3), "c": draw(4, 3, 2),
                  "step": draw(4, scale=0.3), "d": draw(4), "out": draw.layer(4, 2)}

    def loss(p, x, wanted):
        u, length = dense(p["in"], x), x.shape[1]
        exponent = -jnp.exp(p["a"]) + 1j * p["frequency"]
        scaled = exponent * jnp.exp(p["step"] - 2)[:, None]
        weight = (p["c"][..., 0] + 1j * p["c"][..., 1]) * (jnp.exp(scaled) - 1) / exponent
        kernel = 2 * jnp.einsum("cn,cnl->lc", weight, jnp.exp(scaled[..., None] * jnp.arange(length))).real
        y = jnp.fft.irfft(jnp.fft.rfft(u, 2 * length, 1) * jnp.fft.rfft(kernel, 2 * length, 0), 2 * length, 1)[:, :length]
        return jnp.mean((dense(p["out"], jax.nn.gelu(y + p["d"] * u)) - wanted)**2)

    return loss, parameters, (draw.data(2, 8, 2), draw.data(2, 8, 2))


def hyena(draw):
    """Long convolutions with implicit filters, gated."""
    parameters = {"in": draw.layer(3, 12), "short": draw.kernel(3, 1, 12), "filter": mlp_parameters(draw, 5, 8, 4),
                  "bias": draw(4), "out": draw.layer(4, 3)}

    def loss(p, x, wanted):
        length = x.shape[1]
        v, a, b = jnp.split(depthwise(p["short"], dense(p["in"], x), padding=[(2, 0)]), 3, -1)
        t = jnp.linspace(0, 1, length)[:, None]
        angles = t * jnp.arange(1, 3) * jnp.pi
        kernel = mlp(p["filter"], jnp.concatenate([t, jnp.sin(angles), jnp.cos(angles)], 1), jnp.sin) * jnp.exp(-3 * t)
        y = jnp.fft.irfft(jnp.fft.rfft(v * a, 2 * length, 1) * jnp.fft.rfft(kernel, 2 * length, 0), axis=1)[:, :length]
        return jnp.mean((dense(p["out"], (y + p["bias"] * v * a) * b) - wanted)**2)

    return loss, parameters, (draw.data(2, 8, 3), draw.data(2, 8, 3))


def lstm(draw):
    parameters = {"words": draw(7, 4, scale=1), "cell": draw.layer(9, 20), "head": draw.layer(5, 7)}

    def loss(p, words, following):
        def step(state, x):
            h, c = state
            i, f, g, o = jnp.split(dense(p["cell"], jnp.concatenate([x, h], -1)), 4, -1)
            c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        x, zero = p["words"][words].swapaxes(0, 1), jnp.zeros((words.shape[0], 5))
        return cross_entropy(dense(p["head"], lax.scan(step, (zero, zero), x)[1]).swapaxes(0, 1), following)

    return loss, parameters, (draw.whole(7, 2, 6), draw.whole(7, 2, 6))


def seq2seq(draw):
    """Two gated recurrent units and additive attention, with a mask by length."""
    parameters = {"words": draw(7, 4, scale=1), "encoder": draw.layer(9, 15), "decoder": draw.layer(14, 15),
                  "query": draw(5, 6), "key": draw(5, 6), "score": draw(6), "head": draw.layer(10, 7)}

    def cell(p, h, x):
        r, z, _ = jnp.split(jax.nn.sigmoid(dense(p, jnp.concatenate([x, h], -1))), 3, -1)
        n = jnp.tanh(dense(p, jnp.concatenate([x, r * h], -1))[..., 10:])
        return z * h + (1 - z) * n

    def loss(p, words, lengths, following):
        mask = jnp.arange(words.shape[1]) < lengths[:, None]

        def encode(h, xm):
            x, m = xm
            h = jnp.where(m[:, None], cell(p["encoder"], h, x), h)
            return h, h

        h, memory = lax.scan(encode, jnp.zeros((2, 5)), (p["words"][words].swapaxes(0, 1), mask.T))

        def decode(h, x):
            scores = jnp.tanh(h @ p["query"] + memory @ p["key"]) @ p["score"]
            weights = jax.nn.softmax(jnp.where(mask.T, scores, -jnp.inf), 0)
            context = (weights[..., None] * memory).sum(0)
            h = cell(p["decoder"], h, jnp.concatenate([x, context], -1))
            return h, dense(p["head"], jnp.concatenate([h, context], -1))

        logits = lax.scan(decode, h, p["words"][following].swapaxes(0, 1))[1]
        return cross_entropy(logits[:-1].swapaxes(0, 1), following[:, 1:])

    return loss, parameters, (draw.whole(7, 2, 5), 1 + draw.whole(5, 2), draw.whole(7, 2, 4))


def rwkv(draw):
    """Time mixing with a running numerator, denominator and maximum."""
    parameters = {"words": draw(7, 6, scale=1), "mix": draw(3, 6, scale=0.3), "k": draw(6, 6), "v": draw(6, 6),
                  "r": draw(6, 6), "decay": draw(6, scale=0.5), "first": draw(6, scale=0.5), "out": draw(6, 7),
                  "norm": draw.norm(6)}

    def loss(p, words, following):
        x = layer_norm(p["norm"], p["words"][words])
        before = jnp.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1]
        k, v, r = ((x * jax.nn.sigmoid(m) + before * (1 - jax.nn.sigmoid(m))) @ p[n] for m, n in zip(p["mix"], "kvr"))
        decay = -jnp.exp(p["decay"])

        def step(state, kv):
            top, bottom, most = state
            k, v = kv
            q = jnp.maximum(most, p["first"] + k)
            y = (jnp.exp(most - q) * top + jnp.exp(p["first"] + k - q) * v) / (
                jnp.exp(most - q) * bottom + jnp.exp(p["first"] + k - q))
            q = jnp.maximum(most + decay, k)
            old, new = jnp.exp(most + decay - q), jnp.exp(k - q)
            return (old * top + new * v, old * bottom + new, q), y

        zero = jnp.zeros((2, 6))
        _, y = lax.scan(step, (zero, zero, zero - 1e30), (k.swapaxes(0, 1), v.swapaxes(0, 1)))
        return cross_entropy((jax.nn.sigmoid(r) * y.swapaxes(0, 1)) @ p["out"], following)

    return loss, parameters, (draw.whole(7, 2, 5), draw.whole(7, 2, 5))


def delta_rule(draw):
    """Linear attention whose fast weights are corrected, in chunks of a nested scan."""
    parameters = {"q": draw(4, 5), "k": draw(4, 5), "v": draw(4, 3), "beta": draw(4, 1), "out": draw(3, 2)}

    def loss(p, x, wanted):
        q, k, v = (x @ p[n] for n in "qkv")
        k = k / jnp.linalg.norm(k, axis=-1, keepdims=True)
        beta = jax.nn.sigmoid(x @ p["beta"])

        def step(weights, now):
            q, k, v, b = now
            weights = weights + b[..., None] * jnp.einsum("nk,nv->nkv", k, v - jnp.einsum("nkv,nk->nv", weights, k))
            return weights, jnp.einsum("nkv,nk->nv", weights, q)

        def chunk(weights, part):
            return lax.scan(step, weights, part)

        parts = [a.swapaxes(0, 1).reshape(2, 3, 2, -1) for a in (q, k, v, beta)]
        y = lax.scan(jax.checkpoint(chunk), jnp.zeros((2, 5, 3)), parts)[1].reshape(6, 2, 3).swapaxes(0, 1)
        return jnp.mean((y @ p["out"] - wanted)**2)

    return loss, parameters, (draw.data(2, 6, 4), draw.data(2, 6, 2))


def mixture_of_experts(draw):
    """The two best experts of each token, with masks, and a loss that balances them."""
    parameters = {"router": draw(6, 4, scale=1), "up": draw(4, 6, 8, scale=0.4), "down": draw(4, 8, 6, scale=0.4),
                  "head": draw.layer(6, 5)}

    def loss(p, x, labels):
        shares = jax.nn.softmax(x @ p["router"])
        best, chosen = lax.top_k(shares, 2)
        mask = jax.nn.one_hot(chosen, 4)
        gates = (mask * (best / best.sum(-1, keepdims=True))[..., None]).sum(1)
        hidden = jax.nn.gelu(jnp.einsum("td,edh->teh", x, p["up"]))
        y = jnp.einsum("te,teh,ehd->td", gates, hidden, p["down"])
        balance = 4 * (mask.sum(1).mean(0) * shares.mean(0)).sum()
        return cross_entropy(dense(p["head"], x + y), labels) + 0.1 * balance

    return loss, parameters, (draw.data(10, 6), draw.whole(5, 10))


def switch(draw):
    """One expert a token with a capacity: tokens are scattered to slots of experts and gathered from them."""
    parameters = {"router": draw(6, 3, scale=1), "up": draw(3, 6, 8, scale=0.4), "down": draw(3, 8, 6, scale=0.4),
                  "head": draw.layer(6, 5)}
    capacity = 4

    def loss(p, x, labels):
        shares = jax.nn.softmax(x @ p["router"])
        expert = jnp.argmax(shares, -1)
        place = jnp.cumsum(jax.nn.one_hot(expert, 3, dtype=jnp.int32), 0)[jnp.arange(10), expert] - 1
        slot = jnp.where(place < capacity, expert * capacity + place, 3 * capacity)
        slots = jnp.zeros((3 * capacity, 6)).at[slot].set(x, mode="drop").reshape(3, capacity, 6)
        y = jax.nn.relu(slots @ p["up"]) @ p["down"]
        y = y.reshape(-1, 6).at[slot].get(mode="fill", fill_value=0) * shares.max(-1, keepdims=True)
        z_loss = jnp.mean(jax.nn.logsumexp(x @ p["router"], -1)**2)
        return cross_entropy(dense(p["head"], x + y), labels) + 0.01 * z_loss

    return loss, parameters, (draw.data(10, 6), draw.whole(5, 10))


def t5(draw):
    """An encoder and a decoder with biases by buckets of distances, and label smoothing."""
    size = 8
    parameters = {"words": draw(9, size, scale=1), "bias": draw(8, 2), "encoder": _block(draw, size),
                  "decoder": _block(draw, size), "norm": draw.norm(size), "cross": attention_parameters(draw, size)}

    def loss(p, source, target):
        far = jnp.arange(6)[:, None] - jnp.arange(6)[None]
        near = jnp.minimum(3, (jnp.log2(1.0 + jnp.abs(far))).astype(jnp.int32))
        bias = p["bias"][near + 4 * (far > 0)].transpose(2, 0, 1)
        memory = _applied(p["encoder"], p["words"][source], 2, bias=bias)
        x = _applied(p["decoder"], p["words"][target], 2, bias=bias, causal=True)
        x = x + attention(p["cross"], layer_norm(p["norm"], x), 2, memory=memory)
        logs = jax.nn.log_softmax(x[:, :-1] @ p["words"].T / size**0.5)
        smooth = 0.9 * jax.nn.one_hot(target[:, 1:], 9) + 0.1 / 9
        return -(smooth * logs).sum(-1).mean()

    return loss, parameters, (draw.whole(9, 2, 6), draw.whole(9, 2, 6))


def bert(draw):
    parameters = {"words": draw(11, 8, scale=1), "places": draw(6, 8), "kinds": draw(2, 8), "norm": draw.norm(8),
                  "block": _block(draw, 8), "transform": draw.layer(8, 8), "bias": draw(11), "pool": draw.layer(8, 8),
                  "next": draw.layer(8, 2)}

    def loss(p, words, kinds, mask, places, masked, following):
        x = layer_norm(p["norm"], p["words"][words] + p["places"] + p["kinds"][kinds])
        x = _applied(p["block"], x, 2, bias=jnp.where(mask, 0, -1e9)[:, None, None])
        chosen = jnp.take_along_axis(x, places[..., None], 1)
        logits = jax.nn.gelu(dense(p["transform"], chosen)) @ p["words"].T + p["bias"]
        pooled = jnp.tanh(dense(p["pool"], x[:, 0]))
        return cross_entropy(logits, masked) + cross_entropy(dense(p["next"], pooled), following)

    return loss, parameters, (draw.whole(11, 2, 6), draw.whole(2, 2, 6), draw.uniform(2, 6) > 0.2, draw.whole(6, 2, 2),
                              draw.whole(11, 2, 2), draw.whole(2, 2))


def conformer(draw):
    """A convolution module between half feed-forward layers, with gates."""
    size = 6
    parameters = {"first": mlp_parameters(draw, size, 12, size), "norms": [draw.norm(size) for _ in range(4)],
                  "attention": attention_parameters(draw, size), "in": draw.layer(size, 12),
                  "depth": draw.kernel(5, 1, size), "out": draw.layer(size, size), "last": mlp_parameters(draw, size, 12, size)}

    def loss(p, x, wanted):
        n = p["norms"]
        x = x + 0.5 * mlp(p["first"], layer_norm(n[0], x), jax.nn.swish)
        x = x + attention(p["attention"], layer_norm(n[1], x), 2)
        y = jax.nn.swish(depthwise(p["depth"], jax.nn.glu(dense(p["in"], layer_norm(n[2], x)))))
        x = x + dense(p["out"], y)
        x = layer_norm(n[3], x + 0.5 * mlp(p["last"], x, jax.nn.swish))
        return jnp.mean(jnp.abs(x - wanted))

    return loss, parameters, (draw.data(2, 7, size), draw.data(2, 7, size))


def perceiver(draw):
    parameters = {"latents": draw(3, 8, scale=1), "in": draw.layer(5, 8), "cross": attention_parameters(draw, 8),
                  "block": _block(draw, 8), "query": draw(4, 8, scale=1), "decode": attention_parameters(draw, 8)}

    def loss(p, x, wanted):
        memory = dense(p["in"], x)
        z = jnp.broadcast_to(p["latents"], (2, 3, 8))
        z = _applied(p["block"], z + attention(p["cross"], z, 2, memory=memory), 2)
        y = attention(p["decode"], jnp.broadcast_to(p["query"], (2, 4, 8)), 2, memory=z)
        return jnp.mean((y - wanted)**2)

    return loss, parameters, (draw.data(2, 9, 5), draw.data(2, 4, 8))


def wavenet(draw):
    parameters = {"stem": draw.kernel(1, 1, 4), "gates": [draw.kernel(2, 4, 8) for _ in range(3)],
                  "outs": [draw.kernel(1, 4, 4) for _ in range(3)], "head": draw.kernel(1, 4, 8)}

    def loss(p, x, labels):
        x, total = convolve(p["stem"], x[..., None]), 0
        for i, (gate, out) in enumerate(zip(p["gates"], p["outs"])):
            a, b = jnp.split(convolve(gate, x, dilation=2**i, padding=[(2**i, 0)]), 2, -1)
            y = convolve(out, jnp.tanh(a) * jax.nn.sigmoid(b))
            x, total = x + y, total + y
        return cross_entropy(convolve(p["head"], jax.nn.relu(total)), labels)

    return loss, parameters, (draw.data(2, 10), draw.whole(8, 2, 10))


def conditional_random_field(draw):
    parameters = {"emit": draw.layer(4, 5), "move": draw(5, 5, scale=0.5), "start": draw(5)}

    def loss(p, x, tags):
        scores = dense(p["emit"], x)

        def step(alpha, emitted):
            return jax.nn.logsumexp(alpha[:, :, None] + p["move"], axis=1) + emitted, None

        alpha, _ = lax.scan(step, p["start"] + scores[:, 0], scores[:, 1:].swapaxes(0, 1))
        taken = jnp.take_along_axis(scores, tags[..., None], 2)[..., 0].sum(1)
        taken = taken + p["move"][tags[:, :-1], tags[:, 1:]].sum(1) + p["start"][tags[:, 0]]
        return (jax.nn.logsumexp(alpha, -1) - taken).mean()

    return loss, parameters, (draw.data(2, 6, 4), draw.whole(5, 2, 6))


def performer(draw):
    """Attention by random features, with running sums over positions."""
    parameters = {n: draw(5, 4) for n in "qkv"} | {"out": draw.layer(4, 3)}

    def loss(p, x, features, wanted):
        def mapped(y):
            return jnp.exp(y @ features - (y**2).sum(-1, keepdims=True) / 2) + 1e-3

        q, k, v = mapped(x @ p["q"]), mapped(x @ p["k"]), x @ p["v"]
        sums = jnp.cumsum(jnp.einsum("nlf,nlv->nlfv", k, v), 1)
        y = jnp.einsum("nlf,nlfv->nlv", q, sums) / jnp.einsum("nlf,nlf->nl", q, jnp.cumsum(k, 1))[..., None]
        return jnp.mean((dense(p["out"], y) - wanted)**2)

    return loss, parameters, (draw.data(2, 6, 5), draw.data(4, 8), draw.data(2, 6, 3))


def bucketed_attention(draw):
    """Tokens are sorted by a hash, attend within their chunk, and go back to where they were."""
    parameters = {"qk": draw(6, 4), "v": draw(6, 4), "out": draw.layer(4, 6)}

    def loss(p, x, rotation, wanted):
        qk, v = x @ p["qk"], x @ p["v"]
        turned = qk @ rotation
        order = jnp.argsort(jnp.argmax(jnp.concatenate([turned, -turned], -1), -1), stable=True)
        back = jnp.argsort(order)
        q, v = (jnp.take_along_axis(a, order[..., None], 1).reshape(2, 2, 4, 4) for a in (qk, v))
        k = q / (jnp.linalg.norm(q, axis=-1, keepdims=True) + 1e-6)
        y = jax.nn.softmax(jnp.einsum("ncqd,nckd->ncqk", q, k)) @ v
        y = jnp.take_along_axis(y.reshape(2, 8, 4), back[..., None], 1)
        return jnp.mean((dense(p["out"], y) - wanted)**2)

    return loss, parameters, (draw.data(2, 8, 6), draw.data(4, 2), draw.data(2, 8, 6))


PROGRAMS = [gpt, llama, mamba, s4d, hyena, lstm, seq2seq, rwkv, delta_rule, mixture_of_experts, switch, t5, bert, conformer,
            perceiver, wavenet, conditional_random_field, performer, bucketed_attention]


def programs():
    for make in PROGRAMS:
        yield make.__name__, *make(Drawn(len(make.__name__)))
