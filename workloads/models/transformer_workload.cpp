// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer_workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "workloads/decode_options.h"
#include "workloads/global_batch.h"
#include "workloads/models/transformer_shardings.h"
#include "workloads/models/transformer_size.h"
#include "workloads/precision_keys.h"
#include "workloads/shardings/shardings.h"

namespace podsim::workloads::models {

namespace {

constexpr std::int64_t most = std::int64_t{1} << 24;  ///< largest value of a size

/// How the cores share the network.
struct SharedNetwork {
  bool fully_sharded = false;
  std::int64_t tensor_ways = 1;
};

/// The keys of the workloads, bound to the fields of `o` and `shared`.
ModelKeys transformer_keys(TransformerOptions& o, SharedNetwork& shared, DecodeOptions& decode) {
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  keys.add("model.sequence", o.sequence, 1, most, "tokens of a sequence");
  keys.add("model.vocabulary", o.vocabulary, 2, most, "vocabulary size");
  keys.add("model.layers", o.layers, 1, 1024, "layers of the decoder");
  keys.add("model.d_model", o.model, 1, most, "width of the residual stream");
  keys.add("model.d_ff", o.feed_forward.hidden, 1, most, "hidden width of the feed-forward blocks");
  keys.add("model.heads", o.attention.heads, 1, most, "attention heads");
  keys.add("model.key_heads", o.attention.key_heads, 0, most, "heads of keys and values; 0: as many as of queries");
  keys.add("model.d_head", o.attention.head_size, 1, most, "width of a head");
  keys.add("model.relative_buckets", o.attention.relative_buckets, 0, 1024,
           "buckets of distances with trained scores, decoders alone; 0: none");
  keys.add("model.window", o.attention.window, 0, most,
           "tokens that a token attends to, itself included, decoders alone; 0: all\nbefore it");
  keys.add("model.rotary", o.attention.rotary, 0, most,
           "elements of each head that are turned by their positions, decoders\nalone; 0: none");
  keys.add(
      "model.latent", o.attention.latent, 0, most,
      "elements of the latent vector that all heads' keys and values are\nproducts of, next to model.rotary turned "
      "ones; 0: none");
  keys.add("model.query_key_norm", o.attention.query_key_norm, "whether queries and keys are normalised");
  keys.add("model.wide_scores", o.attention.wide_scores, "whether scores are products in the parameters' type");
  keys.add("model.encoder_layers", o.encoder_layers, 0, 1024, "layers of an encoder to attend to; 0: none");
  keys.add("model.source_sequence", o.source_sequence, 0, most,
           "tokens of the encoder's sequence; 0: as many as of the decoder's");
  keys.add("model.source_vocabulary", o.source_vocabulary, 0, most,
           "vocabulary of the encoder's own embedding; 0: the decoder's embedding");
  keys.add("model.activation", o.feed_forward.activation,
           {{"relu", layers::Activation::relu},
            {"gelu", layers::Activation::gelu},
            {"geglu", layers::Activation::geglu},
            {"swiglu", layers::Activation::swiglu}},
           "of the feed-forward blocks; the last two are gated");
  keys.add("model.norm", o.norm,
           {{"layer_norm", layers::NormKind::layer_norm}, {"rms_norm", layers::NormKind::rms_norm}},
           "in front of each block");
  keys.add("model.lookup", o.lookup,
           {{"gather", layers::EmbeddingLookup::gather}, {"one_hot", layers::EmbeddingLookup::one_hot}},
           "how rows of the embedding are read");
  keys.add("model.tied_embedding", o.tied_embedding, "whether the logits are products with the embedding");
  keys.add("model.position_embedding", o.position_embedding, "whether places have trained rows");
  keys.add("model.biases", o.feed_forward.biases, "of all products");
  keys.add("model.parameter_type", o.precision.parameter,
           {{"f32", hlo::ElementType::f32}, {"bf16", hlo::ElementType::bf16}},
           "type of weights, of their slots and of what is not a product");
  keys.add("model.activation_type", o.precision.activation,
           {{"f32", hlo::ElementType::f32}, {"bf16", hlo::ElementType::bf16}}, "type of products and their results");
  add_gradient_type_key(keys, o.precision.gradient);
  keys.add("model.tensor_parallel", shared.tensor_ways, 1, 1 << 16,
           "neighbouring cores that share heads, hidden units and words; 1: the\nworkload's own sharding");
  keys.add("model.shard_weights", shared.fully_sharded,
           "whether each core has a slice of every weight along d_model, which is\ngathered where it is used (fully "
           "sharded data parallel)");
  keys.add("model.packed", o.packed, "whether tokens attend to those of their own sentence alone");
  keys.add("model.label_smoothing", o.label_smoothing, 0, 1, "share of the target that all tokens have");
  keys.add("model.dropout", o.dropout, 0, 0.99,
           "rate for embeddings, probabilities of attention, hidden values and results of blocks");
  keys.add("model.parallel_blocks", o.parallel_blocks, "whether both blocks of a layer read one norm of its input");
  keys.add("model.accumulate", o.accumulate, 1, 1024,
           "parts of the batch whose gradients are computed one after another and added up");
  keys.add("model.experts", o.mixture.experts, 0, 1 << 20, "experts of a mixture; 0: dense blocks alone");
  keys.add("model.expert_interval", o.mixture.interval, 1, 1024, "a mixture-of-experts layer every N layers");
  keys.add("model.expert_group", o.mixture.group, 0, most, "tokens that compete for an expert's places; 0: a sequence");
  keys.add("model.capacity_factor", o.mixture.capacity_factor, 0.125, 64,
           "places of an expert over its share of tokens");
  keys.add("model.capacity_multiple", o.mixture.slot_multiple, 1, 1024,
           "an expert's places are a multiple of this, and at least this");
  add_decode_keys(keys, decode);
  return keys;
}

void check_heads(const TransformerOptions& o) {
  if (o.attention.heads % o.attention.heads_of_keys() == 0) return;
  throw base::InputError(fmt::format("model.heads, {}, is not a multiple of model.key_heads, {}", o.attention.heads,
                                     o.attention.key_heads));
}

void check_mixtures(const TransformerOptions& o) {
  const std::int64_t layers = std::max(o.layers, o.encoder_layers);
  if (o.mixture.experts == 0 || layers >= o.mixture.interval) return;
  throw base::InputError(fmt::format("the {} experts are in no layer: one in {} has a mixture of them, and there {} {}",
                                     o.mixture.experts, o.mixture.interval, layers == 1 ? "is" : "are", layers),
                         "model.expert_interval=1");
}

void check_groups(const TransformerOptions& o) {
  if (o.mixture.experts == 0 || o.mixture.group == 0) return;
  const std::int64_t batch = o.batch / o.accumulate;
  for (const std::int64_t tokens : {batch * o.sequence, o.encoder_layers > 0 ? batch * o.source_sequence : 0}) {
    if (tokens % o.mixture.group == 0) continue;
    throw base::InputError(
        fmt::format("{} tokens of a step are not a multiple of model.expert_group, {}", tokens, o.mixture.group));
  }
}

void check_blocks(const TransformerOptions& o) {
  if (!o.parallel_blocks || (o.mixture.experts == 0 && o.encoder_layers == 0)) return;
  throw base::InputError("model.parallel_blocks=on is for decoders without experts");
}

void check_relative(const TransformerOptions& o) {
  if (o.attention.relative_buckets == 0 || (o.encoder_layers == 0 && o.attention.relative_buckets > 1)) return;
  throw base::InputError("model.relative_buckets is for decoders without an encoder, and at least 2");
}

void check_decoder(const TransformerOptions& o) {
  const layers::AttentionOptions& a = o.attention;
  if (a.window > 0 && (o.encoder_layers > 0 || o.packed)) {
    throw base::InputError("model.window is for decoders without an encoder, whose sequences are not packed");
  }
  if (a.latent > 0 && (a.rotary == 0 || a.key_heads > 0 || a.biases || a.query_key_norm || a.relative_buckets > 0)) {
    throw base::InputError(
        "model.latent is for attention with model.rotary, without key heads, biases, norms of queries and distances");
  }
  if (a.rotary > 0 && (o.encoder_layers > 0 || a.rotary % 2 != 0 || (a.latent == 0 && a.rotary > a.head_size))) {
    throw base::InputError(
        fmt::format("model.rotary is for decoders without an encoder: an even number, at most the {} of model.d_head",
                    a.head_size));
  }
}

void check_parts(const TransformerOptions& o) {
  if (o.batch % o.accumulate == 0) return;
  throw base::InputError(fmt::format("{} sequences are not a multiple of model.accumulate, {}", o.batch, o.accumulate));
}

/// GShard's sharding for any number of cores.
std::string expert_sharding(std::int64_t cores) {
  return fmt::format("[mesh]\naxes = \"x={}\"\n\n{}", cores, shardings::sharding_text("gshard"));
}

std::vector<ModelKey> transformer_key_list(TransformerOptions defaults) {
  SharedNetwork shared;
  DecodeOptions decode;
  return transformer_keys(defaults, shared, decode).list();
}

/// The sharding that ships with a workload, without the lines of what this network does not have.
std::string shipped_sharding(const std::string& name, const TransformerOptions& o) {
  std::string text = shardings::sharding_text(name);
  if (layers::is_gated(o.feed_forward.activation)) return text;
  const std::size_t gate = text.find("\"layer*/ffn/w_gate\"");
  if (gate != std::string::npos) text.erase(gate, text.find('\n', gate) + 1 - gate);
  return text;
}

std::string sharding_of(const std::string& name, const TransformerOptions& o, const SharedNetwork& shared,
                        std::int64_t cores) {
  const std::int64_t ways = shared.tensor_ways;
  if (ways == 1) return shared.fully_sharded ? fully_sharded(o, cores) : shipped_sharding(name, o);
  if (cores % ways != 0) {
    throw base::InputError(fmt::format("{} cores are not a multiple of {} that share the heads", cores, ways),
                           "model.tensor_parallel");
  }
  return shared.fully_sharded ? tensor_parallel_fully_sharded(o, cores, ways) : tensor_parallel(o, cores, ways);
}

/// How many of a step's tokens compete for experts: as many as in training if each expert has work for a slot of each
/// group, else all of them.
std::int64_t decoded_group(const layers::MixtureOptions& mixture, std::int64_t tokens, std::int64_t new_tokens) {
  const std::int64_t group = mixture.group > 0 ? mixture.group : new_tokens;
  const bool fills_slots = mixture.capacity_factor * double(group) >= double(mixture.experts);
  return tokens % group == 0 && fills_slots ? group : tokens;
}

/// The program of a step of decoding, and the text of its sharding.
void take_decode_step(Workload& workload, TransformerOptions network, DecodeOptions decode, std::int64_t cores) {
  if (network.packed) network.packed = false;  // sequences of a batch are apart
  network.accumulate = 1;
  resolve(decode, network.sequence, network.attention.window);
  const std::int64_t end = decode.cached + decode.new_tokens + decode.steps - 1;
  if (network.position_embedding && end > network.sequence) {
    throw base::InputError(fmt::format("{} tokens are more than the {} trained positions", end, network.sequence),
                           fmt::format("model.sequence={}", end));
  }
  if (decode.prefill > 0 && network.encoder_layers > 0) {
    throw base::InputError("decode.prefill is for decoders without an encoder", "decode.prefill=0");
  }
  const std::int64_t prefilled = decode.prefill_cached + decode.prefill;
  if (network.position_embedding && prefilled > network.sequence) {
    throw base::InputError(fmt::format("{} tokens are more than the {} trained positions", prefilled, network.sequence),
                           fmt::format("model.sequence={}", prefilled));
  }
  const std::int64_t tokens =
      network.batch * std::max<std::int64_t>(decode.beam, 1) * decode.new_tokens + decode.prefill;
  network.mixture.group = decoded_group(network.mixture, tokens, decode.new_tokens);
  workload.tokens_per_sample = decode.new_tokens * decode.steps;
  network.batch *= std::max<std::int64_t>(decode.beam, 1);
  workload.step = transformer_decode_step(network, decode);
  DecodedNetwork decoded = decoded_network(network);
  if (network.mixture.experts > 0) decoded.expert_groups = tokens / network.mixture.group;
  const std::string by_batch = fmt::format("[mesh]\naxes = \"x={}\"\n[sharding]\n\"tokens\" = [\"x\"]\n", cores);
  workload.sharding = decode_sharding(workload.sharding.empty() ? by_batch : workload.sharding, decoded, decode, cores);
}

Workload build(const WorkloadOptions& options, std::string name, TransformerOptions network,
               std::int64_t batch_per_core) {
  SharedNetwork shared;
  DecodeOptions decode;
  transformer_keys(network, shared, decode).apply(name, options.model);
  network.attention.biases = network.feed_forward.biases;
  if (options.inference || options.decode) network.dropout = 0;
  network.attention.dropout = network.feed_forward.dropout = network.dropout;
  network.batch = global_batch(options, network.batch, batch_per_core);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  if (network.encoder_layers > 0 && network.source_sequence == 0) network.source_sequence = network.sequence;
  check_heads(network);
  check_mixtures(network);
  check_blocks(network);
  check_relative(network);
  check_decoder(network);
  Workload workload;
  workload.name = std::move(name);
  workload.samples = network.batch;
  workload.global = true;
  workload.sharding = sharding_of(workload.name, network, shared, options.replicas);
  if (options.decode) {
    take_decode_step(workload, network, decode, options.replicas);
    return workload;
  }
  check_parts(network);
  check_groups(network);
  workload.tokens_per_sample = network.sequence;
  if (!options.inference) workload.model_flops = model_flops(network);
  workload.batched = {"tokens", "targets"};
  if (network.packed) workload.batched.emplace_back("sentences");
  if (network.encoder_layers > 0) {
    workload.batched.insert(workload.batched.begin(), "source_tokens");
    if (network.packed) workload.batched.emplace_back("source_sentences");
  }
  workload.step = transformer_training_step(network);
  return workload;
}

TransformerOptions transformer_defaults() {
  TransformerOptions options;
  options.batch = 0;
  options.optimizer.kind = OptimizerKind::adam;
  return options;
}

/// LaMDA's largest model (Thoppilan et al. 2022) as Lingvo's DenseLm128B32x32 has it: 137e9 parameters, of which 0.26e9
/// are the embedding, scores in f32 with relative positions, and batches of 256K tokens.
TransformerOptions dense_137b_defaults() {
  TransformerOptions options;
  options.batch = 256;
  options.sequence = 1024;
  options.vocabulary = 32000;
  options.layers = 64;
  options.model = 8192;
  options.attention = {.heads = 128, .head_size = 128, .wide_scores = true, .relative_buckets = 32};
  options.feed_forward = {65536, layers::Activation::geglu, false};
  options.norm = layers::NormKind::rms_norm;
  options.position_embedding = false;
  options.optimizer.kind = OptimizerKind::adafactor;
  return options;
}

/// GPT-J (Wang and Komatsuzaki 2021): 6.05e9 parameters, without its rotary positions, which have no weights, and the
/// biases of feed-forward blocks and logits.
TransformerOptions gpt_6b_defaults() {
  TransformerOptions options;
  options.batch = 64;
  options.sequence = 2048;
  options.vocabulary = 50400;
  options.layers = 28;
  options.model = 4096;
  options.attention = {16, 256};
  options.feed_forward = {16384, layers::Activation::gelu, false};
  options.parallel_blocks = true;
  options.accumulate = 8;
  options.tied_embedding = false;
  options.position_embedding = false;
  options.optimizer.kind = OptimizerKind::adam;
  return options;
}

/// The Transformer that MLPerf's training benchmark translates with (Vaswani et al. 2017, "big"), without its constant
/// sines for positions.
TransformerOptions mlperf_defaults() {
  TransformerOptions options;
  options.batch = 0;
  options.sequence = 256;
  options.source_sequence = 256;
  options.vocabulary = 33708;
  options.layers = 6;
  options.encoder_layers = 6;
  options.model = 1024;
  options.attention = {16, 64};
  options.feed_forward = {4096, layers::Activation::relu, false};
  options.position_embedding = false;
  options.packed = true;
  options.label_smoothing = 0.1;
  options.dropout = 0.1;
  options.optimizer.kind = OptimizerKind::adam;
  return options;
}

/// GShard's translation model (Lepikhin et al. 2020): 36 layers, half of them in the encoder; every other one has 2048
/// experts of 1024 x 8192; 16 heads of 128; f32. A batch of 4M tokens counts source and target. A comment in Lingvo's
/// layers of GShard gives the sizes of a mixture with 512 experts: 1024 groups, of which each has 4 slots. 1M tokens,
/// half of them source, are then groups of 512; that a group is a sequence is an assumption.
TransformerOptions gshard_defaults() {
  TransformerOptions options;
  options.batch = 0;
  options.sequence = 512;
  options.source_sequence = 512;
  options.vocabulary = 32000;
  options.source_vocabulary = 64000;
  options.layers = 18;
  options.encoder_layers = 18;
  options.model = 1024;
  options.attention = {16, 128};
  options.feed_forward = {8192, layers::Activation::relu, false};
  options.mixture = {.experts = 2048, .slot_multiple = 4};
  options.position_embedding = false;
  options.dropout = 0.1;
  options.precision.activation = hlo::ElementType::f32;
  options.optimizer.kind = OptimizerKind::adafactor;
  return options;
}

/// A decoder of the size of GShard's model of 600e9 parameters: 36 layers, every other one with 2048 experts of
/// 1024 x 8192, 16 heads of 128, 4M tokens in a batch, in bf16.
TransformerOptions moe_decoder_defaults() {
  TransformerOptions options;
  options.batch = 4096;
  options.sequence = 1024;
  options.vocabulary = 32768;
  options.layers = 36;
  options.model = 1024;
  options.attention = {16, 128};
  options.feed_forward = {8192, layers::Activation::relu, false};
  options.mixture = {.experts = 2048, .group = 2048};
  options.position_embedding = false;
  options.optimizer.kind = OptimizerKind::adafactor;
  return options;
}

/// Every core has an expert of each mixture, and the tokens of a sequence compete for the slots of all experts.
Workload build_gshard(const WorkloadOptions& options) {
  TransformerOptions network = gshard_defaults();
  SharedNetwork shared;
  DecodeOptions decode;
  transformer_keys(network, shared, decode).apply("gshard", options.model);
  Workload workload = build(options, "gshard", gshard_defaults(), 1);
  if (options.decode) return workload;
  workload.tokens_per_sample += network.source_sequence;
  if (workload.sharding == shardings::sharding_text("gshard")) workload.sharding = expert_sharding(options.replicas);
  return workload;
}

}  // namespace

WorkloadEntry transformer_entry() {
  return {"transformer", "Transformer language model training step, 12 layers of 768, to be partitioned",
          transformer_key_list(transformer_defaults()),
          [](const WorkloadOptions& options) { return build(options, "transformer", transformer_defaults(), 8); }};
}

WorkloadEntry dense_137b_entry() {
  return {"dense_137b", "Transformer of 137 billion parameters, 64 layers of 8192, batches of 256K tokens",
          transformer_key_list(dense_137b_defaults()),
          [](const WorkloadOptions& options) { return build(options, "dense_137b", dense_137b_defaults(), 1); },
          "the second loss without a gradient that Lingvo computes for its metrics, and its loss of large logits"};
}

WorkloadEntry gpt_6b_entry() {
  return {"gpt_6b", "GPT-J, 28 layers of 4096, 64 sequences of 2048 in 8 parts whose gradients are added up",
          transformer_key_list(gpt_6b_defaults()),
          [](const WorkloadOptions& options) { return build(options, "gpt_6b", gpt_6b_defaults(), 2); },
          "rotary positions; biases"};
}

WorkloadEntry moe_decoder_entry() {
  return {"moe_decoder", "Decoder with 2048 experts in every other of 36 layers, batches of 4M tokens",
          transformer_key_list(moe_decoder_defaults()),
          [](const WorkloadOptions& options) { return build(options, "moe_decoder", moe_decoder_defaults(), 2); },
          "dropout, which model.dropout switches on; random skipping of second experts"};
}

WorkloadEntry transformer_mlperf_entry() {
  return {"transformer_mlperf",
          "Transformer big as in MLPerf, 6 + 6 layers of 1024, packed sentences of 256 + 256 tokens",
          transformer_key_list(mlperf_defaults()),
          [](const WorkloadOptions& options) { return build(options, "transformer_mlperf", mlperf_defaults(), 16); },
          "the constant sines for positions"};
}

WorkloadEntry gshard_entry() {
  return {"gshard", "GShard's translation model, 18 + 18 layers, 2048 experts in every other one, f32",
          transformer_key_list(gshard_defaults()), build_gshard,
          "the constant sines for positions; random skipping of second experts"};
}

}  // namespace podsim::workloads::models
