// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/model_options.h"

/// Numbers of parameters of all workloads in closed form: layers times sizes of the published architectures.
namespace podsim::workloads::testing {

/// A dense layer or convolution with biases.
constexpr std::int64_t with_bias_of(std::int64_t inputs, std::int64_t outputs) { return (inputs + 1) * outputs; }

/// A perceptron with biases.
inline std::int64_t weights_of_perceptron(std::int64_t inputs, const std::vector<std::int64_t>& units) {
  std::int64_t count = 0;
  for (const std::int64_t outputs : units) {
    count += with_bias_of(inputs, outputs);
    inputs = outputs;
  }
  return count;
}

/// ResNet v1.5 with bottlenecks (He et al. 2015). A normalisation has `norm` numbers per channel: 2 in training, 1
/// folded into the kernel. 25,557,032 for ResNet-50, 44,549,160 for ResNet-101, 60,192,808 for ResNet-152 in training.
inline std::int64_t weights_of_resnet(const std::vector<std::int64_t>& blocks, std::int64_t norm) {
  std::int64_t count = 7 * 7 * 3 * 64 + norm * 64, inputs = 64;
  for (std::size_t group = 0; group < blocks.size(); ++group) {
    const std::int64_t width = 64 << group;
    for (std::int64_t block = 0; block < blocks[group]; ++block) {
      count += inputs * width + 9 * width * width + width * 4 * width + norm * 6 * width;
      if (block == 0) count += inputs * 4 * width + norm * 4 * width;
      inputs = 4 * width;
    }
  }
  return count + with_bias_of(inputs, 1000);
}

/// SSD over ResNet-34's first three groups (MLPerf v0.5), heads of six scales for 81 classes and 4 coordinates.
inline std::int64_t weights_of_ssd(std::int64_t norm) {
  std::int64_t count = 7 * 7 * 3 * 64 + norm * 64, inputs = 64;
  const std::vector<std::int64_t> blocks{3, 4, 6};
  for (std::size_t group = 0; group < blocks.size(); ++group) {
    const std::int64_t width = 64 << group;
    for (std::int64_t block = 0; block < blocks[group]; ++block) {
      count += 9 * inputs * width + 9 * width * width + norm * 2 * width;
      if (inputs != width) count += inputs * width + norm * width;
      inputs = width;
    }
  }
  const std::vector<std::int64_t> channels{256, 512, 512, 256, 256, 256}, reduced{0, 256, 256, 128, 128, 128};
  const std::vector<std::int64_t> boxes{4, 6, 6, 6, 4, 4};
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (i > 0) count += with_bias_of(channels[i - 1], reduced[i]) + with_bias_of(9 * reduced[i], channels[i]);
    count += with_bias_of(9 * channels[i], boxes[i] * (81 + 4));
  }
  return count;
}

/// A block of attention with all heads together `heads` wide, and one of feed-forward, `gates` products into it.
constexpr std::int64_t weights_of_attention(std::int64_t model, std::int64_t heads) { return 4 * model * heads; }
constexpr std::int64_t weights_of_feed_forward(std::int64_t model, std::int64_t hidden, std::int64_t gates = 1) {
  return (gates + 1) * model * hidden;
}

/// BERT-large with both heads of its pre-training, 336,226,108 as in the published checkpoint.
inline std::int64_t weights_of_bert_large() {
  const std::int64_t m = 1024, h = 4096, v = 30522;
  const std::int64_t layer = weights_of_attention(m, m) + 4 * m + weights_of_feed_forward(m, h) + h + m + 2 * 2 * m;
  const std::int64_t embedding = v * m + 512 * m + 2 * m + 2 * m;
  return embedding + 24 * layer + with_bias_of(m, m) + with_bias_of(m, m) + 2 * m + v + with_bias_of(m, 2);
}

/// MLPerf's GNMT: an LSTM has (inputs + H) 4 H weights and 4 H biases; additive attention with a normalised vector.
inline std::int64_t weights_of_gnmt() {
  const std::int64_t h = 1024, v = 32316;
  const auto lstm = [](std::int64_t inputs) { return (inputs + h) * 4 * h + 4 * h; };
  const std::int64_t encoder = 2 * lstm(h) + lstm(2 * h) + 2 * lstm(h);
  const std::int64_t attending = 2 * h * h + h + 1 + h;
  return 2 * v * h + encoder + lstm(2 * h) + attending + 3 * lstm(2 * h);
}

