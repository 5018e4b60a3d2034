// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "workloads/layers/cross_entropy.h"
#include "workloads/layers/decode_step.h"
#include "workloads/layers/dropout.h"
#include "workloads/layers/key_value_cache.h"

namespace podsim::workloads::models {

using hlo::InstructionId;

namespace {

class Transformer {
 public:
  Transformer(hlo::build::GraphBuilder& builder, const TransformerOptions& options)
      : b_(builder), options_(options), tensors_(builder, options.precision) {}

  /// The loss of one of options.accumulate parts of the batch, in their order.
  Loss loss(std::int64_t part) {
    if (part == 0) return loss_of_part();
    const std::string name = fmt::format("part{}", part);
    part_ = part;
    memory_ = source_sentences_ = sentences_ = auxiliary_ = -1;
    held_.clear();
    given_.clear();
    tensors_.share_under(name);
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    return loss_of_part();
  }

  const std::vector<TrainedTensor>& trained() const { return tensors_.all(); }

  /// The program of a step with a cache; nothing can be added to it.
  TrainingStep decoded_step(const DecodeOptions& step) {
    const bool starts = step.cached == 0;
    const bool encodes = has_encoder() && starts;
    const InstructionId source = encodes ? tokens("source_tokens", options_.source_sequence) : -1;
    InstructionId inputs = tokens("tokens", step.new_tokens);
    layers::CacheOptions cache{
        .sequences = options_.batch,
        .new_tokens = step.new_tokens,
        .capacity = step.capacity,
        .starts = starts,
        .ragged = step.ragged,
        .window = options_.attention.window,
        .page = step.page,
        .narrow = step.cache_type == CacheType::int8,
        .type = step.cache_type == CacheType::bf16 ? hlo::ElementType::bf16 : options_.precision.activation};
    caches_.emplace_back(b_, cache);
    if (step.prefill > 0) {
      const hlo::build::GraphBuilder::Scope scope(b_, "prefill_tokens");
      const InstructionId more =
          b_.parameter(hlo::make_shape(hlo::ElementType::s32, {1, step.prefill}), "prefill_tokens");
      inputs = b_.concatenate({b_.reshape(inputs, {1, options_.batch * step.new_tokens}), more}, 1);
    }
    if (step.prefill > 0) {
      cache.prefix = "prefill_";
      cache.sequences = 1;
      cache.new_tokens = step.prefill;
      cache.capacity = step.prefill_capacity;
      cache.starts = step.prefill_cached == 0;
      caches_.emplace_back(b_, cache);
    }
    table_ = embedding_of(options_.vocabulary);
    if (encodes) memory_ = encoded(source);
    InstructionId x = embed(table_, inputs);
    for (std::int64_t i = 0; i < options_.layers; ++i) x = layer(i, x, {}, {memory_, {}});
    x = [&] {
      const hlo::build::GraphBuilder::Scope norm(b_, "final_norm");
      return layers::normalized(tensors_, with_next(x, step.all_next), options_.norm);
    }();
    const InstructionId logits = unembedded(x);
    std::vector<layers::ReplacedState> states;
    for (const layers::KeyValueCache& all : caches_) {
      states.insert(states.end(), all.replaced().begin(), all.replaced().end());
    }
    return layers::decode_step(tensors_, logits, states, step);
  }

 private:
  /// The tokens that get a next one: all new ones of the batch, or the last one of every sequence, [batch, T, M] ->
  /// [batch, 1, M]; with a prefill [1, rows, M] -> [1, tokens, M], where the sequence that it brings has its last one.
  InstructionId with_next(InstructionId x, bool all_of_batch) {
    if (!all_of_batch) return last_tokens(x);
    if (caches_.size() == 1) return x;
    const auto sliced = [&](std::int64_t begin, std::int64_t end) {
      return b_.slice(x, {{0, 1, 1}, {begin, end, 1}, {0, options_.model, 1}});
    };
    const std::int64_t rows = b_.shape(x).dimensions[1], prefill = caches_.back().options().new_tokens;
    return b_.concatenate({sliced(0, rows - prefill), sliced(rows - 1, rows)}, 1);
  }

