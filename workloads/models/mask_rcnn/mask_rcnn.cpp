// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/mask_rcnn/mask_rcnn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "workloads/layers/boxes.h"
#include "workloads/layers/distances.h"
#include "workloads/layers/roi_align.h"
#include "workloads/layers/top_elements.h"
#include "workloads/models/mask_rcnn/region_proposals.h"
#include "workloads/trained_tensors.h"

namespace podsim::workloads::models::mask_rcnn {

using hlo::ComparisonDirection;
using hlo::ElementType;
using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Scope = hlo::build::GraphBuilder::Scope;

namespace {

constexpr std::int64_t roi_levels = 4;       ///< of the pyramid, from stride 4, that heads read
constexpr std::int64_t samples = 2;          ///< of a bin in each direction
constexpr double min_overlap = 0.5;          ///< of a box with an object
constexpr double canonical_size = 224;       ///< square root of the area from which the canonical level is read
constexpr std::int64_t canonical_level = 2;  ///< of those that heads read
constexpr double centre_scale = 0.1, size_scale = 0.2;

/// Boxes that heads are trained with, and what they should say: arrays [batch, boxes].
struct Rois {
  layers::Boxes boxes, targets;  ///< the true boxes that they overlap most
  InstructionId object = -1;     ///< which one it is, of the image's
  InstructionId classes = -1;    ///< s32, 0 without object
};

class MaskRcnn {
 public:
  MaskRcnn(GraphBuilder& builder, const MaskRcnnOptions& options)
      : b(builder), o_(options), layers_(builder, options.precision), tensors_(builder, options.precision) {}

  Loss loss() {
    const InstructionId images = b.parameter(
        hlo::make_shape(o_.precision.activation, {o_.batch, o_.image_height / 2, o_.image_width / 2, 12}), "images");
    const std::int64_t anchors = mask_rcnn_anchor_count(o_);
    const InstructionId anchor_classes =
        b.parameter(hlo::make_shape(ElementType::s32, {o_.batch, anchors}), "anchor_classes");
    const InstructionId anchor_shifts = b.parameter(of_images({anchors, 4}), "anchor_shifts");
    true_boxes_ = b.parameter(of_images({o_.objects, 4}), "true_boxes");
    true_classes_ = b.parameter(hlo::make_shape(ElementType::s32, {o_.batch, o_.objects}), "true_classes");
    true_masks_ = b.parameter(of_images({o_.objects, o_.true_mask_size, o_.true_mask_size}), "true_masks");
    const std::vector<InstructionId> maps = pyramid(images);
    Loss loss;
    RegionProposals regions(tensors_, o_, maps);
    const InstructionId proposals = regions.boxes();
    loss.held.push_back(proposals);
    loss.value = regions.loss(anchor_classes, anchor_shifts);
    const Rois rois = sampled(proposals);
    add(loss, box_loss(maps, rois, loss.held));
    add(loss, mask_loss(maps, rois));
    loss.predictions = {proposals, classes_, shifts_, masks_};
    return loss;
  }

  const std::vector<InstructionId>& frozen() const { return layers_.frozen(); }

  std::vector<TrainedTensor> trained() const {
    std::vector<TrainedTensor> all = layers_.trained();
    all.insert(all.end(), tensors_.all().begin(), tensors_.all().end());
    return all;
  }

 private:
  hlo::Shape of_images(std::vector<std::int64_t> sizes) const {
    sizes.insert(sizes.begin(), o_.batch);
    return hlo::make_shape(o_.precision.parameter, std::move(sizes));
  }

  void add(Loss& loss, InstructionId part) {
    const Scope scope(b, "loss");
    loss.value = b.add(loss.value, part);
  }

  InstructionId convolution(std::string_view name, InstructionId x, std::int64_t filters, std::int64_t size,
                            std::int64_t stride) {
    const Scope scope(b, name);
    return layers_.frozen_norm(layers_.convolution(x, filters, size, stride));
  }