/// Layers with a norm in front of each block; half of them, if there are experts, with 2048 of them.
inline std::int64_t weights_of_translator(std::int64_t layers, std::int64_t vocabulary, std::int64_t heads,
                                          std::int64_t hidden, std::int64_t experts) {
  const std::int64_t m = 1024, norm = 2 * m, dense = weights_of_feed_forward(m, hidden);
  const std::int64_t mixtures = experts > 0 ? layers / 2 : 0, mixture = experts * dense + m * experts;
  const std::int64_t coder =
      layers * (weights_of_attention(m, heads) + 2 * norm) + (layers - mixtures) * dense + mixtures * mixture + norm;
  return vocabulary * m + 2 * coder + layers * (weights_of_attention(m, heads) + norm);
}

inline std::int64_t weights_of_moe_decoder() {
  const std::int64_t m = 1024, dense = weights_of_feed_forward(m, 8192);
  return 32768 * m + 36 * (weights_of_attention(m, 16 * 128) + 2 * 2 * m) + 18 * dense +
         18 * (2048 * dense + m * 2048) + 2 * m;
}

/// Facebook's DLRM with rows of 128: all 27 x 27 products go into the top perceptron.
inline std::int64_t weights_of_dlrm(const std::vector<std::int64_t>& rows) {
  std::int64_t all = 0;
  for (const std::int64_t table : rows) all += table;
  return 128 * all + weights_of_perceptron(13, {512, 256, 128}) +
         weights_of_perceptron(128 + 27 * 27, {1024, 1024, 512, 256, 1});
}

/// Rows of Criteo's tables in MLPerf's reference; those of at most 8192 rows are on every core.
inline const std::vector<std::int64_t> small_tables{7420, 3, 7120, 1543, 63, 10, 2208, 155, 4, 976, 14, 108, 36};
inline const std::vector<std::int64_t> large_tables{39884406, 39043,    17289,    20263,    38532951, 2953546, 403346,
                                                    11938,    39979771, 25641295, 39664984, 585935,   12972};

inline std::vector<std::int64_t> all_tables_of() {
  std::vector<std::int64_t> rows = small_tables;
  rows.insert(rows.end(), large_tables.begin(), large_tables.end());
  return rows;
}

/// AmoebaNet-D with 6 normal cells of 256, 512 and 1024 filters, of Real et al. 2018: `norm` numbers a channel of a
/// norm. To bring both inputs of a cell to F channels takes as many weights whether or not they are halved.
inline std::int64_t weights_of_amoebanet(std::int64_t norm, bool auxiliary) {
  const auto conv = [norm](std::int64_t in, std::int64_t out, std::int64_t taps = 1) {
    return in * out * taps + norm * out;
  };
  const auto narrow_pair = [&](std::int64_t f) {  // 1 x 1, 1 x 7, 7 x 1, 1 x 1
    return conv(f, f / 4) + 2 * conv(f / 4, f / 4, 7) + conv(f / 4, f);
  };
  const auto normal = [&](std::int64_t before, std::int64_t last, std::int64_t f) {
    return conv(before, f) + conv(last, f) + 3 * conv(f, f) + 2 * narrow_pair(f);
  };
  const auto reduction = [&](std::int64_t state1, std::int64_t last, std::int64_t f) {
    const std::int64_t square = conv(state1, f / 4) + conv(f / 4, f / 4, 9) + conv(f / 4, f);
    return conv(last, f) + square + narrow_pair(f) + conv(f, f);
  };
  std::int64_t sum = conv(3, 32, 9) + reduction(32, 32, 64) + conv(32, 64);  // a pool of the stem's 32 channels
  sum += conv(32, 128) + reduction(128, 192, 128) + normal(192, 384, 256) + normal(384, 1024, 256);
  sum += conv(1024, 512) + reduction(512, 1024, 512) + normal(1024, 1536, 512) + normal(1536, 2048, 512);
  sum += conv(2048, 1024) + reduction(1024, 2048, 1024) + normal(2048, 3072, 1024) + normal(3072, 4096, 1024);
  if (auxiliary) sum += conv(2048, 51) + conv(51, 307, 16) + with_bias_of(307, 1001);
  return sum + with_bias_of(4096, 1001);
}

