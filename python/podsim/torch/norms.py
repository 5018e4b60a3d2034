# SPDX-License-Identifier: Apache-2.0
"""Normalisations; statistics in f32."""

from typing import Any, List

from podsim import build as nn
from podsim.build.graph import Array, _broadcast_in
from podsim.torch.writer import Writer, rule


@rule("native_layer_norm")
def _layer_norm(writer: Writer, node: Any, x: Array, shape: List[int], weight: Any, bias: Any,
                epsilon: float) -> List[Array]:
    wide, over = x.astype("f32"), list(range(x.ndim - len(shape), x.ndim))
    mean = wide.mean(*over, keepdims=True)
    centred = wide - mean
    scale = nn.rsqrt((centred * centred).mean(*over, keepdims=True) + epsilon)
    result = centred * scale
    result = result if weight is None else result * weight.astype("f32")
    result = result if bias is None else result + bias.astype("f32")
    return [result.astype(x.dtype), mean, scale]


@rule("native_group_norm")
def _group_norm(writer: Writer, node: Any, x: Array, weight: Any, bias: Any, images: int, channels: int, size: int,
                groups: int, epsilon: float) -> List[Any]:
    wide = x.astype("f32").reshape(images, groups, -1)
    centred = wide - wide.mean(2, keepdims=True)
    scale = nn.rsqrt((centred * centred).mean(2, keepdims=True) + epsilon)
    result = (centred * scale).reshape(*x.shape)
    result = result if weight is None else result * _broadcast_in(weight.astype("f32"), x.shape, (1,))
    result = result if bias is None else result + _broadcast_in(bias.astype("f32"), x.shape, (1,))
    return [result.astype(x.dtype), None, None]


@rule("_native_batch_norm_legit_no_training", "_native_batch_norm_legit_functional", "_native_batch_norm_legit")
def _batch_norm(writer: Writer, node: Any, x: Array, weight: Any, bias: Any, *rest: Any) -> List[Any]:
    """With given statistics, or with those of the batch; the running ones are returned as they were."""
    given = "no_training" in str(node.target)
    statistics = rest[:2] if len(rest) > 3 or given else (None, None)
    epsilon, wide = rest[-1], x.astype("f32")
    over = [d for d in range(x.ndim) if d != 1]
    mean = statistics[0].astype("f32") if given else wide.mean(*over)
    centred = wide - _broadcast_in(mean, x.shape, (1,))
    variance = statistics[1].astype("f32") if given else (centred * centred).mean(*over)
    scale = nn.rsqrt(variance + epsilon)
    scale = scale if weight is None else scale * weight.astype("f32")
    result = centred * _broadcast_in(scale, x.shape, (1,))
    result = result if bias is None else result + _broadcast_in(bias.astype("f32"), x.shape, (1,))
    return [result.astype(x.dtype), mean, scale, *statistics]


@rule("_fused_rms_norm", "rms_norm")
def _rms_norm(writer: Writer, node: Any, x: Array, shape: List[int], weight: Any = None, epsilon: Any = None) -> Any:
    wide, over = x.astype("f32"), list(range(x.ndim - len(shape), x.ndim))
    scale = nn.rsqrt((wide * wide).mean(*over, keepdims=True) + (1.1920929e-07 if epsilon is None else epsilon))
    result = wide * scale
    result = (result if weight is None else result * weight.astype("f32")).astype(x.dtype)
    return [result, scale] if "_fused" in str(node.target) else result
