// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer_workload.h"

#include "workloads/global_batch.h"
#include "workloads/transformer_size.h"

namespace podsim::workloads {

namespace {

constexpr std::int64_t most = std::int64_t{1} << 24;  ///< of any size that users choose

/// Bound to the fields of `o`.
ModelKeys transformer_keys(TransformerOptions& o) {
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  keys.add("model.sequence", o.sequence, 1, most, "tokens of a sequence");
  keys.add("model.vocabulary", o.vocabulary, 2, most, "tokens that there are");
  keys.add("model.layers", o.layers, 1, 1024, "layers of the decoder");
  keys.add("model.d_model", o.model, 1, most, "width of the residual stream");
  keys.add("model.d_ff", o.feed_forward.hidden, 1, most, "hidden width of the feed-forward blocks");
  keys.add("model.heads", o.attention.heads, 1, most, "attention heads");
  keys.add("model.d_head", o.attention.head_size, 1, most, "width of a head");
  keys.add("model.encoder_layers", o.encoder_layers, 0, 1024, "layers of an encoder to attend to; 0: none");
  keys.add("model.source_sequence", o.source_sequence, 1, most, "tokens of the encoder's sequence");
  keys.add("model.activation", o.feed_forward.activation,
           {{"relu", Activation::relu},
            {"gelu", Activation::gelu},
            {"geglu", Activation::geglu},
            {"swiglu", Activation::swiglu}},
           "of the feed-forward blocks; the last two are gated");
  keys.add("model.norm", o.norm, {{"layer_norm", NormKind::layer_norm}, {"rms_norm", NormKind::rms_norm}},
           "in front of each block");
  keys.add("model.lookup", o.lookup, {{"gather", EmbeddingLookup::gather}, {"one_hot", EmbeddingLookup::one_hot}},
           "how rows of the embedding are read");
  keys.add("model.tied_embedding", o.tied_embedding, "whether the logits are products with the embedding");
  keys.add("model.position_embedding", o.position_embedding, "whether places have trained rows");
  keys.add("model.biases", o.feed_forward.biases, "of all products");
  keys.add("model.parameter_type", o.precision.parameter,
           {{"f32", sw::ElementType::f32}, {"bf16", sw::ElementType::bf16}},
           "type of weights, of their slots and of what is not a product");
  return keys;
}

std::vector<ModelKey> key_list(TransformerOptions defaults) { return transformer_keys(defaults).list(); }

Workload build(const WorkloadOptions& options, std::string name, TransformerOptions network,
               std::int64_t batch_per_core) {
  transformer_keys(network).apply(name, options.model);
  network.attention.biases = network.feed_forward.biases;
  network.batch = global_batch(options, network.batch, batch_per_core);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  Workload workload;
  workload.name = std::move(name);
  workload.samples = network.batch;
  workload.tokens_per_sample = network.sequence;
  workload.global = true;
  workload.model_flops = model_flops(network);
  workload.batched = {"tokens", "targets"};
  if (network.encoder_layers > 0) workload.batched.insert(workload.batched.begin(), "source_tokens");
  workload.step = transformer_training_step(network);
  return workload;
}

TransformerOptions transformer_defaults() {
  TransformerOptions options;
  options.batch = 0;
  options.optimizer.kind = OptimizerKind::adam;
  return options;
}

}  // namespace

WorkloadEntry transformer_entry() {
  return {"transformer", "Transformer language model training step, 12 layers of 768, to be partitioned",
          key_list(transformer_defaults()),
          [](const WorkloadOptions& options) { return build(options, "transformer", transformer_defaults(), 8); }};
}

}  // namespace podsim::workloads
