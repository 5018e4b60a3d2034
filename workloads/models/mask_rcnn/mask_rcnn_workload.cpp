// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/mask_rcnn/mask_rcnn_workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "workloads/global_batch.h"
#include "workloads/models/mask_rcnn/mask_rcnn.h"
#include "workloads/precision_keys.h"

namespace podsim::workloads::models::mask_rcnn {

namespace {

constexpr std::int64_t mask_rcnn_images = 4;
constexpr std::int64_t coarsest_stride = 32;  ///< of maps that are doubled

MaskRcnnOptions mask_rcnn_defaults() {
  MaskRcnnOptions options;
  options.batch = 0;
  return options;
}

/// The keys of the workload, bound to `spatial` and the fields of `o`.
ModelKeys mask_rcnn_keys(MaskRcnnOptions& o, std::int64_t& spatial) {
  constexpr std::int64_t max_boxes = 1 << 14;
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  keys.add("model.spatial", spatial, 1, 1 << 16, "cores that share an image, each with some of its rows and boxes");
  keys.add("model.image_height", o.image_height, 64, 4096, "rows of an image in pixels, a multiple of 32");
  keys.add("model.image_width", o.image_width, 64, 4096, "columns of an image in pixels, a multiple of 32");
  keys.add("model.classes", o.classes, 2, 1 << 16, "classes, background included");
  keys.add("model.candidates", o.candidates, 1, max_boxes, "boxes of a level that suppression looks at");
  keys.add("model.proposals", o.proposals, 1, max_boxes, "boxes of an image that suppression leaves");
  keys.add("model.rois", o.rois, 1, max_boxes, "boxes of an image that the box head is trained with");
  keys.add("model.mask_rois", o.mask_rois, 1, max_boxes, "of these, boxes that the mask head is trained with");
  keys.add("model.suppression_trips", o.suppression_trips, 1, max_boxes,
           "trips of the loop that suppresses boxes; silicon's end when\nno box changes");
  keys.add("model.activation_type", o.precision.activation,
           {{"f32", hlo::ElementType::f32}, {"bf16", hlo::ElementType::bf16}}, "type of products and their results");
  add_gradient_type_key(keys, o.precision.gradient);
  return keys;
}

void check_sizes(const MaskRcnnOptions& o) {
  for (const auto& [key, size] :
       {std::pair{"model.image_height", o.image_height}, {"model.image_width", o.image_width}}) {
    if (size % coarsest_stride == 0) continue;
    throw base::InputError(fmt::format("{}, {}, is not a multiple of {}", key, size, coarsest_stride),
                           "the pyramid adds maps of a half, a quarter and an eighth of the first one's size");
  }
  // Suppression looks at no more candidates than a level has anchors.
  const std::int64_t anchors = mask_rcnn_anchor_count(o);
  if (o.proposals > std::min(o.candidates, anchors)) {
    throw base::InputError(
        fmt::format("model.proposals, {}, is above model.candidates, {}, or the {} anchors of an image", o.proposals,
                    o.candidates, anchors));
  }
  if (o.rois > o.proposals + o.objects) {
    throw base::InputError(
        fmt::format("model.rois, {}, is above {} proposals and {} true boxes", o.rois, o.proposals, o.objects));
  }
  if (o.mask_rois > o.rois) {
    throw base::InputError(fmt::format("model.mask_rois, {}, is above model.rois, {}", o.mask_rois, o.rois));
  }
}

/// A sharding file with the rows of images and the boxes of heads split over cores; empty if no core shares an image.
std::string sharding_of(std::int64_t spatial, std::int64_t cores) {
  if (spatial == 1) return "";
  if (cores % spatial != 0) {
    throw base::InputError(fmt::format("{} cores are not a multiple of {} that share an image", cores, spatial),
                           "model.spatial");
  }
  std::string text = fmt::format("[mesh]\naxes = \"data={},rows={}\"\n\n[sharding]\n", cores / spatial, spatial);
  for (const char* name : {"images", "anchor_classes", "anchor_shifts", "boxes/flat"}) {
    text += fmt::format("\"{}\" = [\"data\", \"rows\"]\n", name);
  }
  for (const char* name : {"true_boxes", "true_classes", "true_masks"}) {
    text += fmt::format("\"{}\" = [\"data\"]\n", name);
  }
  return text + "\"masks/flat\" = [\"data+rows\"]\n";
}

Workload build_mask_rcnn(const WorkloadOptions& options) {
  MaskRcnnOptions network = mask_rcnn_defaults();
  std::int64_t spatial = 1;
  mask_rcnn_keys(network, spatial).apply("mask_rcnn", options.model);
  check_sizes(network);
  if (options.inference) {
    network.knows_objects = false;
    network.rois = std::min(network.rois, network.proposals);
    network.mask_rois = std::min(network.mask_rois, network.rois);
  }
  network.batch = global_batch(options, network.batch, mask_rcnn_images);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  Workload workload;
  workload.name = "mask_rcnn";
  workload.samples = network.batch;
  workload.global = true;
  if (!options.inference) workload.model_flops = mask_rcnn_flops(network);
  workload.batched = {"images", "anchor_classes", "anchor_shifts", "true_boxes", "true_classes", "true_masks"};
  workload.sharding = sharding_of(spatial, options.replicas);
  workload.step = mask_rcnn_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry mask_rcnn_entry() {
  MaskRcnnOptions defaults = mask_rcnn_defaults();
  std::int64_t spatial = 1;
  return {"mask_rcnn", "Mask R-CNN training step with ResNet-50 and a pyramid, 832 x 1344 images, to be partitioned",
          mask_rcnn_keys(defaults, spatial).list(), build_mask_rcnn,
          "boxes for heads are not drawn at random: those that overlap true boxes most are taken; anchors come drawn "
          "and labelled from the hosts; gradients are not clipped; detection with suppression by class"};
}

}  // namespace podsim::workloads::models::mask_rcnn
