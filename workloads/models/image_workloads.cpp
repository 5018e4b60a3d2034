// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/image_workloads.h"

#include <fmt/format.h>

#include "workloads/global_batch.h"
#include "workloads/models/resnet50.h"
#include "workloads/models/ssd.h"

namespace podsim::workloads::models {

namespace {

/// The keys of the workload, bound to the fields of `o`.
ModelKeys ssd_keys(SsdOptions& o) {
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  // The smallest image for which the last map is not empty.
  keys.add("model.image_size", o.image_size, 257, 4096, "height and width of an image in pixels");
  keys.add("model.classes", o.classes, 2, 1 << 16, "classes, background included");
  keys.add("model.width", o.width, 1, 4096, "channels of the first convolution");
  return keys;
}

ModelKeys global_resnet_keys(ResNetOptions& o) {
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  keys.add("model.image_size", o.image_size, 32, 4096, "height and width of an image in pixels");
  keys.add("model.classes", o.classes, 2, 1 << 20, "classes to tell apart");
  keys.add("model.width", o.width, 1, 4096, "channels of the first convolution");
  return keys;
}

SsdOptions ssd_defaults() {
  SsdOptions options;
  options.batch = 0;
  return options;
}

ResNetOptions resnet_defaults() {
  ResNetOptions options;
  options.batch = 0;
  options.feed_in = false;
  return options;
}

Workload build_ssd(const WorkloadOptions& options) {
  SsdOptions network = ssd_defaults();
  ssd_keys(network).apply("ssd", options.model);
  network.batch = global_batch(options, network.batch, 8);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  Workload workload;
  workload.name = "ssd";
  workload.samples = network.batch;
  workload.global = true;
  workload.batched = {"images"};
  for (std::size_t i = 0; i < ssd_boxes.size(); ++i) {
    workload.batched.push_back(fmt::format("boxes{}", i));
    workload.batched.push_back(fmt::format("classes{}", i));
  }
  workload.step = ssd_training_step(network);
  return workload;
}

Workload build_resnet50_global(const WorkloadOptions& options) {
  ResNetOptions network = resnet_defaults();
  global_resnet_keys(network).apply("resnet50_global", options.model);
  network.batch = global_batch(options, network.batch, 128);
  network.training.optimizer.kind = options.optimizer.value_or(network.training.optimizer.kind);
  Workload workload;
  workload.name = "resnet50_global";
  workload.samples = network.batch;
  workload.global = true;
  workload.batched = {"images", "labels"};
  workload.step = resnet_global_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry ssd_entry() {
  SsdOptions defaults = ssd_defaults();
  return {"ssd", "SSD training step with ResNet-34 as in MLPerf, 300 x 300 images, to be partitioned",
          ssd_keys(defaults).list(), build_ssd};
}

WorkloadEntry resnet50_global_entry() {
  ResNetOptions defaults = resnet_defaults();
  return {"resnet50_global", "ResNet-50 of the whole batch, statistics over all of it, to be partitioned",
          global_resnet_keys(defaults).list(), build_resnet50_global};
}

}  // namespace podsim::workloads::models
