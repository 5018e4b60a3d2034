# SPDX-License-Identifier: Apache-2.0
"""Networks in plain PyTorch with their losses: name, module, arguments. All parameters are trained."""

import math

import torch
from torch import nn
from torch.nn import functional


class Of(nn.Module):
    """A loss: function(parts, inputs...), with parts by name."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function, self.parts = function, nn.ModuleDict(parts)

    def forward(self, *inputs):
        return self.function(self.parts, *inputs)


class Table(nn.Module):
    def __init__(self, *shape, scale=1.0):
        super().__init__()
        self.weight = nn.Parameter(scale * torch.randn(shape))

    def forward(self):
        return self.weight


def draw(*shape):
    return torch.randn(shape)


def classes(below, *shape):
    return torch.randint(0, below, shape)


def convolutional():
    net = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
                        nn.Conv2d(4, 8, 3, padding=1, groups=2), nn.GroupNorm(2, 8), nn.GELU(), nn.AdaptiveAvgPool2d(1),
                        nn.Flatten(), nn.Linear(8, 5))
    return Of(lambda p, x, y: functional.cross_entropy(p["net"](x), y), net=net), (draw(3, 3, 12, 12), classes(5, 3))


class Denoiser(nn.Module):
    class Block(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.norms = nn.ModuleList([nn.GroupNorm(2, inputs), nn.GroupNorm(2, outputs)])
            self.first, self.time = nn.Conv2d(inputs, outputs, 3, padding=1), nn.Linear(8, outputs)
            self.second, self.skip = nn.Conv2d(outputs, outputs, 3, padding=1), nn.Conv2d(inputs, outputs, 1)

        def forward(self, x, time):
            y = self.first(functional.silu(self.norms[0](x))) + self.time(functional.silu(time))[:, :, None, None]
            return self.second(functional.silu(self.norms[1](y))) + self.skip(x)

    def __init__(self):
        super().__init__()
        self.time, self.stem = nn.Sequential(nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 8)), nn.Conv2d(3, 4, 3, padding=1)
        self.first, self.down = self.Block(4, 4), nn.Conv2d(4, 8, 3, 2, 1)
        self.middle, self.attention = self.Block(8, 8), nn.MultiheadAttention(8, 2, batch_first=True)
        self.up, self.last, self.head = nn.ConvTranspose2d(8, 4, 4, 2, 1), self.Block(8, 4), nn.Conv2d(4, 3, 3, padding=1)

    def forward(self, images, times, noise):
        angles = times[:, None].float() * torch.exp(-torch.arange(4) * math.log(100.0) / 4)
        time = self.time(torch.cat([angles.sin(), angles.cos()], -1))
        kept = torch.cumprod(1 - torch.linspace(1e-4, 0.05, 20), 0)[times][:, None, None, None]
        skip = self.first(self.stem(kept.sqrt() * images + (1 - kept).sqrt() * noise), time)
        y = self.middle(self.down(skip), time)
        flat = y.flatten(2).transpose(1, 2)
        y = y + self.attention(flat, flat, flat, need_weights=False)[0].transpose(1, 2).reshape(y.shape)
        y = self.last(torch.cat([skip, self.up(y)], 1), time)
        return functional.mse_loss(self.head(functional.silu(y)), noise)


def diffusion_unet():
    return Denoiser(), (draw(2, 3, 8, 8), classes(20, 2), draw(2, 3, 8, 8))


class VectorQuantized(nn.Module):
    """With the gradient that passes straight through the choice of a code."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(2, 4, 4, 2, 1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1))
        self.decoder = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.ReLU(), nn.ConvTranspose2d(4, 2, 4, 2, 1))
        self.codes = nn.Embedding(6, 4)

    def forward(self, images):
        z = self.encoder(images).permute(0, 2, 3, 1)
        flat = z.reshape(-1, 4)
        apart = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.codes.weight.t() + self.codes.weight.pow(2).sum(1)
        quantized = self.codes(apart.argmin(1)).view(z.shape)
        loss = functional.mse_loss(quantized, z.detach()) + 0.25 * functional.mse_loss(z, quantized.detach())
        straight = z + (quantized - z).detach()
        return functional.mse_loss(self.decoder(straight.permute(0, 3, 1, 2)), images) + loss


