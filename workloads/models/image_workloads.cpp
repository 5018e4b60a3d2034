// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/image_workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/diagnostic.h"

#include "workloads/global_batch.h"
#include "workloads/models/bit_resnet.h"
#include "workloads/models/resnet50.h"
#include "workloads/models/ssd.h"
#include "workloads/precision_keys.h"

namespace podsim::workloads::models {

namespace {

/// How cores share images and statistics.
struct SharedImages {
  std::int64_t spatial = 1;   ///< cores that an image is split over, by rows
  std::int64_t bn_group = 1;  ///< cores whose images make up the statistics of a batch norm; 0: all

  void add_to(ModelKeys& keys) {
    keys.add("model.spatial", spatial, 1, 1 << 16, "cores that share an image, each with some of its rows");
    keys.add("model.bn_group", bn_group, 0, 1 << 16,
             "neighbouring cores with common batch statistics, not fewer than\nshare an image; 0: all cores");
  }

  /// Parts of the batch with statistics of their own. Throws base::InputError if they do not divide cores and batch.
  std::int64_t norm_groups(std::int64_t cores, std::int64_t batch) const {
    if (bn_group == 0) return 1;
    const std::int64_t group = std::min(cores, std::max(bn_group, spatial));
    if (cores % group != 0) {
      throw base::InputError(
          fmt::format("{} cores are not a multiple of {}, which share statistics or an image", cores, group),
          "model.bn_group or model.spatial");
    }
    const std::int64_t groups = cores / group;
    if (batch % groups == 0) return groups;
    throw base::InputError(
        fmt::format("{} images are not a multiple of {} groups of cores with common statistics", batch, groups),
        "model.bn_group=0 has one group");
  }

  /// A sharding file for SSD with images split over cores; empty if none is. Boxes are whole in the loss: cores that
  /// share images divide them among themselves there, as far as there are images; the loss of an image that is then
  /// still shared is computed by each of its cores.
  std::string ssd_sharding(std::int64_t cores, std::int64_t batch) const {
    if (spatial == 1) return "";
    if (cores % spatial != 0) {
      throw base::InputError(fmt::format("{} cores are not a multiple of {} that share an image", cores, spatial),
                             "model.spatial");
    }
    const std::int64_t groups = cores / spatial;
    const std::int64_t apart = batch % groups == 0 ? std::gcd(spatial, batch / groups) : spatial;
    const bool shared = apart < spatial;
    const std::string axes = shared ? fmt::format("rows={},band={}", apart, spatial / apart)  //
                                    : fmt::format("rows={}", spatial);
    std::string text = fmt::format("[mesh]\naxes = \"data={},{}\"\n\n[sharding]\n", groups, axes);
    for (const char* name : {"images", "head*/classes/map", "head*/boxes/map", "gradients/head*/map"}) {
      text += fmt::format("\"{}\" = [\"data\", \"{}\"]\n", name, shared ? "rows+band" : "rows");
    }
    for (const char* name : {"boxes", "classes", "matches", "logits", "found"}) {
      text += fmt::format("\"{}\" = [\"data+rows\"]\n", name);
    }
    return text;
  }
};

/// The keys of the workload, bound to the fields of `o`.
ModelKeys ssd_keys(SsdOptions& o, SharedImages& shared) {
  ModelKeys keys;
  shared.add_to(keys);
  add_batch_key(keys, o.batch);
  // The smallest image for which the last map is not empty.
  keys.add("model.image_size", o.image_size, 257, 4096, "height and width of an image in pixels");
  keys.add("model.classes", o.classes, 2, 1 << 16, "classes, background included");
  keys.add("model.width", o.width, 1, 4096, "channels of the first convolution");
  add_gradient_type_key(keys, o.precision.gradient);
  return keys;
}

ModelKeys global_resnet_keys(ResNetOptions& o) {
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  keys.add("model.image_size", o.image_size, 32, 4096, "height and width of an image in pixels");
  keys.add("model.classes", o.classes, 2, 1 << 20, "classes to tell apart");
  keys.add("model.width", o.width, 1, 4096, "channels of the first convolution");
  add_gradient_type_key(keys, o.training.gradient_type);
  return keys;
}

ModelKeys bit_resnet_keys(BitResNetOptions& o) {
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  keys.add("model.image_size", o.image_size, 32, 4096, "height and width of an image in pixels");
  keys.add("model.classes", o.classes, 2, 1 << 20, "classes to tell apart");
  keys.add("model.width", o.width, 1, 4096, "channels of the first convolution");
  keys.add("model.groups", o.groups, 1, 4096, "groups of channels in a norm; divides model.width");
  keys.add("model.activation_type", o.precision.activation,
           {{"f32", hlo::ElementType::f32}, {"bf16", hlo::ElementType::bf16}}, "type of products and their results");
  add_gradient_type_key(keys, o.precision.gradient);
  return keys;
}

BitResNetOptions bit_resnet_defaults() {
  BitResNetOptions options;
  options.batch = 0;
  return options;
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
  SharedImages shared;
  ssd_keys(network, shared).apply("ssd", options.model);
  network.batch = global_batch(options, network.batch, 8);
  network.norm_groups = shared.norm_groups(options.replicas, network.batch);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  Workload workload;
  workload.name = "ssd";
  workload.samples = network.batch;
  workload.global = true;
  workload.batched = {"images", "boxes", "classes", "matches"};
  workload.sharding = shared.ssd_sharding(options.replicas, network.batch);
  network.folded_norms = options.inference;
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
  network.folded_norms = options.inference;
  if (options.inference) network.precision.parameter = network.precision.activation;  // as in resnet_inference()
  workload.step = resnet_global_training_step(network);
  return workload;
}

Workload build_bit_resnet50(const WorkloadOptions& options) {
  BitResNetOptions network = bit_resnet_defaults();
  bit_resnet_keys(network).apply("bit_resnet50", options.model);
  if (network.width % network.groups != 0) {
    throw base::InputError(
        fmt::format("model.width, {}, is not a multiple of model.groups, {}", network.width, network.groups));
  }
  network.batch = global_batch(options, network.batch, 64);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  Workload workload;
  workload.name = "bit_resnet50";
  workload.samples = network.batch;
  workload.global = true;
  if (!options.inference) workload.model_flops = bit_resnet_flops(network);
  workload.batched = {"images", "labels"};
  workload.step = bit_resnet_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry ssd_entry() {
  SsdOptions defaults = ssd_defaults();
  SharedImages shared;
  return {"ssd", "SSD training step with ResNet-34 as in MLPerf, 300 x 300 images, to be partitioned",
          ssd_keys(defaults, shared).list(), build_ssd,
          "the moving averages of statistics, which only evaluations read"};
}

WorkloadEntry bit_resnet50_entry() {
  BitResNetOptions defaults = bit_resnet_defaults();
  return {"bit_resnet50", "BiT-R50x1, ResNet-50 v2 with group norms and standardised kernels, to be partitioned",
          bit_resnet_keys(defaults).list(), build_bit_resnet50};
}

WorkloadEntry resnet50_global_entry() {
  ResNetOptions defaults = resnet_defaults();
  return {"resnet50_global", "ResNet-50 of the whole batch, statistics over all of it, to be partitioned",
          global_resnet_keys(defaults).list(), build_resnet50_global,
          "the moving averages of statistics, which only evaluations read"};
}

}  // namespace podsim::workloads::models
