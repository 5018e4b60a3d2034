// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/inception/inception_workload.h"

#include "workloads/global_batch.h"
#include "workloads/models/inception/inception.h"
#include "workloads/precision_keys.h"

namespace podsim::workloads::models::inception {
namespace {

struct InceptionKeys {
  InceptionOptions network;
  std::int64_t bn_group = 1;  ///< cores with common statistics; 0: all

  InceptionKeys() {
    network.batch = 0;
    network.optimizer.kind = OptimizerKind::sgd_momentum;
  }

  ModelKeys keys() {
    ModelKeys keys;
    keys.add("model.bn_group", bn_group, 0, 1 << 16, "neighbouring cores with common batch statistics; 0: all cores");
    add_batch_key(keys, network.batch);
    // The smallest image for which no map is empty.
    keys.add("model.image_size", network.image_size, 107, 4096, "height and width of an image in pixels");
    keys.add("model.classes", network.classes, 2, 1 << 20, "classes to tell apart");
    add_gradient_type_key(keys, network.precision.gradient);
    return keys;
  }
};

Workload build_inception_v3(const WorkloadOptions& options) {
  InceptionKeys own;
  own.keys().apply("inception_v3", options.model);
  InceptionOptions& network = own.network;
  network.batch = global_batch(options, network.batch, 128);
  network.norm_groups = norm_groups(own.bn_group, options.replicas, network.batch);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  network.folded_norms = options.inference;
  if (options.inference) {
    network.auxiliary = false;
    network.precision.parameter = network.precision.activation;
  }
  Workload workload;
  workload.name = "inception_v3";
  workload.samples = network.batch;
  workload.global = true;
  workload.batched = {"images", "labels"};
  workload.step = inception_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry inception_v3_entry() {
  return {"inception_v3", "Inception-v3 training step with its auxiliary classifier, 299 x 299, to be partitioned",
          InceptionKeys().keys().list(), build_inception_v3,
          "the dropout before the classifier, RMSProp (momentum here), and the moving averages of statistics"};
}

}  // namespace podsim::workloads::models::inception
