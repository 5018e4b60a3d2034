// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/wide_resnet/wide_resnet_workload.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "workloads/global_batch.h"
#include "workloads/models/wide_resnet/wide_resnet.h"
#include "workloads/precision_keys.h"

namespace podsim::workloads::models::wide_resnet {
namespace {

struct WideResNetKeys {
  WideResNetOptions network;
  std::int64_t bn_group = 1;  ///< cores with common statistics; 0: all

  WideResNetKeys() { network.batch = 0; }

  ModelKeys keys() {
    ModelKeys keys;
    keys.add("model.bn_group", bn_group, 0, 1 << 16, "neighbouring cores with common batch statistics; 0: all cores");
    add_batch_key(keys, network.batch);
    keys.add("model.image_size", network.image_size, 4, 4096, "height and width of an image in pixels");
    keys.add("model.classes", network.classes, 2, 1 << 20, "classes to tell apart");
    keys.add("model.depth", network.depth, 10, 1000, "layers: 6 for each block of a group, and 4");
    keys.add("model.widen", network.widen, 1, 256, "width of the groups over 16, 32 and 64 channels");
    add_gradient_type_key(keys, network.precision.gradient);
    return keys;
  }
};

Workload build_wide_resnet(const WorkloadOptions& options) {
  WideResNetKeys own;
  own.keys().apply("wide_resnet", options.model);
  WideResNetOptions& network = own.network;
  if (network.depth % 6 != 4) {
    throw base::InputError(fmt::format("model.depth, {}, is not 4 more than a multiple of 6", network.depth),
                           fmt::format("model.depth={}", network.blocks() * 6 + 4));
  }
  network.batch = global_batch(options, network.batch, 128);
  network.norm_groups = norm_groups(own.bn_group, options.replicas, network.batch);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  network.folded_norms = options.inference;
  if (options.inference) network.precision.parameter = network.precision.activation;  // as in resnet_inference()
  Workload workload;
  workload.name = "wide_resnet";
  workload.samples = network.batch;
  workload.global = true;
  if (!options.inference) workload.model_flops = wide_resnet_flops(network);
  workload.batched = {"images", "labels"};
  workload.step = wide_resnet_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry wide_resnet_entry() {
  return {"wide_resnet", "Wide ResNet training step, WRN-28-10, 32 x 32 images, to be partitioned",
          WideResNetKeys().keys().list(), build_wide_resnet,
          "dropout between the convolutions of a block, and the moving averages of statistics"};
}

}  // namespace podsim::workloads::models::wide_resnet
