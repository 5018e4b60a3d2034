// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/mask_rcnn/region_proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hlo/transform/relu.h"
#include "workloads/layers/boxes.h"
#include "workloads/layers/distances.h"
#include "workloads/layers/top_elements.h"

namespace podsim::workloads::models::mask_rcnn {

using hlo::ComparisonDirection;
using hlo::ElementType;
using hlo::InstructionId;
using hlo::build::GraphBuilder;

namespace {

constexpr std::int64_t first_stride = 4, anchor_strides = 8;  ///< of level 2; an anchor's side in strides
constexpr double max_overlap = 0.7;                           ///< of two proposals
constexpr double sampled_anchors = 256;                       ///< of an image, in the loss
constexpr double bend = 1.0 / 9;                              ///< of the distance of shifts
constexpr double suppressed = -1e9;                           ///< score of a box that is not kept

/// Anchors of a level by their numbers s32[batch, candidates], which are in the order [row, column, kind].
layers::Boxes anchor_boxes(GraphBuilder& b, InstructionId indices, ElementType type, std::int64_t columns,
                           std::int64_t stride) {
  const InstructionId kinds = b.full_like(indices, double(mask_rcnn_anchor_kinds));
  const InstructionId place = b.divide(indices, kinds);
  const InstructionId kind = b.subtract(indices, b.multiply(place, kinds));
  const InstructionId row = b.divide(place, b.full_like(place, double(columns)));
  const InstructionId column = b.subtract(place, b.multiply(row, b.full_like(row, double(columns))));
  const auto middle = [&](InstructionId at) {
    const InstructionId x = b.convert(at, type);
    return b.multiply(b.add(x, b.full_like(x, 0.5)), b.full_like(x, double(stride)));
  };
  // Height over width is 1, 2 and 1/2 at equal areas.
  const auto half = [&](double of_second, double of_third) {
    const double side = double(anchor_strides * stride) / 2;
    const auto is = [&](double k) { return b.compare(kind, b.full_like(kind, k), ComparisonDirection::eq); };
    const hlo::Shape shape = hlo::make_shape(type, b.shape(kind).dimensions);
    return b.select(is(0), b.full(shape, side),
                    b.select(is(1), b.full(shape, side * of_second), b.full(shape, side * of_third)));
  };
  const InstructionId y = middle(row), x = middle(column);
  const InstructionId height = half(std::sqrt(2.0), std::sqrt(0.5)), width = half(std::sqrt(0.5), std::sqrt(2.0));
  return {b.subtract(y, height), b.subtract(x, width), b.add(y, height), b.add(x, width)};
}

}  // namespace

RegionProposals::RegionProposals(TrainedTensors& tensors, const MaskRcnnOptions& options,
                                 const std::vector<InstructionId>& maps)
    : tensors_(tensors), options_(options) {
  GraphBuilder& b = tensors_.builder();
  const GraphBuilder::Scope scope(b, "rpn");
  struct Layer {
    InstructionId kernel = -1, bias = -1;
  };
  const auto layer = [&](const char* name, std::int64_t size, std::int64_t filters) {
    const GraphBuilder::Scope of_layer(b, name);
    Layer result;
    result.kernel = tensors_.weight("kernel", {size, size, options_.pyramid, filters});
    result.bias = b.convert(tensors_.vector("bias", {filters}), options_.precision.activation);
    return result;
  };
  const Layer conv = layer("conv", 3, options_.pyramid), scores = layer("scores", 1, mask_rcnn_anchor_kinds),
              shifts = layer("shifts", 1, 4 * mask_rcnn_anchor_kinds);
  const auto applied = [&](const char* name, const Layer& of, InstructionId x) {
    const GraphBuilder::Scope of_layer(b, name);
    hlo::WindowDimension window;
    window.size = b.shape(of.kernel).dimensions[0];
    window.padding_low = window.padding_high = window.size / 2;
    const InstructionId y =
        b.convolution(x, of.kernel, {window, window}, hlo::build::convolution_dimensions("b01f_01io->b01f"));
    return b.add(y, b.broadcast(of.bias, b.shape(y).dimensions, {3}));
  };
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const GraphBuilder::Scope of_level(b, fmt::format("level{}", i + 2));
    const std::vector<std::int64_t> sizes = b.shape(maps[i]).dimensions;
    const InstructionId sum = applied("conv", conv, maps[i]);
    const InstructionId hidden = hlo::transform::relu(b, sum);
    const auto numbers = [&](const char* name, const Layer& of, std::vector<std::int64_t> result) {
      return b.reshape(b.convert(applied(name, of, hidden), options_.precision.parameter), std::move(result));
    };
    const std::int64_t anchors = sizes[1] * sizes[2] * mask_rcnn_anchor_kinds;
    levels_.push_back({sizes[1], sizes[2], numbers("scores", scores, {sizes[0], anchors}),
                       numbers("shifts", shifts, {sizes[0], anchors, 4})});
  }
}

