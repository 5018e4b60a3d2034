// SPDX-License-Identifier: Apache-2.0
#include "workloads/nets/net_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/diagnostic.h"
#include "hlo/transform/flops.h"
#include "workloads/decode_options.h"
#include "workloads/models/transformer_shardings.h"
#include "workloads/nets/net_graph.h"

namespace podsim::workloads::nets {

namespace {

bool has_batch_norms(const std::vector<Layer>& list) {
  return std::ranges::any_of(list, [](const Layer& layer) {
    const Convolution* convolution = std::get_if<Convolution>(&layer.kind);
    const Repeat* repeat = std::get_if<Repeat>(&layer.kind);
    return std::holds_alternative<Bottleneck>(layer.kind) ||
           (convolution != nullptr && convolution->norm == ImageNorm::batch) ||
           (repeat != nullptr && has_batch_norms(repeat->layers));
  });
}

/// Key heads of the first attention; 0: there is none.
std::int64_t key_heads(const std::vector<Layer>& list) {
  for (const Layer& layer : list) {
    const Attention* attention = std::get_if<Attention>(&layer.kind);
    const Repeat* repeat = std::get_if<Repeat>(&layer.kind);
    const std::int64_t found = attention != nullptr ? attention->options.heads_of_keys()
                               : repeat != nullptr  ? key_heads(repeat->layers)
                                                    : 0;
    if (found > 0) return found;
  }
  return 0;
}

/// The keys decode.* of a run, for a page whose first input has the tokens.
DecodeOptions decode_options(const Net& net, const WorkloadOptions& options) {
  DecodeOptions decode;
  ModelKeys keys;
  add_decode_keys(keys, decode);
  ModelSettings settings;
  for (const auto& [key, value] : options.model) {
    if (key.starts_with("decode.")) settings.emplace(key, value);
  }
  keys.apply(net.name, settings);
  if (decode.prefill > 0) throw base::InputError("decode.prefill is for built-in workloads", "decode.prefill=0");
  const std::int64_t length = net.inputs.front().sizes.empty() ? 1 : net.inputs.front().sizes.front();
  resolve(decode, length, 0);
  if (decode.cached + decode.new_tokens + decode.steps - 1 > length) {
    throw base::InputError(fmt::format("{} tokens are more than the {} of '{}'",
                                       decode.cached + decode.new_tokens + decode.steps - 1, length,
                                       net.inputs.front().name));
  }
  return decode;
}

std::int64_t hypotheses(const DecodeOptions& decode) { return std::max<std::int64_t>(decode.beam, 1); }

std::string sharding_of_decoding(const Net& net, const std::string& training, const DecodeOptions& decode,
                                 std::int64_t samples, std::int64_t cores) {
  models::DecodedNetwork network;
  network.rows = samples * hypotheses(decode);
  network.key_heads = std::max<std::int64_t>(key_heads(net.layers), 1);
  network.tokens = net.inputs.front().name;
  for (std::size_t i = 1; i < net.inputs.size(); ++i) network.absent.push_back(net.inputs[i].name);
  return models::decode_sharding(training, network, decode, cores);
}

Workload decode_workload(const Net& net, const WorkloadOptions& options) {
  const DecodeOptions decode = decode_options(net, options);
  const std::int64_t per_core = options.batch_per_core.value_or(net.batch_per_core);
  Workload workload;
  workload.name = net.name;
  workload.samples = per_core * options.replicas;
  workload.tokens_per_sample = decode.new_tokens * decode.steps;
  workload.global = net.of_machine;
  const std::int64_t batch = (net.of_machine ? workload.samples : per_core) * hypotheses(decode);
  workload.step = net_decode_step(net, {.batch = batch, .replicas = options.replicas, .inference = true}, decode);
  if (net.of_machine) {
    const std::string by_batch = fmt::format("[mesh]\naxes = \"x={}\"\n[sharding]\n\"{}\" = [\"x\"]\n",
                                             options.replicas, net.inputs.front().name);
    workload.sharding = sharding_of_decoding(net, by_batch, decode, workload.samples, options.replicas);
  }
  return workload;
}

}  // namespace

hlo::spmd::mesh::ShardingFile net_decode_sharding(const Net& net, const WorkloadOptions& options) {
  const std::int64_t cores = net.sharding->mesh ? net.sharding->mesh->partitions() : 1;
  if (!net.sharding->mesh) {
    throw base::InputError("a page whose [sharding] has no [mesh] has no step of decoding", "[mesh] in the page");
  }
  const std::int64_t samples = options.batch_per_core.value_or(net.batch_per_core) * cores;
  return hlo::spmd::mesh::read_sharding_file(
      net.name, sharding_of_decoding(net, hlo::spmd::mesh::to_string(*net.sharding), decode_options(net, options),
                                     samples, cores));
}

Workload net_workload(const Net& net, const WorkloadOptions& options) {
  check_decode_settings(options.model, options.decode);
  if (options.decode) return decode_workload(net, options);
  Net chosen = net;
  chosen.optimizer.kind = options.optimizer.value_or(net.optimizer.kind);
  const std::int64_t per_core = options.batch_per_core.value_or(net.batch_per_core);
  if (options.inference && has_batch_norms(net.layers)) chosen.precision.parameter = net.precision.activation;
  Workload workload;
  workload.name = net.name;
  workload.samples = per_core * options.replicas;
  workload.global = net.of_machine;
  for (const Input& input : net.inputs) workload.batched.push_back(input.name);
  const Input& first = net.inputs.front();
  if (first.type == hlo::ElementType::s32 && first.sizes.size() == 1) workload.tokens_per_sample = first.sizes[0];
  workload.step = net_training_step(chosen, {.batch = net.of_machine ? workload.samples : per_core,
                                             .replicas = options.replicas,
                                             .fed = !options.inference,
                                             .inference = options.inference});
  // No closed form is known for a network of the user's: the products of the program as it is written, before anything
  // is recomputed.
  if (!options.inference) {
    const double cores = net.of_machine ? 1 : double(options.replicas);
    workload.model_flops = hlo::transform::product_flops(workload.step.module) * cores;
  }
  return workload;
}

}  // namespace podsim::workloads::nets