def vq_vae():
    return VectorQuantized(), (draw(2, 2, 8, 8),)


class Spectral(nn.Module):
    def __init__(self, size, modes):
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(0.2 * torch.randn(size, size, modes, modes, 2))

    def forward(self, x):
        low = torch.fft.rfft2(x)
        mixed = torch.zeros_like(low)
        weight, m = torch.view_as_complex(self.weight), self.modes
        mixed[:, :, :m, :m] = torch.einsum("bixy,ioxy->boxy", low[:, :, :m, :m], weight)
        return torch.fft.irfft2(mixed, s=x.shape[-2:])


def fourier_operator():
    def loss(p, x, y):
        x = p["lift"](x)
        for i in "01":
            x = functional.gelu(p["mix" + i](x) + p["skip" + i](x))
        return functional.mse_loss(p["project"](x), y)

    return Of(loss, lift=nn.Conv2d(1, 4, 1), mix0=Spectral(4, 3), skip0=nn.Conv2d(4, 4, 1), mix1=Spectral(4, 3),
              skip1=nn.Conv2d(4, 4, 1), project=nn.Conv2d(4, 1, 1)), (draw(2, 1, 8, 8), draw(2, 1, 8, 8))


def mixture_of_experts():
    def loss(p, x, y):
        shares = p["router"](x).softmax(-1)
        best, chosen = shares.topk(2, -1)
        mask = functional.one_hot(chosen, 4).float()
        gates = (mask * (best / best.sum(-1, keepdim=True))[..., None]).sum(1)
        hidden = functional.gelu(torch.einsum("td,edh->teh", x, p["up"]()))
        mixed = torch.einsum("te,teh,ehd->td", gates, hidden, p["down"]())
        balance = 4 * (mask.sum(1).mean(0) * shares.mean(0)).sum()
        return functional.cross_entropy(p["head"](x + mixed), y) + 0.1 * balance

    return Of(loss, router=nn.Linear(6, 4), up=Table(4, 6, 8, scale=0.4), down=Table(4, 8, 6, scale=0.4),
              head=nn.Linear(6, 5)), (draw(10, 6), classes(5, 10))


def graph_network():
    """Attention over edges, by scattered sums and extremes."""
    def loss(p, x, senders, receivers, y):
        h = p["project"](x)
        scores = functional.leaky_relu(p["edge"](torch.cat([h[senders], h[receivers]], -1)), 0.2)[:, 0]
        most = torch.full((8,), -1e9).scatter_reduce(0, receivers, scores.detach(), "amax")
        weights = torch.exp(scores - most[receivers])
        total = torch.zeros(8).index_add(0, receivers, weights)
        messages = (weights / total[receivers])[:, None] * h[senders]
        h = functional.elu(torch.zeros(8, 6).index_add(0, receivers, messages) + h)
        gathered = torch.zeros(8, 6).scatter_add(0, receivers[:, None].expand(-1, 6), h[senders])
        return functional.cross_entropy(p["out"](gathered + h), y)

    module = Of(loss, project=nn.Linear(5, 6), edge=nn.Linear(12, 1), out=nn.Linear(6, 3))
    return module, (draw(8, 5), classes(8, 20), classes(8, 20), classes(3, 8))


class Selective(nn.Module):
    """A selective state-space model, position after position."""

    def __init__(self):
        super().__init__()
        self.words, self.norm, self.into = nn.Embedding(7, 4), nn.RMSNorm(4), nn.Linear(4, 12, bias=False)
        self.depth, self.select, self.step = nn.Conv1d(6, 6, 3, padding=2, groups=6), nn.Linear(6, 7), nn.Linear(1, 6)
        self.rates, self.skip, self.out = nn.Parameter(torch.randn(6, 3)), nn.Parameter(torch.ones(6)), nn.Linear(6, 4)

    def forward(self, words, following):
        x = self.words(words)
        u, gate = self.into(self.norm(x)).chunk(2, -1)
        u = functional.silu(self.depth(u.transpose(1, 2))[..., :words.shape[1]].transpose(1, 2))
        step, b, c = self.select(u).split([1, 3, 3], -1)
        step = functional.softplus(self.step(step))
        state, rows = torch.zeros(words.shape[0], 6, 3), []
        for t in range(words.shape[1]):
            state = state * torch.exp(-step[:, t, :, None] * self.rates.exp()) + (step * u)[:, t, :, None] * b[:, t, None]
            rows.append((state * c[:, t, None]).sum(-1))
        y = torch.stack(rows, 1) + self.skip * u
        logits = (x + self.out(y * functional.silu(gate))) @ self.words.weight.t()
        return functional.cross_entropy(logits.flatten(0, 1), following.flatten())


