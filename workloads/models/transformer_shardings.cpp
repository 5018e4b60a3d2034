// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer_shardings.h"

#include <fmt/format.h>

#include <string_view>

namespace podsim::workloads::models {

namespace {

/// Axes of the dimensions of what a Transformer has, as a list of TOML: "" for arrays that are whole.
struct Axes {
  std::string batch;         ///< of activations and of what they are computed from
  std::string logits;        ///< [batch, length, words]
  std::string embedding;     ///< [words, model]
  std::string positions;     ///< [length, model]
  std::string into_heads;    ///< [model, heads, head]
  std::string out_of_heads;  ///< [heads, head, model]
  std::string into_hidden;   ///< [model, hidden]
  std::string out_of_hidden;
  std::string gating;         ///< [model, experts]
  std::string into_expert;    ///< [experts, model, hidden]
  std::string out_of_expert;  ///< [experts, hidden, model]
};

class ShardingFile {
 public:
  ShardingFile(const TransformerOptions& options, const Axes& axes, const std::string& mesh)
      : o_(options), axes_(axes), text_(fmt::format("[mesh]\naxes = \"{}\"\n\n[sharding]\n", mesh)) {}

  std::string text() {
    for (const char* name : {"tokens", "targets"}) split(name, axes_.batch);
    if (o_.packed) split("sentences", axes_.batch);
    split("logits", axes_.logits);
    split("embedding", axes_.embedding);
    if (!o_.tied_embedding) split("unembedding", axes_.embedding);
    split_stack("", o_.layers);
    if (o_.encoder_layers > 0) {
      split("source_tokens", axes_.batch);
      if (o_.packed) split("source_sentences", axes_.batch);
      if (o_.source_vocabulary > 0) split("encoder/embedding", axes_.embedding);
      split_stack("encoder/", o_.encoder_layers);
    }
    return text_;
  }

 private:
  void split(std::string_view name, std::string_view axes) {
    if (!axes.empty()) text_ += fmt::format("\"{}\" = [{}]\n", name, axes);
  }

  void split_stack(const std::string& stack, std::int64_t layers) {
    split(stack + "embed/lookup", axes_.batch);
    if (o_.position_embedding) split(stack + "position_embedding", axes_.positions);
    const std::string layer = stack + "layer*";
    split(layer + "/residual", axes_.batch);
    for (const char* name : {"q", "k", "v"}) split(layer + "attention/w_" + name, axes_.into_heads);
    split(layer + "attention/w_o", axes_.out_of_heads);
    const bool gated = layers::is_gated(o_.feed_forward.activation);
    const std::int64_t mixtures = o_.mixture.experts > 0 ? layers / o_.mixture.interval : 0;
    if (mixtures < layers) {
      split(layer + "/ffn/w_in", axes_.into_hidden);
      if (gated) split(layer + "/ffn/w_gate", axes_.into_hidden);
      split(layer + "/ffn/w_out", axes_.out_of_hidden);
    }
    if (mixtures > 0) {
      split(layer + "/moe/w_gating", axes_.gating);
      split(layer + "/moe/w_in", axes_.into_expert);
      if (gated) split(layer + "/moe/w_up", axes_.into_expert);
      split(layer + "/moe/w_out", axes_.out_of_expert);
    }
  }

  const TransformerOptions& o_;
  const Axes& axes_;
  std::string text_;
};

}  // namespace

std::string fully_sharded(const TransformerOptions& options, std::int64_t cores) {
  const std::string first = "\"x\"", second = "\"\", \"x\"", third = "\"\", \"\", \"x\"";
  const Axes axes{.batch = first,
                  .logits = first,
                  .embedding = second,
                  .positions = second,
                  .into_heads = first,
                  .out_of_heads = third,
                  .into_hidden = first,
                  .out_of_hidden = second,
                  .gating = first,
                  .into_expert = second,
                  .out_of_expert = third};
  return ShardingFile(options, axes, fmt::format("x={}", cores)).text();
}

std::string tensor_parallel(const TransformerOptions& options, std::int64_t cores, std::int64_t ways) {
  const std::string first = "\"model\"", second = "\"\", \"model\"", third = "\"\", \"\", \"model\"";
  const Axes axes{.batch = "\"data\"",
                  .logits = "\"data\", \"\", \"model\"",
                  .embedding = first,
                  .positions = "",
                  .into_heads = second,
                  .out_of_heads = first,
                  .into_hidden = second,
                  .out_of_hidden = first,
                  .gating = "",
                  .into_expert = third,
                  .out_of_expert = second};
  return ShardingFile(options, axes, fmt::format("data={},model={}", cores / ways, ways)).text();
}

std::string tensor_parallel_fully_sharded(const TransformerOptions& options, std::int64_t cores, std::int64_t ways) {
  const std::string width_first = "\"data\", \"model\"", width_last = "\"model\", \"\", \"data\"";
  const Axes axes{.batch = "\"data\"",
                  .logits = "\"data\", \"\", \"model\"",
                  .embedding = "\"model\", \"data\"",
                  .positions = "\"\", \"data\"",
                  .into_heads = width_first,
                  .out_of_heads = width_last,
                  .into_hidden = width_first,
                  .out_of_hidden = "\"model\", \"data\"",
                  .gating = "\"data\"",
                  .into_expert = "\"\", \"data\", \"model\"",
                  .out_of_expert = "\"\", \"model\", \"data\""};
  return ShardingFile(options, axes, fmt::format("data={},model={}", cores / ways, ways)).text();
}

}  // namespace podsim::workloads::models