  InstructionId biased(std::string_view name, InstructionId x, std::int64_t filters, std::int64_t size) {
    const Scope scope(b, name);
    return layers_.bias(layers_.convolution(x, filters, size, 1));
  }

  InstructionId bottleneck(InstructionId x, std::int64_t width, std::int64_t stride, bool projects) {
    const InstructionId shortcut = projects ? convolution("projection", x, 4 * width, 1, stride) : x;
    InstructionId y = layers_.relu(convolution("conv1", x, width, 1, 1));
    y = layers_.relu(convolution("conv2", y, width, 3, stride));
    return layers_.relu(b.add(convolution("conv3", y, 4 * width, 1, 1), shortcut));
  }

  /// The results of ResNet's four groups of blocks.
  std::vector<InstructionId> backbone(InstructionId images) {
    layers_.set_frozen(true);
    InstructionId x = [&] {
      const Scope scope(b, "stem");
      const InstructionId y = [&] {
        const Scope conv(b, "conv");
        return layers_.frozen_norm(layers_.convolution_of_blocks(images, o_.width, 7));
      }();
      return layers_.max_pool(layers_.relu(y), 3, 2);
    }();
    std::vector<InstructionId> maps;
    for (std::size_t group = 0; group < o_.blocks.size(); ++group) {
      layers_.set_frozen(group == 0);
      for (std::int64_t block = 0; block < o_.blocks[group]; ++block) {
        const Scope scope(b, fmt::format("layer{}/block{}", group + 1, block));
        x = bottleneck(x, o_.width << group, group > 0 && block == 0 ? 2 : 1, block == 0);
      }
      maps.push_back(x);
    }
    return maps;
  }

  /// Each element four times: [batch, height, width, channels] -> [batch, 2 height, 2 width, channels]
  InstructionId doubled(InstructionId x) {
    const std::vector<std::int64_t> s = b.shape(x).dimensions;
    const InstructionId repeated = b.broadcast(x, {s[0], s[1], 2, s[2], 2, s[3]}, {0, 1, 3, 5});
    return b.reshape(repeated, {s[0], 2 * s[1], 2 * s[2], s[3]});
  }

  /// Maps of levels 2 to 6.
  std::vector<InstructionId> pyramid(InstructionId images) {
    const std::vector<InstructionId> from = backbone(images);
    const Scope scope(b, "pyramid");
    std::vector<InstructionId> sums(from.size()), maps;
    for (std::size_t i = from.size(); i-- > 0;) {
      sums[i] = biased(fmt::format("lateral{}", i + 2), from[i], o_.pyramid, 1);
      if (i + 1 < from.size()) sums[i] = b.add(sums[i], doubled(sums[i + 1]));
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
      maps.push_back(biased(fmt::format("output{}", i + 2), sums[i], o_.pyramid, 3));
    }
    maps.push_back(layers_.max_pool(maps.back(), 1, 2));
    return maps;
  }

  /// Whether a box [batch, boxes] is that object, as [batch, boxes, objects].
  InstructionId is_object(InstructionId object) {
    const std::vector<std::int64_t> boxes = b.shape(object).dimensions;
    const hlo::Shape shape = hlo::make_shape(b.type(object), {boxes[0], boxes[1], o_.objects});
    return b.compare(b.broadcast(object, shape.dimensions, {0, 1}), b.iota(shape, 2), ComparisonDirection::eq);
  }

