// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/bert_workload.h"

#include "workloads/global_batch.h"
#include "workloads/models/bert.h"
#include "workloads/precision_keys.h"

namespace podsim::workloads::models {

namespace {

constexpr std::int64_t sequences_per_core = 8;

/// The keys of the workload, bound to the fields of `o`.
ModelKeys bert_keys(BertOptions& o) {
  constexpr std::int64_t most = 1 << 20;
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  keys.add("model.sequence", o.sequence, 1, most, "tokens of a sequence");
  keys.add("model.predictions", o.predictions, 1, most, "masked tokens of a sequence");
  keys.add("model.vocabulary", o.vocabulary, 2, most, "vocabulary size");
  keys.add("model.layers", o.layers, 1, 1024, "layers of the encoder");
  keys.add("model.d_model", o.model, 1, most, "width of the residual stream");
  keys.add("model.d_ff", o.feed_forward.hidden, 1, most, "hidden width of the feed-forward blocks");
  keys.add("model.heads", o.attention.heads, 1, most, "attention heads");
  keys.add("model.d_head", o.attention.head_size, 1, most, "width of a head");
  keys.add("model.lookup", o.lookup,
           {{"gather", layers::EmbeddingLookup::gather}, {"one_hot", layers::EmbeddingLookup::one_hot}},
           "how rows of the embedding are read");
  keys.add("model.dropout", o.dropout, 0, 0.99, "rate of dropout in training");
  add_gradient_type_key(keys, o.precision.gradient);
  return keys;
}

BertOptions bert_defaults() {
  BertOptions options;
  options.batch = 0;
  options.dropout = 0.1;
  return options;
}

std::vector<ModelKey> bert_key_list() {
  BertOptions options = bert_defaults();
  return bert_keys(options).list();
}

Workload build_bert_large(const WorkloadOptions& options) {
  BertOptions network = bert_defaults();
  bert_keys(network).apply("bert_large", options.model);
  if (options.inference) network.dropout = 0;
  network.batch = global_batch(options, network.batch, sequences_per_core);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  Workload workload;
  workload.name = "bert_large";
  workload.samples = network.batch;
  workload.tokens_per_sample = network.sequence;
  workload.global = true;
  if (!options.inference) workload.model_flops = bert_flops(network);
  workload.batched = {"tokens", "segments", "present", "masked_places", "masked_tokens", "follows"};
  workload.step = bert_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry bert_large_entry() {
  return {"bert_large", "BERT-large pre-training step as in MLPerf, 512 tokens, LAMB, to be partitioned",
          bert_key_list(), build_bert_large};
}

}  // namespace podsim::workloads::models