def mamba():
    return Selective(), (classes(7, 2, 5), classes(7, 2, 5))


def recurrent():
    def loss(p, words, following):
        x = p["gru"](p["lstm"](p["words"](words))[0])[0]
        return functional.nll_loss(functional.log_softmax(p["head"](x), -1).flatten(0, 1), following.flatten())

    return Of(loss, words=nn.Embedding(7, 4), lstm=nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True),
              gru=nn.GRU(10, 6, batch_first=True), head=nn.Linear(6, 7)), (classes(7, 2, 4), classes(7, 2, 4))


def transformer():
    """An encoder and a decoder with masks and label smoothing."""
    net = nn.Transformer(8, 2, 1, 1, 16, 0.0, "gelu", batch_first=True)

    def loss(p, source, target):
        mask = nn.Transformer.generate_square_subsequent_mask(5)
        y = p["net"](p["words"](source), p["words"](target), tgt_mask=mask, tgt_is_causal=True)
        return functional.cross_entropy(p["head"](y).transpose(1, 2), target, label_smoothing=0.1)

    return Of(loss, words=nn.Embedding(9, 8), net=net, head=nn.Linear(8, 9)), (classes(9, 2, 6), classes(9, 2, 5))


def variational():
    def loss(p, images, noise):
        mean, spread = p["encoder"](images).chunk(2, -1)
        logits = p["decoder"](mean + noise * torch.exp(0.5 * spread))
        apart = -0.5 * (1 + spread - mean.pow(2) - spread.exp()).sum()
        return functional.binary_cross_entropy_with_logits(logits, images, reduction="sum") + apart

    coder = lambda *sizes: nn.Sequential(nn.Linear(sizes[0], 12), nn.ELU(), nn.Linear(12, sizes[1]))
    return Of(loss, encoder=coder(16, 8), decoder=coder(4, 16)), (torch.rand(4, 16), draw(4, 4))


def detector():
    def loss(p, images, labels, boxes):
        x = p["body"](images)
        logits, places = p["classes"](x).permute(0, 2, 3, 1), p["boxes"](x).permute(0, 2, 3, 1)
        found = (labels > 0).float()
        close = (functional.smooth_l1_loss(places, boxes, reduction="none").sum(-1) * found).sum() / found.sum().clamp(min=1)
        wanted = functional.one_hot(labels, 3).float()
        shares = torch.sigmoid(logits)
        right = shares * wanted + (1 - shares) * (1 - wanted)
        bits = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
        huber = functional.huber_loss(places, boxes, delta=0.5)
        return ((1 - right)**2 * bits).mean() + close + huber

    body = nn.Sequential(nn.Conv2d(3, 6, 3, 2, 1), nn.LeakyReLU(0.1), nn.Conv2d(6, 8, 3, 2, 1), nn.Hardswish())
    return Of(loss, body=body, classes=nn.Conv2d(8, 3, 3, padding=1), boxes=nn.Conv2d(8, 4, 3, padding=1)), (
        draw(2, 3, 16, 16), classes(3, 2, 4, 4), draw(2, 4, 4, 4))


def spatial_transformer():
    """Samples of an image at places that a network computes."""
    def loss(p, images, labels):
        theta = 0.2 * p["locate"](images.flatten(1)).view(-1, 2, 3) + torch.eye(2, 3)
        grid = functional.affine_grid(theta, [3, 1, 8, 8], align_corners=False)
        return functional.cross_entropy(p["head"](functional.grid_sample(images, grid, align_corners=False).flatten(1)), labels)

    locate = nn.Sequential(nn.Linear(64, 8), nn.Tanh(), nn.Linear(8, 6))
    return Of(loss, locate=locate, head=nn.Linear(64, 5)), (draw(3, 1, 8, 8), classes(5, 3))


