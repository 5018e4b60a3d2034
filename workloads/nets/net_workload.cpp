// SPDX-License-Identifier: Apache-2.0
#include "workloads/nets/net_workload.h"

#include <algorithm>

#include "hlo/transform/flops.h"
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

}  // namespace

Workload net_workload(const Net& net, const WorkloadOptions& options) {
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