struct InferenceCase {
  std::string name;
  std::int64_t inference, training;  ///< parameters of the network; 0: there is no training
  ModelSettings settings = {};
};

inline std::vector<InferenceCase> inference_cases() {
  const std::int64_t m = 768, h = 3072;
  const std::int64_t transformer =
      32000 * m + 512 * m + 12 * (weights_of_attention(m, m) + weights_of_feed_forward(m, h) + 4 * m) + 2 * m;
  const std::int64_t dense_137b =
      32000 * 8192L +
      64 * (weights_of_attention(8192, 128 * 128) + weights_of_feed_forward(8192, 65536, 2) + 2 * 8192 + 32 * 128) +
      8192;
  const std::int64_t gpt_6b =
      2 * 50400 * 4096L + 28 * (weights_of_attention(4096, 4096) + weights_of_feed_forward(4096, 16384) + 2 * 4096) +
      2 * 4096;
  const std::int64_t ncf =
      (138493 + 26744) * (64 + 128) + weights_of_perceptron(256, {256, 128, 64}) + with_bias_of(64 + 64, 1);
  // The published Mask R-CNN has 44,401,393 weights and biases; its norms, a scale and a shift for each of ResNet-50's
  // 26,560 channels, are frozen.
  const std::int64_t mask_rcnn = 44'401'393 + 2 * 26'560;
  const std::int64_t mlp = 4096L * 4096;
  return {
      {"resnet50", weights_of_resnet({3, 4, 6, 3}, 1), weights_of_resnet({3, 4, 6, 3}, 2)},
      {"resnet101", weights_of_resnet({3, 4, 23, 3}, 1), weights_of_resnet({3, 4, 23, 3}, 2)},
      {"resnet152", weights_of_resnet({3, 8, 36, 3}, 1), weights_of_resnet({3, 8, 36, 3}, 2)},
      {"resnet50_global", weights_of_resnet({3, 4, 6, 3}, 1), weights_of_resnet({3, 4, 6, 3}, 2)},
      {"pipelined_mlp", 4 * mlp, 4 * mlp},  // of a core: one of four stages
      {"pipelined_mlp", 16 * mlp, 16 * mlp, {{"model.form", "vectorised"}}},
      {"transformer", transformer, transformer},
      {"transformer_mlperf", weights_of_translator(6, 33708, 1024, 4096, 0),
       weights_of_translator(6, 33708, 1024, 4096, 0)},
      {"gnmt", weights_of_gnmt(), weights_of_gnmt()},
      {"dense_137b", dense_137b, dense_137b},
      {"gpt_6b", gpt_6b, gpt_6b},
      {"gshard", weights_of_translator(18, 32000 + 64000, 16 * 128, 8192, 2048),
       weights_of_translator(18, 32000 + 64000, 16 * 128, 8192, 2048)},
      {"moe_decoder", weights_of_moe_decoder(), weights_of_moe_decoder()},
      {"bert_large", weights_of_bert_large(), weights_of_bert_large()},
      {"dlrm", weights_of_dlrm(small_tables), weights_of_dlrm(small_tables)},
      {"dlrm_global", weights_of_dlrm(all_tables_of()), weights_of_dlrm(all_tables_of())},
      {"ncf", ncf, ncf},
      {"ssd", weights_of_ssd(1), weights_of_ssd(2)},
      {"mask_rcnn", mask_rcnn, mask_rcnn},
      {"vit", 86'567'656, 86'567'656},           // the published checkpoint of ViT-B/16
      {"mixer", 59'880'472, 59'880'472},         // of Mixer-B/16
      {"bit_resnet50", 25'549'352, 25'549'352},  // of BiT-R50x1 with 1000 classes
      // As Keras and PyTorch count them; at inference the second norm of a block is in the kernel before it and a bias.
      {"wide_resnet", 36'479'194 - 4 * (160 + 320 + 640), 36'479'194},
      // Keras's trainable parameters without a scale in batch norms; torchvision's with its auxiliary classifier.
      {"inception_v3", 23'817'352, 27'161'264},
      {"amoebanet_d", weights_of_amoebanet(1, false), weights_of_amoebanet(2, true)},
      {"mbconv", 5'288'548, 0},  // of EfficientNet-B0
      {"perceptron", weights_of_perceptron(2000, {2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 1000}),
       weights_of_perceptron(2000, {2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 1000})},
  };
}

}  // namespace podsim::workloads::testing
