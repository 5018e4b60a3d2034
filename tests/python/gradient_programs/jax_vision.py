# SPDX-License-Identifier: Apache-2.0
"""Training losses of networks for images, in plain JAX: name, loss(parameters, *data), parameters, data."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from gradient_programs.drawn import Drawn
from gradient_programs.layers import (attention, attention_parameters, batch_norm, convolve, cross_entropy, dense,
                                      depthwise, group_norm, layer_norm, mlp, mlp_parameters)


def _squeezed(p, x):
    """Squeeze and excitation."""
    gate = jax.nn.sigmoid(dense(p["up"], jax.nn.silu(dense(p["down"], x.mean((1, 2))))))
    return x * gate[:, None, None]


def efficientnet(draw):
    def block(inputs, outputs, taps):
        wide = 2 * inputs
        return {"expand": draw.bare(1, 1, inputs, wide), "norm0": draw.norm(wide),
                "depth": draw.bare(taps, taps, 1, wide), "norm1": draw.norm(wide),
                "squeeze": {"down": draw.layer(wide, 2), "up": draw.layer(2, wide)},
                "project": draw.bare(1, 1, wide, outputs), "norm2": draw.norm(outputs)}

    parameters = {"stem": draw.kernel(3, 3, 3, 4), "blocks": [block(4, 4, 3), block(4, 6, 5)],
                  "head": draw.layer(6, 5)}

    def loss(p, images, labels):
        x = convolve(p["stem"], images, 2)
        for b, stride in zip(p["blocks"], (1, 2)):
            y = jax.nn.silu(batch_norm(b["norm0"], convolve(b["expand"], x)))
            y = jax.nn.silu(batch_norm(b["norm1"], depthwise(b["depth"], y, stride)))
            y = batch_norm(b["norm2"], convolve(b["project"], _squeezed(b["squeeze"], y)))
            x = x + y if x.shape == y.shape else y
        return cross_entropy(dense(p["head"], x.mean((1, 2))), labels)

    return loss, parameters, (draw.data(4, 12, 12, 3), draw.whole(5, 4))


def convnext(draw):
    def block(size):
        return {"depth": draw.kernel(7, 7, 1, size), "norm": draw.norm(size), "mlp": mlp_parameters(draw, size, 4 * size, size),
                "gamma": draw(size, scale=0.3)}

    parameters = {"stem": draw.kernel(4, 4, 3, 4), "norm": draw.norm(4), "first": block(4), "down": draw.kernel(2, 2, 4, 8),
                  "middle": draw.norm(4), "second": block(8), "head": draw.layer(8, 5)}

    def loss(p, images, labels):
        x = layer_norm(p["norm"], convolve(p["stem"], images, 4, padding="VALID"))
        for name in ("first", "second"):
            b = p[name]
            x = x + b["gamma"] * mlp(b["mlp"], layer_norm(b["norm"], depthwise(b["depth"], x)))
            if name == "first":
                x = convolve(p["down"], layer_norm(p["middle"], x), 2, padding="VALID")
        return cross_entropy(dense(p["head"], x.mean((1, 2))), labels)

    return loss, parameters, (draw.data(2, 16, 16, 3), draw.whole(5, 2))


def _inverted(draw, inputs, outputs, taps, squeeze):
    wide = 3 * inputs
    return {"expand": draw.bare(1, 1, inputs, wide), "norm0": draw.norm(wide),
            "depth": draw.bare(taps, taps, 1, wide), "norm1": draw.norm(wide),
            "project": draw.bare(1, 1, wide, outputs), "norm2": draw.norm(outputs)} | (
                {"down": draw.layer(wide, 3), "up": draw.layer(3, wide)} if squeeze else {})


def _mobilenet(draw, activation, squeeze):
    parameters = {"stem": draw.kernel(3, 3, 3, 4), "head": draw.layer(6, 5),
                  "blocks": [_inverted(draw, 4, 4, 3, squeeze), _inverted(draw, 4, 6, 5, squeeze)]}

    def loss(p, images, labels):
        x = activation(convolve(p["stem"], images, 2))
        for b, stride in zip(p["blocks"], (1, 2)):
            y = activation(batch_norm(b["norm0"], convolve(b["expand"], x)))
            y = activation(batch_norm(b["norm1"], depthwise(b["depth"], y, stride)))
            if squeeze:
                gate = jax.nn.hard_sigmoid(dense(b["up"], jax.nn.relu(dense(b["down"], y.mean((1, 2))))))
                y = y * gate[:, None, None]
            y = batch_norm(b["norm2"], convolve(b["project"], y))
            x = x + y if x.shape == y.shape else y
        return cross_entropy(dense(p["head"], x.mean((1, 2))), labels)

    return loss, parameters, (draw.data(4, 12, 12, 3), draw.whole(5, 4))


def mobilenet_v2(draw):
    return _mobilenet(draw, jax.nn.relu6, False)


def mobilenet_v3(draw):
    return _mobilenet(draw, jax.nn.hard_swish, True)


def swin(draw):
    """Two blocks of windowed attention with relative positions, the second with shifted windows and their mask."""
    window, size, heads, side = 4, 8, 2, 8
    rows, columns = np.meshgrid(range(window), range(window), indexing="ij")
    places = np.stack([rows.ravel(), columns.ravel()], 1)
    relative = places[:, None] - places[None] + window - 1
    index = relative[..., 0] * (2 * window - 1) + relative[..., 1]
    regions = np.zeros((side, side), np.int32)
    for i, r in enumerate((slice(0, -4), slice(-4, -2), slice(-2, None))):
        for j, c in enumerate((slice(0, -4), slice(-4, -2), slice(-2, None))):
            regions[r, c] = 3 * i + j

    def windows(x):
        n, h, w, c = x.shape
        x = x.reshape(n, h // window, window, w // window, window, c)
        return x.transpose(0, 1, 3, 2, 4, 5).reshape(n, -1, window * window, c)

    def image(x):
        n, c = x.shape[0], x.shape[-1]
        x = x.reshape(n, side // window, side // window, window, window, c)
        return x.transpose(0, 1, 3, 2, 4, 5).reshape(n, side, side, c)

    region = windows(regions[None, ..., None])[0, ..., 0]
    mask = np.where(region[:, :, None] == region[:, None], 0, -100).astype(np.float32)[:, None]

    def block():
        return {"norm0": draw.norm(size), "attention": attention_parameters(draw, size), "norm1": draw.norm(size),
                "bias": draw((2 * window - 1)**2, heads, scale=0.3), "mlp": mlp_parameters(draw, size, 16, size)}

    parameters = {"stem": draw.kernel(2, 2, 3, size), "blocks": [block(), block()], "merge": draw.layer(4 * size, size),
                  "norm": draw.norm(4 * size), "head": draw.layer(size, 5)}

    def loss(p, images, labels):
        x = convolve(p["stem"], images, 2, padding="VALID")
        for b, shift in zip(p["blocks"], (0, 2)):
            y = jnp.roll(layer_norm(b["norm0"], x), (-shift, -shift), (1, 2))
            bias = b["bias"][index].transpose(2, 0, 1) + (mask if shift else 0)
            y = image(attention(b["attention"], windows(y), heads, bias=bias))
            x = x + jnp.roll(y, (shift, shift), (1, 2))
            x = x + mlp(b["mlp"], layer_norm(b["norm1"], x))
        x = jnp.concatenate([x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)], -1)
        return cross_entropy(dense(p["head"], dense(p["merge"], layer_norm(p["norm"], x)).mean((1, 2))), labels)

    return loss, parameters, (draw.data(2, 16, 16, 3), draw.whole(5, 2))


def unet(draw):
    parameters = {"in": draw.kernel(3, 3, 2, 4), "down": draw.kernel(3, 3, 4, 8), "up": draw.kernel(2, 2, 8, 4),
                  "out": draw.kernel(3, 3, 8, 3)}

    def loss(p, images, labels):
        x = jax.nn.relu(convolve(p["in"], images))
        y = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        y = jax.nn.relu(convolve(p["down"], y))
        y = lax.conv_transpose(y, p["up"]["w"], (2, 2), "SAME") + p["up"]["b"]
        logits = convolve(p["out"], jnp.concatenate([x, y], -1))
        shares, truth = jax.nn.softmax(logits), jax.nn.one_hot(labels, 3)
        dice = 2 * (shares * truth).sum((1, 2)) / (shares.sum((1, 2)) + truth.sum((1, 2)) + 1)
        return cross_entropy(logits, labels) + 1 - dice.mean()

    return loss, parameters, (draw.data(2, 8, 8, 2), draw.whole(3, 2, 8, 8))


def diffusion_unet(draw):
    """A denoising step: time embedding, group norms, attention in the middle, nearest neighbours upwards."""
    def block(inputs, outputs):
        return {"norm0": draw.norm(inputs), "in": draw.kernel(3, 3, inputs, outputs), "time": draw.layer(8, outputs),
                "norm1": draw.norm(outputs), "out": draw.kernel(3, 3, outputs, outputs),
                "skip": draw.kernel(1, 1, inputs, outputs)}

    parameters = {"time": mlp_parameters(draw, 8, 16, 8), "stem": draw.kernel(3, 3, 3, 4), "first": block(4, 4),
                  "down": draw.kernel(3, 3, 4, 8), "middle": block(8, 8), "norm": draw.norm(8),
                  "attention": attention_parameters(draw, 8), "up": draw.kernel(3, 3, 8, 4), "last": block(8, 4),
                  "head": draw.kernel(3, 3, 4, 3)}

    def residual(b, x, time):
        y = convolve(b["in"], jax.nn.silu(group_norm(b["norm0"], x, 2))) + dense(b["time"], jax.nn.silu(time))[:, None, None]
        return convolve(b["out"], jax.nn.silu(group_norm(b["norm1"], y, 2))) + convolve(b["skip"], x)

    def loss(p, images, times, noise):
        angles = times[:, None].astype(jnp.float32) * jnp.exp(-jnp.arange(4) * jnp.log(100.0) / 4)
        time = mlp(p["time"], jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1), jax.nn.silu)
        kept = jnp.cumprod(1 - jnp.linspace(1e-4, 0.05, 20))[times][:, None, None, None]
        x = convolve(p["stem"], jnp.sqrt(kept) * images + jnp.sqrt(1 - kept) * noise)
        skip = residual(p["first"], x, time)
        y = residual(p["middle"], convolve(p["down"], skip, 2), time)
        flat = group_norm(p["norm"], y, 2).reshape(y.shape[0], -1, 8)
        y = y + attention(p["attention"], flat, 1).reshape(y.shape)
        y = convolve(p["up"], jax.image.resize(y, (y.shape[0], 8, 8, 8), "nearest"))
        y = residual(p["last"], jnp.concatenate([skip, y], -1), time)
        return jnp.mean((convolve(p["head"], jax.nn.silu(y)) - noise)**2)

    return loss, parameters, (draw.data(2, 8, 8, 3), draw.whole(20, 2), draw.data(2, 8, 8, 3))


def vae(draw):
    parameters = {"encoder": mlp_parameters(draw, 16, 12, 8), "decoder": mlp_parameters(draw, 4, 12, 16)}

    def loss(p, images, noise):
        mean, deviation = jnp.split(mlp(p["encoder"], images, jax.nn.elu), 2, -1)
        logits = mlp(p["decoder"], mean + noise * jnp.exp(deviation), jax.nn.elu)
        bits = jnp.maximum(logits, 0) - logits * images + jnp.log1p(jnp.exp(-jnp.abs(logits)))
        return bits.sum(-1).mean() + 0.5 * (jnp.exp(2 * deviation) + mean**2 - 1 - 2 * deviation).sum(-1).mean()

    return loss, parameters, (draw.uniform(4, 16), draw.data(4, 4))


def gradient_penalty(draw):
    """The critic of a WGAN-GP: a gradient in its loss."""
    parameters = {"a": draw.kernel(3, 3, 2, 4), "b": draw.kernel(3, 3, 4, 4), "head": draw.layer(4, 1)}

    def critic(p, x):
        x = jax.nn.leaky_relu(convolve(p["a"], x, 2), 0.2)
        return dense(p["head"], jnp.tanh(convolve(p["b"], x, 2)).mean((1, 2)))[:, 0]

    def loss(p, real, fake, mix):
        between = mix[:, None, None, None] * real + (1 - mix[:, None, None, None]) * fake
        slopes = jax.grad(lambda x: critic(p, x).sum())(between)
        norms = jnp.sqrt((slopes**2).sum((1, 2, 3)) + 1e-12)
        return critic(p, fake).mean() - critic(p, real).mean() + 10 * ((norms - 1)**2).mean()

    return loss, parameters, (draw.data(3, 8, 8, 2), draw.data(3, 8, 8, 2), draw.uniform(3))


def mixer(draw):
    parameters = {"stem": draw.kernel(4, 4, 3, 8), "norm0": draw.norm(8), "tokens": mlp_parameters(draw, 16, 24, 16),
                  "norm1": draw.norm(8), "channels": mlp_parameters(draw, 8, 16, 8), "head": draw.layer(8, 5)}

    def loss(p, images, labels):
        x = convolve(p["stem"], images, 4, padding="VALID").reshape(images.shape[0], -1, 8)
        x = x + mlp(p["tokens"], layer_norm(p["norm0"], x).swapaxes(1, 2)).swapaxes(1, 2)
        x = x + mlp(p["channels"], layer_norm(p["norm1"], x))
        return cross_entropy(dense(p["head"], x.mean(1)), labels)

    return loss, parameters, (draw.data(2, 16, 16, 3), draw.whole(5, 2))


def detector(draw):
    """Single-shot detection: anchors, boxes, a focal loss and a smooth L1 loss over the matched anchors."""
    parameters = {"a": draw.kernel(3, 3, 3, 6), "b": draw.kernel(3, 3, 6, 8), "classes": draw.kernel(3, 3, 8, 3),
                  "boxes": draw.kernel(3, 3, 8, 4)}

    def loss(p, images, labels, boxes):
        x = jax.nn.relu(convolve(p["a"], images, 2))
        x = jax.nn.relu(convolve(p["b"], x, 2))
        logits, offsets = convolve(p["classes"], x), convolve(p["boxes"], x)
        truth = jax.nn.one_hot(labels, 3)
        probability = jax.nn.sigmoid(logits)
        right = probability * truth + (1 - probability) * (1 - truth)
        focal = -((1 - right)**2 * jnp.log(jnp.clip(right, 1e-6, 1.0))).sum()
        error = jnp.abs(jnp.concatenate([offsets[..., :2], jnp.exp(offsets[..., 2:])], -1) - boxes)
        smooth = jnp.where(error < 1, 0.5 * error**2, error - 0.5).sum(-1)
        return focal / 32 + (smooth * (labels > 0)).sum() / jnp.maximum(1, (labels > 0).sum())

    return loss, parameters, (draw.data(2, 16, 16, 3), draw.whole(3, 2, 4, 4), draw.data(2, 4, 4, 4))


def spatial_transformer(draw):
    """Bilinear samples of an image at places that a network computes."""
    parameters = {"locate": mlp_parameters(draw, 64, 8, 6), "head": draw.layer(64, 5)}

    def loss(p, images, labels):
        theta = mlp(p["locate"], images.reshape(-1, 64), jnp.tanh).reshape(-1, 2, 3) * 0.2 + jnp.eye(2, 3)
        line = jnp.linspace(-1, 1, 8)
        grid = jnp.stack([*jnp.meshgrid(line, line), jnp.ones((8, 8))], 0).reshape(3, -1)
        places = (theta @ grid + 1) * 3.5

        def sample(image, xy):
            return jax.scipy.ndimage.map_coordinates(image, [xy[1], xy[0]], order=1, mode="constant")

        x = jax.vmap(sample)(images, places)
        return cross_entropy(dense(p["head"], x), labels)

    return loss, parameters, (draw.data(3, 8, 8), draw.whole(5, 3))


def nerf(draw):
    parameters = {"mlp": mlp_parameters(draw, 18, 16, 16, 4)}

    def loss(p, origins, directions, colours):
        t = jnp.linspace(0.5, 3, 8)
        points = origins[:, None] + t[:, None] * directions[:, None]
        angles = points[..., None] * 2.0**jnp.arange(3)
        encoded = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1).reshape(*points.shape[:-1], -1)
        raw = mlp(p["mlp"], encoded, jax.nn.relu)
        alpha = 1 - jnp.exp(-jax.nn.softplus(raw[..., 3]) * (t[1] - t[0]))
        light = jnp.cumprod(jnp.concatenate([jnp.ones_like(alpha[:, :1]), 1 - alpha[:, :-1] + 1e-10], 1), 1)
        shown = ((alpha * light)[..., None] * jax.nn.sigmoid(raw[..., :3])).sum(1)
        return jnp.mean((shown - colours)**2)

    return loss, parameters, (draw.data(4, 3), draw.data(4, 3), draw.uniform(4, 3))


def capsules(draw):
    """Routing by agreement, in a loop."""
    parameters = {"w": draw(6, 4, 3, 5), "head": draw.layer(9, 5)}

    def squash(x):
        square = (x**2).sum(-1, keepdims=True)
        return x * square / (1 + square) / jnp.sqrt(square + 1e-9)

    def loss(p, x, labels):
        votes = jnp.einsum("nid,idoe->nioe", x, p["w"])
        step = lambda i, b: b + (votes * squash((jax.nn.softmax(b)[..., None] * votes).sum(1))[:, None]).sum(-1)
        b = lax.fori_loop(0, 3, step, jnp.zeros(votes.shape[:3]))
        lengths = jnp.linalg.norm(squash((jax.nn.softmax(b)[..., None] * votes).sum(1)), axis=-1)
        truth = jax.nn.one_hot(labels, 3)
        return (truth * jax.nn.relu(0.9 - lengths)**2 + 0.5 * (1 - truth) * jax.nn.relu(lengths - 0.1)**2).sum(-1).mean() + (
            0 * p["head"]["b"].sum() + jnp.abs(p["head"]["w"]).sum())

    return loss, parameters, (draw.data(2, 6, 4), draw.whole(3, 2))


def vq_vae(draw):
    """The codebook and commitment losses; the gradient passes straight through the choice of a code."""
    parameters = {"encoder": mlp_parameters(draw, 16, 12, 8), "codes": draw(6, 4, scale=1),
                  "decoder": mlp_parameters(draw, 8, 12, 16)}

    def loss(p, images):
        z = mlp(p["encoder"], images).reshape(-1, 2, 4)
        distances = (z**2).sum(-1, keepdims=True) - 2 * z @ p["codes"].T + (p["codes"]**2).sum(-1)
        quantized, held = p["codes"][jnp.argmin(distances, -1)], lax.stop_gradient
        straight = z + held(quantized - z)
        recovered = mlp(p["decoder"], straight.reshape(-1, 8))
        return jnp.mean((recovered - images)**2) + jnp.mean((quantized - held(z))**2) + (
            0.25 * jnp.mean((held(quantized) - z)**2))

    return loss, parameters, (draw.data(4, 16),)


def densenet(draw):
    parameters = {"stem": draw.kernel(3, 3, 3, 4), "norms": [draw.norm(4), draw.norm(8), draw.norm(12)],
                  "layers": [draw.kernel(3, 3, n, 4) for n in (4, 8, 12)], "head": draw.layer(16, 5)}

    def loss(p, images, labels):
        x = convolve(p["stem"], images)
        for norm, layer in zip(p["norms"], p["layers"]):
            x = jnp.concatenate([x, convolve(layer, jax.nn.relu(batch_norm(norm, x)))], -1)
        x = lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9
        return cross_entropy(dense(p["head"], x.max((1, 2))), labels)

    return loss, parameters, (draw.data(2, 8, 8, 3), draw.whole(5, 2))


PROGRAMS = [efficientnet, convnext, mobilenet_v2, mobilenet_v3, swin, unet, diffusion_unet, vae, gradient_penalty, mixer,
            detector, spatial_transformer, nerf, capsules, vq_vae, densenet]


def programs():
    for make in PROGRAMS:
        yield make.__name__, *make(Drawn(len(make.__name__)))