  /// The last token of every sequence: [batch, T, M] -> [batch, 1, M], or of several caches [1, rows, M] -> [1,
  /// sequences, M].
  InstructionId last_tokens(InstructionId x) {
    std::vector<InstructionId> parts;
    std::int64_t first = 0;
    for (const layers::KeyValueCache& cache : caches_) {
      const std::int64_t sequences = cache.options().sequences, tokens = cache.options().new_tokens;
      const auto sliced = [&](InstructionId value, std::int64_t begin, std::int64_t end) {
        const std::vector<std::int64_t> sizes = b_.shape(value).dimensions;
        return b_.slice(value, {{0, sizes[0], 1}, {begin, end, 1}, {0, sizes[2], 1}});
      };
      if (caches_.size() == 1) return tokens == 1 ? x : sliced(x, tokens - 1, tokens);
      const InstructionId rows = sliced(x, first, first + sequences * tokens);
      const InstructionId last = sliced(b_.reshape(rows, {sequences, tokens, options_.model}), tokens - 1, tokens);
      parts.push_back(b_.reshape(last, {1, sequences, options_.model}));
      first += sequences * tokens;
    }
    return b_.concatenate(parts, 1);
  }

  Loss loss_of_part() {
    const InstructionId source = has_encoder() ? tokens("source_tokens", options_.source_sequence) : -1;
    const InstructionId inputs = tokens("tokens", options_.sequence);
    const InstructionId targets = tokens("targets", options_.sequence);
    if (options_.packed) {
      if (has_encoder()) source_sentences_ = tokens("source_sentences", options_.source_sequence);
      sentences_ = tokens("sentences", options_.sequence);
    }
    table_ = embedding_of(options_.vocabulary);
    if (has_encoder()) memory_ = encoded(source);
    const InstructionId logits = unembedded(decoded(inputs));
    const hlo::build::GraphBuilder::Scope scope(b_, "loss");
    Loss result = layers::cross_entropy(b_, logits, targets, options_.precision.parameter, options_.label_smoothing);
    if (auxiliary_ >= 0) {
      const InstructionId weight = b_.full_like(auxiliary_, options_.mixture.auxiliary_weight);
      result.value = b_.add(result.value, b_.multiply(auxiliary_, weight));
    }
    result.held = held_;
    result.given.insert(result.given.end(), given_.begin(), given_.end());
    return result;
  }

  bool has_encoder() const { return options_.encoder_layers > 0; }

  std::int64_t batch_of_part() const { return options_.batch / options_.accumulate; }

  /// A parameter of the whole batch, or the part's sequences of it, s32[batch of a part, length].
  InstructionId tokens(std::string_view name, std::int64_t length) {
    std::vector<InstructionId>& parts = tokens_[std::string(name)];
    if (parts.empty()) {
      const hlo::build::GraphBuilder::Scope scope(b_, name);
      const InstructionId all =
          b_.parameter(hlo::make_shape(hlo::ElementType::s32, {options_.batch, length}), std::string(name));
      const std::int64_t rows = batch_of_part();
      for (std::int64_t i = 0; i < options_.accumulate; ++i) {
        parts.push_back(options_.accumulate == 1 ? all
                                                 : b_.slice(all, {{i * rows, (i + 1) * rows, 1}, {0, length, 1}}));
      }
    }
    return parts[std::size_t(part_)];
  }

  /// A table of rows to look up, in the parameters' type and in the activations' type.
  struct Table {
    InstructionId value = -1, narrow = -1;
  };

  Table embedding_of(std::int64_t vocabulary) {
    Table table;
    table.value = tensors_.table("embedding", {vocabulary, options_.model});
    const hlo::build::GraphBuilder::Scope scope(b_, "embedding");
    table.narrow = b_.convert(table.value, options_.precision.activation);
    return table;
  }

  /// The sum of the rows for the tokens and those for their positions.
  InstructionId embed(const Table& table, InstructionId indices) {
    const bool cached = !caches_.empty() && is_decoder_;
    const std::int64_t length = cached ? options_.sequence : b_.shape(indices).dimensions[1];
    InstructionId places = -1;  // with a cache rows are looked up, and those alone converted
    if (options_.position_embedding) {
      const std::vector<std::int64_t> sizes{length, options_.model};
      places = cached ? tensors_.table("position_embedding", sizes) : tensors_.weight("position_embedding", sizes);
    }
    const hlo::build::GraphBuilder::Scope scope(b_, "embed");
    const bool narrow = options_.tied_embedding || options_.lookup == layers::EmbeddingLookup::one_hot;
    const InstructionId x = layers::embedded(tensors_, narrow ? table.narrow : table.value, indices, options_.lookup);
    if (places >= 0 && cached) return b_.add(x, rows_at_positions(places));
    return dropped(places < 0 ? x : b_.add(x, b_.broadcast(places, b_.shape(x).dimensions, {1, 2})));
  }

