// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/mbconv_workload.h"

#include <string>
#include <utility>

#include "base/diagnostic.h"
#include "workloads/models/mbconv.h"

namespace podsim::workloads::models {

namespace {

/// The error in a text of stages; "" if there is none.
std::string problem_of_stages(const std::string& text) {
  try {
    parse_mbconv_stages(text);
  } catch (const base::InputError& error) {
    return error.diagnostics().front().message;
  }
  return "";
}

/// The keys of the workload, bound to `stages` and the fields of `o`.
ModelKeys mbconv_keys(MbconvOptions& o, std::string& stages) {
  ModelKeys keys;
  keys.add("model.stages", stages, "seven words such as e6k3l2s", problem_of_stages,
           "a stage each: expansion, depthwise kernel, layers, and s for\nsqueeze-and-excite");
  keys.add("model.image_size", o.image_size, 32, 4096, "height and width of an image in pixels");
  keys.add("model.classes", o.classes, 2, 1 << 20, "classes to tell apart");
  keys.add("model.keep", o.keeps_for_gradients,
           "results that PyTorch keeps for gradients leave the core, as in\nthe measured rates");
  return keys;
}

Workload build_mbconv(const WorkloadOptions& options) {
  MbconvOptions network;
  std::string stages(efficientnet_b0_stages);
  mbconv_keys(network, stages).apply("mbconv", options.model);
  network.stages = parse_mbconv_stages(stages);
  network.batch = options.batch_per_core.value_or(network.batch);
  Workload workload;
  workload.name = "mbconv";
  workload.samples = network.batch * options.replicas;
  workload.model_flops = mbconv_flops(network) * double(options.replicas);
  workload.step.module = mbconv_inference(network).module;
  const std::size_t parameters = workload.step.module.entry_computation().parameters.size();
  for (std::size_t number = 1; number < parameters; ++number) workload.step.frozen.push_back(std::int64_t(number));
  return workload;
}

}  // namespace

WorkloadEntry mbconv_entry() {
  MbconvOptions defaults;
  std::string stages(efficientnet_b0_stages);
  return {"mbconv", "Mobile network of inverted bottlenecks, EfficientNet-B0's, forward pass in evaluation mode",
          mbconv_keys(defaults, stages).list(), build_mbconv,
          "training; the host that traces the network anew in every step; EfficientNet's swish, which is ReLU here"};
}

}  // namespace podsim::workloads::models