  /// Those of the proposals and true boxes that overlap true ones most; without knowing objects, the best proposals,
  /// which come first.
  Rois sampled(InstructionId proposals) {
    const Scope scope(b, "rois");
    const InstructionId all = b.concatenate({proposals, true_boxes_}, 1);
    const InstructionId overlap = layers::overlaps(b, layers::boxes_of(b, all), layers::boxes_of(b, true_boxes_));
    const InstructionId most = b.reduce_max(overlap, {2});
    layers::TopElements chosen = layers::top_elements(b, most, o_.rois);
    if (!o_.knows_objects) chosen.indices = b.iota(b.shape(chosen.indices), 1);
    const InstructionId coordinates = layers::elements_at(b, all, chosen.indices);
    const InstructionId of_chosen = layers::elements_at(b, overlap, chosen.indices);
    Rois rois;
    rois.boxes = layers::boxes_of(b, coordinates);
    rois.object = first_maximum(of_chosen, chosen.scores);
    const InstructionId is = is_object(rois.object);
    const InstructionId share = b.convert(is, o_.precision.parameter);
    rois.targets = layers::boxes_of(b, b.dot(share, true_boxes_, {{0}, {0}, {2}, {1}}));
    const InstructionId classes = b.broadcast(true_classes_, b.shape(is).dimensions, {0, 2});
    const InstructionId of_object = b.reduce_add(b.select(is, classes, b.full_like(classes, 0)), {2});
    const InstructionId overlaps_one =
        b.compare(chosen.scores, b.full_like(chosen.scores, min_overlap), ComparisonDirection::ge);
    rois.classes = b.select(overlaps_one, of_object, b.full_like(of_object, 0));
    return rois;
  }

  /// The index along the last dimension of the first element that equals the row's maximum, s32[batch, boxes].
  InstructionId first_maximum(InstructionId x, InstructionId maxima) {
    const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
    const InstructionId is = b.compare(x, b.broadcast(maxima, sizes, {0, 1}), ComparisonDirection::eq);
    const InstructionId place = b.iota(hlo::make_shape(ElementType::s32, sizes), 2);
    const InstructionId from_end = b.subtract(b.full_like(place, double(sizes[2] - 1)), place);
    const InstructionId highest = b.reduce_max(b.select(is, from_end, b.full_like(place, 0)), {2});
    return b.subtract(b.full_like(highest, double(sizes[2] - 1)), highest);
  }

  /// Whether a box is read from a level, of those that heads read: by the square root of its area, twice as large on
  /// each.
  InstructionId is_of_level(InstructionId area, std::int64_t level) {
    const auto compared_with_level = [&](std::int64_t l, ComparisonDirection direction) {
      const double side = std::ldexp(canonical_size, int(l - canonical_level));
      return b.compare(area, b.full_like(area, side * side), direction);
    };
    const InstructionId below = compared_with_level(level + 1, ComparisonDirection::lt);
    if (level == 0) return below;
    const InstructionId above = compared_with_level(level, ComparisonDirection::ge);
    return level + 1 == roi_levels ? above : b.logical_and(above, below);
  }

  /// [batch, boxes, bins, bins, channels]: each box from the map of its level.
  InstructionId aligned(const std::vector<InstructionId>& maps, const layers::Boxes& boxes, std::int64_t bins) {
    const Scope scope(b, "align");
    const InstructionId area = layers::areas(b, boxes);
    InstructionId sum = -1;
    for (std::int64_t level = 0; level < roi_levels; ++level) {
      const InstructionId map = maps[std::size_t(level)];
      const auto weights = [&](InstructionId low, InstructionId high, std::int64_t size) {
        const InstructionId stride = b.full_like(low, 1 / std::ldexp(4.0, int(level)));
        return layers::interpolation_weights(b, b.multiply(low, stride), b.multiply(high, stride), bins, samples, size);
      };
      const InstructionId rows = weights(boxes.top, boxes.bottom, b.shape(map).dimensions[1]);
      const InstructionId columns = weights(boxes.left, boxes.right, b.shape(map).dimensions[2]);
      const InstructionId is = b.broadcast(is_of_level(area, level), b.shape(rows).dimensions, {0, 1});
      const InstructionId of_level = b.select(is, rows, b.full_like(rows, 0));
      const InstructionId value = layers::aligned(b, map, b.convert(of_level, o_.precision.activation),
                                                  b.convert(columns, o_.precision.activation));
      sum = level == 0 ? value : b.add(sum, value);
    }
    return sum;
  }

