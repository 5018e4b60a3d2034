// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer_shardings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/diagnostic.h"
#include "hlo/spmd/mesh/sharding_file.h"

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
  std::string into_latent;   ///< [model, latent]
  std::string into_hidden;   ///< [model, hidden]
  std::string out_of_hidden;
  std::string gating;         ///< [model, experts]
  std::string into_expert;    ///< [experts, model, hidden]
  std::string out_of_expert;  ///< [experts, hidden, model]
};

class ShardingText {
 public:
  ShardingText(const TransformerOptions& options, const Axes& axes, const std::string& mesh)
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
    split(layer + "attention/w_q", axes_.into_heads);
    if (o_.attention.latent > 0) split(layer + "attention/w_down", axes_.into_latent);
    const bool has_latents = o_.attention.latent > 0;
    for (const char* name : {"k", "v"}) {
      split(layer + (has_latents ? "attention/w_u" : "attention/w_") + name, axes_.into_heads);
    }
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

using hlo::spmd::mesh::ShardingFile;
using hlo::spmd::mesh::ShardingRule;

/// Rewrites the rules of a training step for a step of decoding.
class DecodeRules {
 public:
  DecodeRules(ShardingFile file, const DecodedNetwork& network, const DecodeOptions& decode)
      : file_(std::move(file)), network_(network), decode_(decode) {
    batch_ = axes_of(network.tokens, 0);
    heads_ = axes_of("attention/w_k", 1);
    // The hypotheses of a sequence stay together.
    const std::int64_t sequences = network.rows / std::max<std::int64_t>(decode_.beam, 1);
    splits_batch_ = !batch_.empty() && sequences % parts(batch_) == 0;
    splits_groups_ = network.expert_groups > 0 && network.expert_groups % parts(batch_) == 0;
    splits_heads_ = !heads_.empty() && network.key_heads % parts(heads_) == 0;
  }

  ShardingFile run() {
    if (decode_.page > 0 && splits_batch_ && parts(batch_) > 1) {
      throw base::InputError(fmt::format("sequences on {} groups of cores have no common pool of pages", parts(batch_)),
                             "decode.page=0, or model.tensor_parallel of all cores");
    }
    if (decode_.prefill > 0 && splits_batch_ && parts(batch_) > 1) {
      throw base::InputError(fmt::format("one sequence cannot join the batch of {} groups of cores", parts(batch_)),
                             "decode.prefill=0, or model.tensor_parallel of all cores");
    }
    std::erase_if(file_.rules, [&](const ShardingRule& rule) { return is_absent(rule.pattern); });
    for (ShardingRule& rule : file_.rules) {
      if (!splits_batch_ && is_activation(rule.pattern)) clear(rule, 0, batch_);
      if (!splits_heads_ && of_key_heads(rule.pattern)) clear(rule, 1, heads_);
      if (splits_groups_) continue;
      if (rule.pattern.ends_with("moe/combine")) clear(rule, 0, batch_);
      if (rule.pattern.ends_with("moe/dispatched")) clear(rule, 1, batch_);
    }
    std::erase_if(file_.rules, [](const ShardingRule& rule) {
      return rule.kind == ShardingRule::Kind::axes &&
             std::ranges::all_of(rule.dimensions, [](const std::string& axes) { return axes.empty(); });
    });
    const std::string batch = splits_batch_ ? batch_ : "", heads = splits_heads_ ? heads_ : "";
    add_caches("/cache/", batch, heads, decode_.cached);
    if (decode_.beam > 0) add("beam_scores", {batch});
    if (decode_.prefill > 0) add_caches("/prefill_cache/", "", heads, decode_.prefill_cached);
    // What arrays are indexed by is split as they are, or whole.
    if (decode_.cached > 0) add_index("position", decode_.ragged ? batch : "");
    if (decode_.page > 0) add_index("block_table", "");
    if (decode_.beam > 0) add_index("beam/parents", batch);
    if (decode_.prefill_cached > 0) add_index("prefill_position", "");
    if (decode_.prefill > 0 && decode_.page > 0) add_index("prefill_block_table", "");
    return std::move(file_);
  }

 private:
  std::int64_t parts(const std::string& axes) const {
    if (!file_.mesh) return 1;
    std::int64_t count = 1;
    for (const hlo::spmd::mesh::MeshAxis& axis : file_.mesh->axes()) {
      const std::string within = "+" + axes + "+";
      if (within.find("+" + axis.name + "+") != std::string::npos) count *= axis.size;
    }
    return count;
  }

  std::string axes_of(std::string_view ending, std::size_t dimension) const {
    for (const ShardingRule& rule : file_.rules) {
      const bool is_source = rule.pattern.starts_with("source") || rule.pattern.starts_with("encoder");
      if (!is_source && rule.pattern.ends_with(ending) && rule.dimensions.size() > dimension) {
        return rule.dimensions[dimension];
      }
    }
    return "";
  }

  /// What only training has, and the encoder, which runs when sequences start.
  bool is_absent(std::string_view pattern) const {
    if (std::ranges::find(network_.absent, pattern) != network_.absent.end()) return true;
    const bool of_encoder = pattern.starts_with("encoder") || pattern.starts_with("source");
    return of_encoder && (!network_.has_encoder || decode_.cached > 0);
  }

