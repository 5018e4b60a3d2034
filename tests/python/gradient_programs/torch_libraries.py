# SPDX-License-Identifier: Apache-2.0
"""Small configurations of the networks of torchvision, timm and transformers, with their losses: name, module, arguments.
A library that cannot be imported leaves its programs out."""

import functools
import importlib

import torch
from torch import nn
from torch.nn import functional


class Classified(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, images, labels):
        return functional.cross_entropy(self.net(images), labels)


class Labelled(nn.Module):
    """The loss that a network of transformers returns."""

    def __init__(self, net, names):
        super().__init__()
        self.net, self.names = net, names

    def forward(self, *inputs):
        return self.net(**dict(zip(self.names, inputs)), return_dict=True).loss


def _vision(net, size, count=2):
    """In training mode, without what is dropped at random."""
    for part in net.modules():
        if isinstance(part, nn.Dropout):
            part.p = 0.0
    return Classified(net.train()), (torch.randn(count, 3, size, size), torch.randint(0, 5, (count,)))


def efficientnet():
    from torchvision.models.efficientnet import EfficientNet, FusedMBConvConfig, MBConvConfig

    blocks = [FusedMBConvConfig(1, 3, 1, 8, 8, 1), MBConvConfig(2, 3, 2, 8, 8, 1), MBConvConfig(2, 5, 1, 8, 8, 1)]
    return _vision(EfficientNet(blocks, 0.0, 0.0, num_classes=5, last_channel=16), 16, 4)


def mobilenet_v2():
    from torchvision.models import MobileNetV2

    return _vision(MobileNetV2(5, 0.25, [[1, 8, 1, 1], [2, 16, 1, 2]], dropout=0.0), 12, 3)


def mobilenet_v3():
    from torchvision.models.mobilenetv3 import InvertedResidualConfig, MobileNetV3

    blocks = [InvertedResidualConfig(8, 3, 8, 8, True, "RE", 2, 1, 1), InvertedResidualConfig(8, 5, 16, 8, True, "HS", 1, 1, 1)]
    return _vision(MobileNetV3(blocks, 16, 5, dropout=0.0), 16, 4)


def convnext():
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt

    return _vision(ConvNeXt([CNBlockConfig(4, 8, 1), CNBlockConfig(8, None, 1)], 0.0, 0.5, 5), 16)


def swin():
    from torchvision.models.swin_transformer import SwinTransformer

    return _vision(SwinTransformer([2, 2], 8, [2, 1], [2, 2], [4, 4], 2.0, 0.0, 0.0, 0.0, 5), 16)


def swin_v2():
    from torchvision.models.swin_transformer import PatchMergingV2, SwinTransformer, SwinTransformerBlockV2

    return _vision(SwinTransformer([2, 2], 8, [2], [2], [2, 2], 2.0, 0.0, 0.0, 0.0, 5, block=SwinTransformerBlockV2,
                                   downsample_layer=PatchMergingV2), 8)


def vision_transformer():
    from torchvision.models import VisionTransformer

    return _vision(VisionTransformer(8, 4, 2, 2, 8, 16, num_classes=5), 8)


def densenet():
    from torchvision.models import DenseNet

    return _vision(DenseNet(4, (2, 2), 8, 2, 0.0, 5), 16)


def shufflenet():
    from torchvision.models import ShuffleNetV2

    return _vision(ShuffleNetV2([1, 1, 1], [4, 8, 8, 8, 16], 5), 32)


def resnet():
    from timm.models.resnet import BasicBlock, ResNet

    return _vision(ResNet(BasicBlock, [1, 1, 1, 1], 5, stem_width=4, stem_type="deep", channels=(4, 8, 8, 8), avg_down=True), 32, 3)


def mlp_mixer():
    from timm.models.mlp_mixer import MlpMixer

    return _vision(MlpMixer(5, 8, patch_size=4, num_blocks=1, embed_dim=8), 8)