def segmentation():
    """Dilated convolutions of several rates, a pooled branch, resized outputs, deep supervision."""
    def loss(p, images, labels):
        x = p["stem"](images)
        pooled = functional.interpolate(p["pool"](x.mean((2, 3), keepdim=True)), size=x.shape[-2:], mode="bilinear")
        x = torch.cat([p["one"](x), p["two"](x), pooled], 1)
        logits = functional.interpolate(p["head"](x), scale_factor=2, mode="bilinear", align_corners=False)
        return functional.cross_entropy(logits, labels)

    return Of(loss, stem=nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.BatchNorm2d(4), nn.SiLU()),
              one=nn.Conv2d(4, 4, 3, padding=1), two=nn.Conv2d(4, 4, 3, padding=2, dilation=2), pool=nn.Conv2d(4, 4, 1),
              head=nn.Conv2d(12, 3, 1)), (draw(2, 3, 8, 8), classes(3, 2, 8, 8))


def contrastive():
    def loss(p, x, y):
        a, b = functional.normalize(p["one"](x), dim=-1), functional.normalize(p["two"](y), dim=-1)
        logits = a @ b.t() * p["heat"]().exp()
        labels = torch.arange(6)
        far = functional.triplet_margin_loss(a, b, b.roll(1, 0)) + functional.cosine_embedding_loss(a, b, torch.ones(6))
        return functional.cross_entropy(logits, labels) + functional.cross_entropy(logits.t(), labels) + far

    return Of(loss, one=nn.Linear(8, 4), two=nn.Linear(5, 4), heat=Table(1)), (draw(6, 8), draw(6, 5))


def recommendation():
    def loss(p, numbers, rows, clicked):
        vectors = [functional.relu(p["bottom"](numbers))] + [p[f"table{i}"](rows[:, i]).sum(1) for i in range(2)]
        z = torch.stack(vectors, 1)
        first, second = torch.triu_indices(3, 3, 1)
        both = torch.bmm(z, z.transpose(1, 2))[:, first, second]
        return functional.binary_cross_entropy(torch.sigmoid(p["top"](torch.cat([vectors[0], both], 1)))[:, 0], clicked)

    return Of(loss, bottom=nn.Linear(5, 4), table0=nn.Embedding(7, 4), table1=nn.Embedding(7, 4), top=nn.Linear(7, 1)), (
        draw(5, 5), classes(7, 5, 2, 3), torch.randint(0, 2, (5,)).float())


def soft_actor():
    def loss(p, seen, noise):
        mean, spread = p["actor"](seen).chunk(2, -1)
        spread = spread.clamp(-5, 2)
        raw = mean + spread.exp() * noise
        logs = (-0.5 * noise**2 - spread - 2 * (math.log(2) - raw - functional.softplus(-2 * raw))).sum(-1)
        both = torch.cat([seen, raw.tanh()], -1)
        return (0.2 * logs - torch.minimum(p["one"](both), p["two"](both))[:, 0]).mean()

    critic = lambda: nn.Sequential(nn.Linear(6, 8), nn.Mish(), nn.Linear(8, 1))
    return Of(loss, actor=nn.Sequential(nn.Linear(4, 8), nn.Softsign(), nn.Linear(8, 4)), one=critic(), two=critic()), (
        draw(5, 4), draw(5, 2))


def neural_ode():
    def loss(p, y, wanted):
        rows = []
        for _ in range(4):
            a = p["field"](y)
            b = p["field"](y + 0.05 * a)
            y = y + 0.1 * b
            rows.append(y)
        return functional.l1_loss(torch.stack(rows), wanted)

    return Of(loss, field=nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))), (draw(3, 2), draw(4, 3, 2))