  /// Rows of the trained positions for the new tokens: [batch, T, M] or, of several caches, [1, rows, M].
  InstructionId rows_at_positions(InstructionId places) {
    if (caches_.size() == 1) return caches_.front().rows_at_positions(tensors_, places);
    std::vector<InstructionId> parts;
    for (const layers::KeyValueCache& cache : caches_) {
      const std::int64_t rows = cache.options().sequences * cache.options().new_tokens;
      parts.push_back(b_.reshape(cache.rows_at_positions(tensors_, places), {1, rows, options_.model}));
    }
    return b_.concatenate(parts, 1);
  }

  InstructionId encoded(InstructionId source) {
    const hlo::build::GraphBuilder::Scope scope(b_, "encoder");
    is_decoder_ = false;
    InstructionId x = embed(options_.source_vocabulary > 0 ? embedding_of(options_.source_vocabulary) : table_, source);
    const layers::AttentionMask mask = packed(source_sentences_, source_sentences_, false);
    for (std::int64_t i = 0; i < options_.encoder_layers; ++i) x = layer(i, x, mask, {});
    is_decoder_ = true;
    const hlo::build::GraphBuilder::Scope norm(b_, "final_norm");
    return layers::normalized(tensors_, x, options_.norm);
  }

  InstructionId decoded(InstructionId inputs) {
    InstructionId x = embed(table_, inputs);
    const layers::AttentionMask mask = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "mask");
      if (options_.packed) {
        return layers::packed_mask(b_, sentences_, sentences_, options_.attention.heads, true);
      }
      return layers::causal_mask(b_, batch_of_part(), options_.attention.heads, options_.sequence,
                                 options_.attention.window);
    }();
    const Memory memory{memory_,
                        has_encoder() ? packed(sentences_, source_sentences_, false) : layers::AttentionMask{}};
    for (std::int64_t i = 0; i < options_.layers; ++i) x = layer(i, x, mask, memory);
    const hlo::build::GraphBuilder::Scope norm(b_, "final_norm");
    return layers::normalized(tensors_, x, options_.norm);
  }

  /// The encoder's result as a decoder's layer reads it.
  struct Memory {
    InstructionId value = -1;
    layers::AttentionMask mask;
  };

  /// All keys are allowed unless sequences are packed.
  layers::AttentionMask packed(InstructionId queries, InstructionId keys, bool causal) {
    if (!options_.packed) return {};
    const hlo::build::GraphBuilder::Scope scope(b_, "mask");
    return layers::packed_mask(b_, queries, keys, options_.attention.heads, causal);
  }

  InstructionId layer(std::int64_t index, InstructionId x, const layers::AttentionMask& mask, const Memory& memory) {
    const hlo::build::GraphBuilder::Scope scope(b_, fmt::format("layer{}", index));
    if (options_.parallel_blocks) return with_both_blocks(x, mask);
    x = attended("attention", x, -1, mask);
    if (is_decoder_ && has_encoder()) x = attended("cross_attention", x, memory.value, memory.mask);
    const InstructionId out = dropped(is_mixture(index) ? mixture(x) : dense(x));
    const hlo::build::GraphBuilder::Scope residual(b_, "residual");
    return b_.add(x, out);
  }