  static bool is_activation(std::string_view pattern) {
    const std::string_view name = pattern.substr(pattern.rfind('/') + 1);
    return !name.starts_with("w_") && !name.ends_with("embedding") && pattern.find("moe/") == std::string_view::npos;
  }

  static bool of_key_heads(std::string_view pattern) {
    return pattern.ends_with("attention/w_k") || pattern.ends_with("attention/w_v");
  }

  static void clear(ShardingRule& rule, std::size_t dimension, const std::string& axes) {
    if (rule.dimensions.size() > dimension && rule.dimensions[dimension] == axes) rule.dimensions[dimension].clear();
  }

  void add_caches(const std::string& cache, const std::string& batch, const std::string& heads, std::int64_t cached) {
    const bool has_latents = network_.has_latents;
    for (const std::string side : {"k", "v"}) {
      if (has_latents && side == "v") break;
      const std::string name = "*" + cache + (has_latents ? "latent" : side);
      const bool reads_pages = decode_.page > 0 && cached > 0;
      for (const char* array : {"", "_scale"}) {
        if (*array != '\0' && decode_.cache_type != CacheType::int8) continue;
        if (decode_.beam > 0) add("beam/" + name + array, {batch, "", heads});
        add(name + array, {batch, heads});
        if (reads_pages) add(name + array + "/pages", {batch, "", heads});
      }
    }
  }

  void add_index(std::string pattern, const std::string& batch) {
    if (!batch.empty()) return add(std::move(pattern), {batch});
    ShardingRule rule;
    rule.pattern = std::move(pattern);
    rule.kind = ShardingRule::Kind::replicated;
    file_.rules.push_back(std::move(rule));
  }

  void add(std::string pattern, std::vector<std::string> dimensions) {
    if (std::ranges::all_of(dimensions, [](const std::string& axes) { return axes.empty(); })) return;
    ShardingRule rule;
    rule.pattern = std::move(pattern);
    rule.dimensions = std::move(dimensions);
    file_.rules.push_back(std::move(rule));
  }

  ShardingFile file_;
  const DecodedNetwork& network_;
  const DecodeOptions& decode_;
  std::string batch_, heads_;
  bool splits_batch_ = false, splits_heads_ = false, splits_groups_ = false;
};

}  // namespace

DecodedNetwork decoded_network(const TransformerOptions& options) {
  return {.rows = options.batch,
          .key_heads = options.attention.heads_of_keys(),
          .has_encoder = options.encoder_layers > 0,
          .has_latents = options.attention.latent > 0,
          .absent = {"targets", "sentences", "source_sentences"}};
}

std::string decode_sharding(const std::string& training, const DecodedNetwork& network, const DecodeOptions& decode,
                            std::int64_t cores) {
  ShardingFile file = hlo::spmd::mesh::read_sharding_file("sharding", training);
  if (!file.mesh) file.mesh = hlo::spmd::mesh::Mesh({{"x", cores}});
  return hlo::spmd::mesh::to_string(DecodeRules(std::move(file), network, decode).run());
}

std::string fully_sharded(const TransformerOptions& options, std::int64_t cores) {
  const std::string first = "\"x\"", second = "\"\", \"x\"", third = "\"\", \"\", \"x\"";
  const Axes axes{.batch = first,
                  .logits = first,
                  .embedding = second,
                  .positions = second,
                  .into_heads = first,
                  .out_of_heads = third,
                  .into_latent = first,
                  .into_hidden = first,
                  .out_of_hidden = second,
                  .gating = first,
                  .into_expert = second,
                  .out_of_expert = third};
  return ShardingText(options, axes, fmt::format("x={}", cores)).text();
}

std::string tensor_parallel(const TransformerOptions& options, std::int64_t cores, std::int64_t ways) {
  const std::string first = "\"model\"", second = "\"\", \"model\"", third = "\"\", \"\", \"model\"";
  const Axes axes{.batch = "\"data\"",
                  .logits = "\"data\", \"\", \"model\"",
                  .embedding = first,
                  .positions = "",
                  .into_heads = second,
                  .out_of_heads = first,
                  .into_latent = "",
                  .into_hidden = second,
                  .out_of_hidden = first,
                  .gating = "",
                  .into_expert = third,
                  .out_of_expert = second};
  return ShardingText(options, axes, fmt::format("data={},model={}", cores / ways, ways)).text();
}

std::string tensor_parallel_fully_sharded(const TransformerOptions& options, std::int64_t cores, std::int64_t ways) {
  const std::string width_first = "\"data\", \"model\"", width_last = "\"model\", \"\", \"data\"";
  const Axes axes{.batch = "\"data\"",
                  .logits = "\"data\", \"\", \"model\"",
                  .embedding = "\"model\", \"data\"",
                  .positions = "\"\", \"data\"",
                  .into_heads = width_first,
                  .out_of_heads = width_last,
                  .into_latent = "\"data\"",
                  .into_hidden = width_first,
                  .out_of_hidden = "\"model\", \"data\"",
                  .gating = "\"data\"",
                  .into_expert = "\"\", \"data\", \"model\"",
                  .out_of_expert = "\"\", \"model\", \"data\""};
  return ShardingText(options, axes, fmt::format("data={},model={}", cores / ways, ways)).text();
}

}  // namespace podsim::workloads::models