  InstructionId dense(std::string_view name, InstructionId x, std::int64_t units) {
    const Scope scope(b, name);
    const InstructionId kernel = tensors_.weight("kernel", {b.shape(x).dimensions[2], units});
    const InstructionId product = b.convert(b.dot(x, kernel, {{}, {}, {2}, {0}}), o_.precision.parameter);
    return b.add(product, b.broadcast(tensors_.vector("bias", {units}), b.shape(product).dimensions, {2}));
  }

  InstructionId box_loss(const std::vector<InstructionId>& maps, const Rois& rois, std::vector<InstructionId>& held) {
    const Scope scope(b, "boxes");
    InstructionId x = aligned(maps, rois.boxes, mask_rcnn_box_bins);
    const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
    {
      const Scope flat(b, "flat");
      x = b.reshape(x, {sizes[0], sizes[1], sizes[2] * sizes[3] * sizes[4]});
    }
    for (const char* name : {"dense0", "dense1"}) {
      x = b.convert(layers_.relu(dense(name, x, o_.hidden)), o_.precision.activation);
    }
    const InstructionId logits = dense("classes", x, o_.classes);
    const InstructionId shifts = b.reshape(dense("shifts", x, 4 * o_.classes), {sizes[0], sizes[1], 4, o_.classes});
    classes_ = logits;
    shifts_ = shifts;
    const Scope of_loss(b, "loss");
    const Loss classes = softmax_cross_entropy(b, logits, rois.classes, 0);
    held.insert(held.end(), classes.held.begin(), classes.held.end());
    const InstructionId found = b.reduce_add(
        b.select(is_class(rois.classes, b.shape(shifts).dimensions, {0, 1}), shifts, b.full_like(shifts, 0)), {3});
    const InstructionId wanted = layers::shifts_between(b, rois.boxes, rois.targets, centre_scale, size_scale);
    const InstructionId distance = layers::huber_distance(b, b.subtract(found, wanted), 1);
    const InstructionId counted = b.broadcast(has_object(rois.classes), b.shape(distance).dimensions, {0, 1});
    const InstructionId sum = b.reduce_add(b.select(counted, distance, b.full_like(distance, 0)), {0, 1, 2});
    return b.add(classes.value, b.multiply(sum, b.full_like(sum, 1 / double(o_.batch * o_.rois))));
  }

  InstructionId has_object(InstructionId classes) {
    return b.compare(classes, b.full_like(classes, 0), ComparisonDirection::gt);
  }

  /// Whether the last dimension of an array of these sizes is the class, whose dimensions lie at `at`.
  InstructionId is_class(InstructionId classes, const std::vector<std::int64_t>& sizes,
                         const std::vector<std::int64_t>& at) {
    const InstructionId number = b.iota(hlo::make_shape(ElementType::s32, sizes), std::int64_t(sizes.size()) - 1);
    return b.compare(number, b.broadcast(classes, sizes, at), ComparisonDirection::eq);
  }

  /// [batch, boxes] -> [batch, first mask_rois boxes]
  InstructionId for_masks(InstructionId x) { return b.slice(x, {{0, o_.batch, 1}, {0, o_.mask_rois, 1}}); }
  layers::Boxes for_masks(const layers::Boxes& boxes) {
    return {for_masks(boxes.top), for_masks(boxes.left), for_masks(boxes.bottom), for_masks(boxes.right)};
  }