  /// x plus its attention to itself and its feed-forward block, which read the same norm of it.
  InstructionId with_both_blocks(InstructionId x, const layers::AttentionMask& mask) {
    const InstructionId read = norm(x);
    const InstructionId found = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "attention");
      return attention(read, read, mask);
    }();
    const InstructionId changed = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "ffn");
      return layers::feed_forward(tensors_, read, options_.feed_forward);
    }();
    const hlo::build::GraphBuilder::Scope residual(b_, "residual");
    return b_.add(x, dropped(b_.add(found, changed)));
  }

  bool is_mixture(std::int64_t index) const {
    return options_.mixture.experts > 0 && (index + 1) % options_.mixture.interval == 0;
  }

  InstructionId dense(InstructionId x) {
    const hlo::build::GraphBuilder::Scope scope(b_, "ffn");
    return layers::feed_forward(tensors_, norm(x), options_.feed_forward);
  }

  InstructionId mixture(InstructionId x) {
    const hlo::build::GraphBuilder::Scope scope(b_, "moe");
    const layers::MixtureResult result =
        layers::mixture_of_experts(tensors_, norm(x), options_.feed_forward, options_.mixture);
    held_.push_back(result.held);
    auxiliary_ = auxiliary_ < 0 ? result.auxiliary : b_.add(auxiliary_, result.auxiliary);
    return result.value;
  }

  /// x plus its attention to itself ("attention") or to the encoder's result.
  InstructionId attended(std::string_view name, InstructionId x, InstructionId memory,
                         const layers::AttentionMask& mask) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    const InstructionId queries = norm(x);
    const InstructionId found = [&] {
      if (name == "attention") return attention(queries, queries, mask);
      if (caches_.empty()) return attention(queries, memory, mask);
      return layers::cached_cross_attention(tensors_, queries, memory, options_.source_sequence, caches_.front(),
                                            options_.attention);
    }();
    const hlo::build::GraphBuilder::Scope residual(b_, "residual");
    return b_.add(x, dropped(found));
  }

  InstructionId attention(InstructionId queries, InstructionId keys, const layers::AttentionMask& mask) {
    if (!caches_.empty() && is_decoder_) {
      return layers::cached_attention(tensors_, queries, caches_, options_.attention);
    }
    const layers::AttentionResult found = layers::attention(tensors_, queries, keys, mask, options_.attention);
    given_.push_back(found.softmax);
    return found.value;
  }

  InstructionId dropped(InstructionId x) { return layers::dropped(b_, x, options_.dropout); }

  InstructionId norm(InstructionId x) {
    const hlo::build::GraphBuilder::Scope scope(b_, "norm");
    return layers::normalized(tensors_, x, options_.norm);
  }

  InstructionId unembedded(InstructionId x) {
    const InstructionId table =
        options_.tied_embedding ? table_.narrow : tensors_.weight("unembedding", {options_.vocabulary, options_.model});
    const hlo::build::GraphBuilder::Scope scope(b_, "logits");
    return b_.dot(x, table, {{}, {}, {2}, {1}});
  }

  hlo::build::GraphBuilder& b_;
  const TransformerOptions& options_;
  TrainedTensors tensors_;
  std::int64_t part_ = 0;
  std::map<std::string, std::vector<InstructionId>> tokens_;  ///< by name, for every part
  Table table_;                                               ///< the decoder's
  InstructionId memory_ = -1;                                 ///< result of the encoder
  InstructionId source_sentences_ = -1, sentences_ = -1;
  std::vector<layers::KeyValueCache> caches_;  ///< of a decoding step; empty in training
  bool is_decoder_ = true;                     ///< what is written is not the encoder
  InstructionId auxiliary_ = -1;               ///< sum over the mixtures of experts
  std::vector<InstructionId> held_;            ///< maxima of softmaxes
  std::vector<hlo::transform::GivenGradient> given_;
};

}  // namespace

TrainingStep transformer_training_step(const TransformerOptions& options) {
  hlo::build::GraphBuilder b("transformer_training_step");
  Transformer network(b, options);
  const auto loss = [&](std::int64_t part) { return network.loss(part); };
  return accumulated_training_step(b, options.accumulate, loss, network.trained(), options.optimizer,
                                   options.precision.gradient);
}

TrainingStep transformer_decode_step(const TransformerOptions& options, const DecodeOptions& decode) {
  hlo::build::GraphBuilder b("transformer_decode_step");
  return Transformer(b, options).decoded_step(decode);
}

hlo::Module transformer_forward(const TransformerOptions& options) {
  hlo::build::GraphBuilder b("transformer_forward");
  Transformer network(b, options);
  InstructionId sum = network.loss(0).value;
  for (std::int64_t part = 1; part < options.accumulate; ++part) sum = b.add(sum, network.loss(part).value);
  const double share = 1.0 / double(options.accumulate);
  return std::move(b).build(options.accumulate == 1 ? sum : b.multiply(sum, b.full_like(sum, share)));
}

}  // namespace podsim::workloads::models