def rope_decoder():
    """Rotary positions as complex numbers, gated layers, grouped queries."""
    def rotated(x):
        angles = torch.arange(x.shape[1])[:, None] * 100.0**(-torch.arange(2) / 2)
        turned = torch.view_as_complex(x.reshape(*x.shape[:-1], 2, 2)) * torch.polar(torch.ones(5, 2), angles)[:, None]
        return torch.view_as_real(turned).flatten(-2)

    def loss(p, words, following):
        x = p["words"](words)
        y = p["norm0"](x)
        q, k, v = (p[n](y).view(2, 5, -1, 4) for n in "qkv")
        q, k, v = (a.transpose(1, 2) for a in (rotated(q), rotated(k), v))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + p["o"](y.transpose(1, 2).flatten(2))
        y = p["norm1"](x)
        x = x + p["down"](functional.silu(p["gate"](y)) * p["up"](y))
        return functional.cross_entropy(p["head"](x).flatten(0, 1), following.flatten())

    line = lambda a, b: nn.Linear(a, b, bias=False)
    return Of(loss, words=nn.Embedding(9, 8), norm0=nn.RMSNorm(8), q=line(8, 16), k=line(8, 8), v=line(8, 8), o=line(16, 8),
              norm1=nn.RMSNorm(8), gate=line(8, 12), up=line(8, 12), down=line(12, 8), head=line(8, 9)), (
                  classes(9, 2, 5), classes(9, 2, 5))


def corners():
    """Where functions have a corner: equal numbers, zeros, bounds, padding; and what is held."""
    def loss(p, words, x):
        rows = p["words"](words)
        zero = torch.relu(-rows.detach().abs())
        with torch.no_grad():
            scale = rows.norm(dim=-1, keepdim=True)
        sums = (zero + x.relu() - x.relu().detach()).abs() + functional.normalize(zero * rows, dim=-1) + x.clamp(-1, 1)
        most = torch.stack([rows, rows.flip(0).flip(0), x], 1).max(1)[0] + functional.relu6(6 * x) + functional.hardsigmoid(3 * x)
        spread = torch.zeros(3, 4).scatter_reduce(0, words[:, None].expand(-1, 4) % 3, rows, "mean", include_self=False)
        extreme = torch.zeros(3, 4).scatter_reduce(0, words[:, None].expand(-1, 4) % 3, rows, "amax", include_self=False)
        return ((sums + most) * scale * p["scale"]() * p["frozen"]()).sum() + (spread * extreme).sum() + (rows - rows).std(0).sum()

    module = Of(loss, words=nn.Embedding(7, 4, padding_idx=2), scale=Table(4), frozen=Table(4).requires_grad_(False))
    return module, (
        torch.tensor([0, 2, 5, 2, 1]), torch.tensor([[-1.0, 0, 1, 2]] * 5))


def matrices():
    """Determinants, linear systems, eigenvalues and factors of learned features."""
    def loss(p, x, y):
        f = torch.tanh(p["features"](x))
        gram = f.t() @ f + torch.eye(4)
        values, vectors = torch.linalg.eigh(gram + torch.diag(torch.arange(4.0)))
        factor = torch.linalg.cholesky(gram)
        half = torch.linalg.solve_triangular(factor, f.t() @ y, upper=False)
        return torch.logdet(gram) + torch.linalg.inv(gram).trace() + torch.linalg.det(gram / 2) + half.pow(2).sum() + (
            torch.linalg.solve(gram, f.t() @ y).pow(2).sum() + values.log().sum() + (f @ vectors).pow(4).mean())

    return Of(loss, features=nn.Linear(3, 4)), (draw(7, 3), draw(7, 2))


def signals():
    """Windows that overlap and their spectra."""
    def loss(p, x, y):
        x = p["filter"](x)[:, 0]
        spectrum = torch.stft(x, 8, 4, window=torch.hann_window(8), return_complex=True)
        frames = torch.fft.rfft(x.unfold(1, 6, 3), norm="ortho")
        back = torch.fft.irfft(torch.fft.rfft(x) * torch.fft.rfft(y).conj())
        return (spectrum.abs() + 1e-3).log().mean() + (frames.real**2).mean() + frames.angle().cos().mean() + back.pow(2).mean()

    return Of(loss, filter=nn.Conv1d(1, 1, 5, padding=2)), (draw(2, 1, 16), draw(2, 16))


PROGRAMS = [corners, matrices, signals, convolutional, diffusion_unet, vq_vae, fourier_operator, mixture_of_experts, graph_network, mamba, recurrent,
            transformer, variational, detector, spatial_transformer, segmentation, contrastive, recommendation, soft_actor,
            neural_ode, rope_decoder]


def programs():
    for make in PROGRAMS:
        torch.manual_seed(len(make.__name__))
        yield make.__name__, *make()