  /// The object's mask within the box, as pred[batch, boxes, size, size].
  InstructionId target_masks(const Rois& rois, std::int64_t size) {
    const Scope scope(b, "targets");
    const layers::Boxes boxes = for_masks(rois.boxes), targets = for_masks(rois.targets);
    const InstructionId share = b.convert(is_object(for_masks(rois.object)), o_.precision.activation);
    const InstructionId masks = b.dot(share, b.convert(true_masks_, o_.precision.activation), {{0}, {0}, {2}, {1}});
    const auto weights = [&](InstructionId low, InstructionId high, InstructionId from, InstructionId to) {
      const InstructionId length = b.subtract(to, from);
      const InstructionId places =
          b.divide(b.full_like(length, double(o_.true_mask_size)), b.maximum(length, b.full_like(length, 1)));
      return b.convert(
          layers::interpolation_weights(b, b.multiply(b.subtract(low, from), places),
                                        b.multiply(b.subtract(high, from), places), size, 1, o_.true_mask_size),
          o_.precision.activation);
    };
    const InstructionId rows = weights(boxes.top, boxes.bottom, targets.top, targets.bottom);
    const InstructionId columns = weights(boxes.left, boxes.right, targets.left, targets.right);
    const InstructionId narrow = b.dot(rows, masks, {{0, 1}, {0, 1}, {3}, {2}});
    const InstructionId small = b.dot(narrow, columns, {{0, 1}, {0, 1}, {3}, {3}});
    return b.compare(small, b.full_like(small, 0.5), ComparisonDirection::ge);
  }

  InstructionId mask_loss(const std::vector<InstructionId>& maps, const Rois& rois) {
    const Scope scope(b, "masks");
    const std::int64_t count = o_.batch * o_.mask_rois, bins = mask_rcnn_mask_bins, size = 2 * bins;
    const InstructionId apart = aligned(maps, for_masks(rois.boxes), bins);
    InstructionId x = [&] {
      const Scope flat(b, "flat");
      return b.reshape(apart, {count, bins, bins, o_.pyramid});
    }();
    for (const char* name : {"conv0", "conv1", "conv2", "conv3"}) x = layers_.relu(biased(name, x, o_.pyramid, 3));
    x = layers_.relu([&] {
      const Scope up(b, "up");
      return layers_.bias(layers_.transposed_convolution(x, o_.pyramid, 2));
    }());
    const InstructionId logits = b.convert(biased("classes", x, o_.classes, 1), o_.precision.parameter);
    masks_ = logits;
    const Scope of_loss(b, "loss");
    const InstructionId classes = b.reshape(for_masks(rois.classes), {count});
    const InstructionId is = is_class(classes, b.shape(logits).dimensions, {0});
    const InstructionId found = b.reduce_add(b.select(is, logits, b.full_like(logits, 0)), {3});
    const InstructionId target = b.reshape(target_masks(rois, size), {count, size, size});
    const InstructionId entropy = layers::binary_cross_entropy(b, found, b.convert(target, b.type(found)));
    const InstructionId object = has_object(classes);
    const InstructionId counted = b.broadcast(object, b.shape(entropy).dimensions, {0});
    const InstructionId sum = b.reduce_add(b.select(counted, entropy, b.full_like(entropy, 0)), {0, 1, 2});
    const InstructionId objects = b.reduce_add(b.convert(object, b.type(sum)), {0});
    const InstructionId places =
        b.multiply(b.maximum(objects, b.full_like(objects, 1)), b.full_like(objects, double(size * size)));
    return b.divide(sum, places);
  }

  GraphBuilder& b;
  const MaskRcnnOptions& o_;
  Layers layers_;
  TrainedTensors tensors_;
  InstructionId true_boxes_ = -1, true_classes_ = -1, true_masks_ = -1;
  InstructionId classes_ = -1, shifts_ = -1, masks_ = -1;  ///< what the heads say
};

}  // namespace

TrainingStep mask_rcnn_training_step(const MaskRcnnOptions& options) {
  GraphBuilder b("mask_rcnn_training_step");
  MaskRcnn network(b, options);
  const Loss loss = network.loss();
  std::vector<std::int64_t> frozen;
  for (const InstructionId parameter : network.frozen()) frozen.push_back(b[parameter].index);
  TrainingStep step =
      global_training_step(std::move(b), loss, network.trained(), options.optimizer, options.precision.gradient);
  step.frozen = std::move(frozen);
  return step;
}

hlo::Module mask_rcnn_forward(const MaskRcnnOptions& options) {
  GraphBuilder b("mask_rcnn_forward");
  MaskRcnn network(b, options);
  const Loss loss = network.loss();
  return std::move(b).build(loss.value);
}

}  // namespace podsim::workloads::models::mask_rcnn
