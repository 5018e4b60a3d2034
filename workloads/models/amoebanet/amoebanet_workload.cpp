// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/amoebanet/amoebanet_workload.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "workloads/global_batch.h"
#include "workloads/models/amoebanet/amoebanet.h"
#include "workloads/precision_keys.h"

namespace podsim::workloads::models::amoebanet {
namespace {

constexpr std::int64_t filter_multiple = 16;  ///< of which a quarter of a quarter is a whole number

struct AmoebaNetKeys {
  AmoebaNetOptions network;
  std::int64_t bn_group = 1;  ///< cores with common statistics; 0: all

  AmoebaNetKeys() {
    network.batch = 0;
    network.precision.gradient = hlo::ElementType::f32;
    network.optimizer = {.kind = OptimizerKind::rmsprop,
                         .momentum = 0.9,
                         .decay = 0.9,
                         .epsilon = 1,
                         .weight_decay = 4e-5,
                         .average_decay = 0.9999};
  }

  ModelKeys keys() {
    ModelKeys keys;
    keys.add("model.bn_group", bn_group, 0, 1 << 16, "neighbouring cores with common batch statistics; 0: all cores");
    add_batch_key(keys, network.batch);
    keys.add("model.cells", network.cells, 3, 1024, "normal cells; reduction cells are before a third and two thirds");
    keys.add("model.reduction_size", network.reduction_size, filter_multiple, 1 << 14,
             "filters of the first normal cells, a multiple of 16");
    keys.add("model.auxiliary", network.auxiliary, "train with a second classifier behind two thirds of the cells");
    // The smallest image of which the second classifier has a window.
    keys.add("model.image_size", network.image_size, 67, 4096, "height and width of an image in pixels");
    keys.add("model.classes", network.classes, 2, 1 << 20, "classes to tell apart");
    add_gradient_type_key(keys, network.precision.gradient);
    return keys;
  }
};

Workload build_amoebanet_d(const WorkloadOptions& options) {
  AmoebaNetKeys own;
  own.keys().apply("amoebanet_d", options.model);
  AmoebaNetOptions& network = own.network;
  if (const std::int64_t rest = network.reduction_size % filter_multiple; rest != 0) {
    throw base::InputError(fmt::format("model.reduction_size={} is not a multiple of {}: cells have a quarter of a "
                                       "quarter of these filters",
                                       network.reduction_size, filter_multiple),
                           fmt::format("the next one is {}", network.reduction_size + filter_multiple - rest));
  }
  network.batch = global_batch(options, network.batch, 128);
  network.norm_groups = norm_groups(own.bn_group, options.replicas, network.batch);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  network.folded_norms = options.inference;
  if (options.inference) {
    network.auxiliary = false;
    network.precision.parameter = network.precision.activation;
  }
  Workload workload;
  workload.name = "amoebanet_d";
  workload.samples = network.batch;
  workload.global = true;
  workload.batched = {"images", "labels"};
  workload.step = amoebanet_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry amoebanet_d_entry() {
  return {
      "amoebanet_d",
      "AmoebaNet-D training step with its auxiliary classifier, 6 cells of 256 filters, 224 x 224, to be partitioned",
      AmoebaNetKeys().keys().list(), build_amoebanet_d,
      "the moving averages of statistics, and the value of the weights' penalty in the loss"};
}

}  // namespace podsim::workloads::models::amoebanet