RegionProposals::Candidates RegionProposals::candidates(const Level& level, std::int64_t stride) {
  GraphBuilder& b = tensors_.builder();
  const std::int64_t count = std::min(options_.candidates, b.shape(level.scores).dimensions[1]);
  const layers::TopElements best = layers::top_elements(b, level.scores, count);
  const layers::Boxes anchors = anchor_boxes(b, best.indices, b.type(level.scores), level.columns, stride);
  const layers::Boxes boxes = layers::shifted_boxes(b, anchors, layers::elements_at(b, level.shifts, best.indices),
                                                    double(options_.image_height), double(options_.image_width));
  const InstructionId kept = layers::kept_boxes(b, boxes, max_overlap, options_.suppression_trips);
  return {b.select(kept, best.scores, b.full_like(best.scores, suppressed)), layers::coordinates_of(b, boxes)};
}

InstructionId RegionProposals::boxes() {
  GraphBuilder& b = tensors_.builder();
  const GraphBuilder::Scope scope(b, "proposals");
  std::vector<InstructionId> scores, boxes;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const GraphBuilder::Scope of_level(b, fmt::format("level{}", i + 2));
    const Candidates best = candidates(levels_[i], first_stride << i);
    scores.push_back(best.scores);
    boxes.push_back(best.boxes);
  }
  const layers::TopElements best = layers::top_elements(b, b.concatenate(scores, 1), options_.proposals);
  return layers::elements_at(b, b.concatenate(boxes, 1), best.indices);
}

InstructionId RegionProposals::loss(InstructionId anchor_classes, InstructionId anchor_shifts) {
  GraphBuilder& b = tensors_.builder();
  const GraphBuilder::Scope scope(b, "rpn/loss");
  const auto joined = [&](const char* name, InstructionId Level::*part) {
    const GraphBuilder::Scope of_part(b, name);
    std::vector<InstructionId> parts;
    for (const Level& level : levels_) parts.push_back(level.*part);
    return b.concatenate(std::move(parts), 1);
  };
  const InstructionId scores = joined("scores", &Level::scores), shifts = joined("shifts", &Level::shifts);
  const InstructionId none = b.full_like(anchor_classes, 0);
  const InstructionId has_object = b.compare(anchor_classes, none, ComparisonDirection::gt);
  const InstructionId is_sampled = b.compare(anchor_classes, none, ComparisonDirection::ge);
  const auto mean = [&](InstructionId x, InstructionId counts) {
    std::vector<std::int64_t> dimensions(std::size_t(b.shape(x).rank()));
    std::iota(dimensions.begin(), dimensions.end(), 0);
    const InstructionId of = b.broadcast(counts, b.shape(x).dimensions, {0, 1});
    const InstructionId sum = b.reduce_add(b.select(of, x, b.full_like(x, 0)), std::move(dimensions));
    return b.multiply(sum, b.full_like(sum, 1 / (sampled_anchors * double(options_.batch))));
  };
  const InstructionId entropy = layers::binary_cross_entropy(b, scores, b.convert(has_object, b.type(scores)));
  const InstructionId distance = layers::huber_distance(b, b.subtract(shifts, anchor_shifts), bend);
  return b.add(mean(entropy, is_sampled), mean(distance, has_object));
}

}  // namespace podsim::workloads::models::mask_rcnn
