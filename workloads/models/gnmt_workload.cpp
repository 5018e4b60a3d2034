// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/gnmt_workload.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "workloads/decode_options.h"
#include "workloads/global_batch.h"
#include "workloads/models/gnmt.h"
#include "workloads/precision_keys.h"

namespace podsim::workloads::models {

namespace {

constexpr std::int64_t gnmt_pairs_per_core = 128;

/// The keys of the workload, bound to the fields of `o`.
ModelKeys gnmt_keys(GnmtOptions& o, DecodeOptions& decode) {
  constexpr std::int64_t most = 1 << 20;
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  keys.add("model.length", o.length, 1, 4096, "tokens of source and target with padding, the length of a bucket");
  keys.add("model.longest", o.longest, 0, 4096, "tokens of the longest sentence, where loops end; 0: model.length");
  keys.add("model.units", o.units, 1, most, "units of an LSTM layer");
  keys.add("model.layers", o.layers, 2, 64, "layers of the encoder, and of the decoder");
  keys.add("model.vocabulary", o.vocabulary, 2, most, "vocabulary size");
  keys.add("model.label_smoothing", o.label_smoothing, 0, 0.99, "share of the target that all tokens have");
  keys.add("model.dropout", o.dropout, 0, 0.99, "rate of dropout in training");
  add_gradient_type_key(keys, o.precision.gradient);
  add_search_keys(keys, decode);
  return keys;
}

GnmtOptions gnmt_defaults() {
  GnmtOptions options;
  options.batch = 0;
  options.longest = 0;
  return options;
}

std::vector<ModelKey> gnmt_key_list() {
  GnmtOptions options = gnmt_defaults();
  DecodeOptions decode;
  return gnmt_keys(options, decode).list();
}

/// Sentences over all cores, or everything on each of them if they do not divide.
std::string gnmt_sharding(const GnmtOptions& network, const DecodeOptions& decode, std::int64_t cores) {
  std::string text = fmt::format("[mesh]\naxes = \"x={}\"\n\n[sharding]\n", cores);
  if (network.batch % cores != 0) return text;
  const bool starts = decode.cached == 0;
  std::vector<std::string> by_row{"tokens"};
  if (starts) by_row.emplace_back("source");
  if (decode.beam > 0) by_row.insert(by_row.end(), {"beam_scores", "beam/parents", "beam/decoder/layer*"});
  for (const char* state : {"h", "c", "context"}) by_row.push_back(fmt::format("decoder/layer*/{}", state));
  for (const std::string& name : by_row) text += fmt::format("\"{}\" = [\"x\"]\n", name);
  for (const char* name : {"memory", "keys"}) text += fmt::format("\"decoder/layer0/{}\" = [\"\", \"x\"]\n", name);
  return text;
}

void take_gnmt_step(Workload& workload, const GnmtOptions& network, DecodeOptions decode, std::int64_t cores) {
  if (decode.cached < 0) decode.cached = network.length - 1;
  if (decode.steps > 1 && (decode.cached == 0 || decode.logits)) {
    throw base::InputError("a loop on the device has no encoder, and gives no logits", "decode.steps=1");
  }
  if (decode.beam > 0 && (decode.logits || decode.sampling != Sampling::greedy)) {
    throw base::InputError("a beam search has no sampling and gives no logits", "decode.beam=0");
  }
  workload.tokens_per_sample = decode.steps;
  workload.sharding = gnmt_sharding(network, decode, cores);
  workload.step = gnmt_decode_step(network, decode);
}

Workload build_gnmt(const WorkloadOptions& options) {
  GnmtOptions network = gnmt_defaults();
  DecodeOptions decode;
  gnmt_keys(network, decode).apply("gnmt", options.model);
  if (network.longest == 0) network.longest = network.length;
  if (network.longest > network.length) {
    throw base::InputError(fmt::format("model.longest={} is above model.length={}", network.longest, network.length));
  }
  if (options.inference) network.dropout = 0;
  network.batch = global_batch(options, network.batch, gnmt_pairs_per_core);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  Workload workload;
  workload.name = "gnmt";
  workload.samples = network.batch;
  workload.global = true;
  if (options.decode) {
    take_gnmt_step(workload, network, decode, options.replicas);
    return workload;
  }
  workload.tokens_per_sample = network.length;
  if (!options.inference) workload.model_flops = gnmt_flops(network);
  workload.batched = {"source", "target_inputs", "targets"};
  workload.step = gnmt_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry gnmt_entry() {
  return {
      "gnmt", "GNMT translation training step as in MLPerf, 4 + 4 LSTM layers of 1024, to be partitioned",
      gnmt_key_list(), build_gnmt,
      "masks of sentences that are shorter than the longest of their batch; dropout of what the decoder attended to"};
}

}  // namespace podsim::workloads::models