def scaled_vision():
    from timm.models.vision_transformer import VisionTransformer

    return _vision(VisionTransformer(8, 4, num_classes=5, embed_dim=8, depth=1, num_heads=2, init_values=0.1), 8)


def pool_former():
    from timm.models.metaformer import MetaFormer, Pooling

    return _vision(MetaFormer(num_classes=5, depths=(1, 1), dims=(4, 8), token_mixers=Pooling), 16)


@functools.cache
def _transformers():
    import transformers

    transformers.logging.set_verbosity_error()
    return transformers


_QUIET = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def _text(kind, config, names=("input_ids", "labels"), below=11, sizes=((2, 5), (2, 5)), **options):
    library = _transformers()
    net = getattr(library, kind)(getattr(library, config)(**options)).eval()
    return Labelled(net, names), tuple(torch.randint(1, below, size) for size in sizes)


def bert():
    return _text("BertForPreTraining", "BertConfig", ("input_ids", "labels", "next_sentence_label"), 2,
                 ((2, 5), (2, 5), (2,)), vocab_size=11, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
                 intermediate_size=16, max_position_embeddings=8, **_QUIET)


def gpt2():
    return _text("GPT2LMHeadModel", "GPT2Config", vocab_size=11, n_embd=8, n_layer=1, n_head=2, n_positions=8, use_cache=False)


def llama():
    return _text("LlamaForCausalLM", "LlamaConfig", vocab_size=11, hidden_size=8, intermediate_size=16, num_hidden_layers=1,
                 num_attention_heads=4, num_key_value_heads=2, use_cache=False)


def mixtral():
    return _text("MixtralForCausalLM", "MixtralConfig", vocab_size=11, hidden_size=8, intermediate_size=16,
                 num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=2, num_local_experts=3, use_cache=False)


def mamba_lm():
    return _text("MambaForCausalLM", "MambaConfig", vocab_size=11, hidden_size=8, state_size=4, num_hidden_layers=1,
                 use_cache=False)


def t5():
    return _text("T5ForConditionalGeneration", "T5Config", vocab_size=11, d_model=8, d_kv=4, d_ff=16, num_layers=1, num_heads=2,
                 use_cache=False, decoder_start_token_id=0, pad_token_id=0)


def albert():
    return _text("AlbertForMaskedLM", "AlbertConfig", vocab_size=11, embedding_size=4, hidden_size=8, num_hidden_layers=2,
                 num_attention_heads=2, intermediate_size=16, max_position_embeddings=8, **_QUIET)


def gemma():
    return _text("Gemma2ForCausalLM", "Gemma2Config", vocab_size=11, hidden_size=8, intermediate_size=16, num_hidden_layers=2,
                 num_attention_heads=2, num_key_value_heads=1, head_dim=4, sliding_window=3, use_cache=False)


def segformer():
    library = _transformers()
    config = library.SegformerConfig(num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[4, 8],
                                     patch_sizes=[3, 3], strides=[2, 2], num_attention_heads=[1, 2], mlp_ratios=[2, 2],
                                     decoder_hidden_size=8, num_labels=3, drop_path_rate=0.0, **_QUIET)
    return (Labelled(library.SegformerForSemanticSegmentation(config).eval(), ("pixel_values", "labels")),
            (torch.randn(2, 3, 8, 8), torch.randint(0, 3, (2, 8, 8))))


PROGRAMS = {"torchvision": [efficientnet, mobilenet_v2, mobilenet_v3, convnext, swin, swin_v2, vision_transformer, densenet,
                            shufflenet],
            "timm": [resnet, mlp_mixer, scaled_vision, pool_former],
            "transformers": [bert, gpt2, llama, mixtral, mamba_lm, t5, albert, gemma, segformer]}


def programs():
    for library, makers in PROGRAMS.items():
        try:
            importlib.import_module(library)
        except ImportError:
            continue
        for make in makers:
            torch.manual_seed(len(make.__name__))
            yield f"{library}_{make.__name__}", *make()
