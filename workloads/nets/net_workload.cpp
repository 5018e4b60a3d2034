// SPDX-License-Identifier: Apache-2.0
#include "workloads/nets/net_workload.h"

#include <utility>

#include "base/host/input_file.h"
#include "workloads/nets/net_graph.h"
#include "workloads/nets/net_reader.h"

namespace podsim::workloads::nets {

bool is_net(const std::string& workload) { return workload.ends_with(".toml") || workload.ends_with(".so"); }

Net load_net(const std::string& argument, const std::string& workload, const ModelSettings& settings) {
  return read_net(workload, base::host::read_input(argument, workload), settings);
}

Workload net_workload(const Net& net, const WorkloadOptions& options) {
  Net chosen = net;
  chosen.optimizer.kind = options.optimizer.value_or(net.optimizer.kind);
  const std::int64_t per_core = options.batch_per_core.value_or(net.batch_per_core);
  Workload workload;
  workload.name = net.name;
  workload.samples = per_core * options.replicas;
  workload.global = net.of_machine;
  workload.has_inference = true;
  for (const Input& input : net.inputs) workload.batched.push_back(input.name);
  const Input& first = net.inputs.front();
  if (first.type == sw::ir::ElementType::s32 && first.sizes.size() == 1) workload.tokens_per_sample = first.sizes[0];
  workload.step = net_training_step(chosen, {.batch = net.of_machine ? workload.samples : per_core,
                                             .replicas = options.replicas,
                                             .inference = options.inference});
  return workload;
}

}  // namespace podsim::workloads::nets
