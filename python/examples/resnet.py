# SPDX-License-Identifier: Apache-2.0
"""ResNet v1.5 (He et al. 2015, the stride in the 3x3 convolution) for ImageNet:

podsim run python/examples/resnet.py:resnet --train lars --slice 4x4
podsim run python/examples/resnet.py:resnet --train lars --set model.depth=101 --set model.width=128
"""
from podsim import build as nn

BLOCKS = {26: (2, 2, 2, 2), 38: (2, 3, 4, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


def resnet(program, batch=128, depth=50, width=64, classes=1000):
    """Loss of a batch of images in bf16, whose parameters are f32."""
    images, labels = program.infeed(((batch, 224, 224, 3), "bf16"), ((batch,), "s32"))

    def conv(x, filters, size, stride, name):
        with program.scope(name):
            kernel = program.parameter("kernel", (size, size, x.shape[-1], filters))
            return nn.batch_norm(nn.conv(x, kernel.astype(x.dtype), stride))

    def bottleneck(x, filters, stride, projects):
        shortcut = conv(x, 4 * filters, 1, stride, "projection") if projects else x
        y = nn.relu(conv(x, filters, 1, 1, "conv1"))
        y = nn.relu(conv(y, filters, 3, stride, "conv2"))
        return nn.relu(conv(y, 4 * filters, 1, 1, "conv3") + shortcut)

    x = nn.max_pool(nn.relu(conv(images, width, 7, 2, "stem")), 3, 2)
    for stage, blocks in enumerate(BLOCKS[depth]):
        for block in range(blocks):
            with program.scope(f"layer{stage + 1}/block{block}"):
                x = bottleneck(x, width << stage, 2 if stage and not block else 1, block == 0)
    features = x.astype("f32").mean(1, 2).astype(x.dtype)
    kernel = program.parameter("head/kernel", (features.shape[-1], classes))
    logits = nn.matmul(features, kernel.astype(x.dtype)).astype("f32") + program.parameter("head/bias", (classes,))
    return nn.cross_entropy(logits, labels, smoothing=0.1)
