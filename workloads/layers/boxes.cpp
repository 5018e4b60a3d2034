// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/boxes.h"

#include <cmath>

#include "hlo/build/counted_loop.h"

namespace podsim::workloads::layers {

using hlo::ComparisonDirection;
using hlo::ElementType;
using hlo::InstructionId;
using hlo::build::GraphBuilder;

namespace {

InstructionId times(GraphBuilder& b, InstructionId x, double factor) { return b.multiply(x, b.full_like(x, factor)); }

InstructionId within(GraphBuilder& b, InstructionId x, double most) {
  return b.minimum(b.maximum(x, b.full_like(x, 0)), b.full_like(x, most));
}

/// A span from its ends: where its middle is and how long it is.
struct Span {
  InstructionId middle = -1, length = -1;
};

Span span_between(GraphBuilder& b, InstructionId low, InstructionId high) {
  const InstructionId length = b.subtract(high, low);
  return {b.add(low, times(b, length, 0.5)), length};
}

InstructionId number(GraphBuilder& b, InstructionId numbers, std::int64_t i) {
  const std::vector<std::int64_t> sizes = b.shape(numbers).dimensions;
  return b.reshape(b.slice(numbers, {{0, sizes[0], 1}, {0, sizes[1], 1}, {i, i + 1, 1}}), {sizes[0], sizes[1]});
}

/// [batch, boxes] arrays as [batch, boxes, count].
InstructionId beside(GraphBuilder& b, const std::vector<InstructionId>& numbers) {
  std::vector<InstructionId> columns;
  for (const InstructionId x : numbers) {
    const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
    columns.push_back(b.reshape(x, {sizes[0], sizes[1], 1}));
  }
  return b.concatenate(std::move(columns), 2);
}

}  // namespace

Boxes boxes_of(GraphBuilder& b, InstructionId coordinates) {
  return {number(b, coordinates, 0), number(b, coordinates, 1), number(b, coordinates, 2), number(b, coordinates, 3)};
}

InstructionId coordinates_of(GraphBuilder& b, const Boxes& boxes) {
  return beside(b, {boxes.top, boxes.left, boxes.bottom, boxes.right});
}

InstructionId areas(GraphBuilder& b, const Boxes& boxes) {
  return b.multiply(b.subtract(boxes.bottom, boxes.top), b.subtract(boxes.right, boxes.left));
}

InstructionId overlaps(GraphBuilder& b, const Boxes& first, const Boxes& second) {
  const std::vector<std::int64_t> sizes{b.shape(first.top).dimensions[0], b.shape(first.top).dimensions[1],
                                        b.shape(second.top).dimensions[1]};
  const auto of_first = [&](InstructionId x) { return b.broadcast(x, sizes, {0, 1}); };
  const auto of_second = [&](InstructionId x) { return b.broadcast(x, sizes, {0, 2}); };
  const auto common = [&](InstructionId low_1, InstructionId high_1, InstructionId low_2, InstructionId high_2) {
    const InstructionId length =
        b.subtract(b.minimum(of_first(high_1), of_second(high_2)), b.maximum(of_first(low_1), of_second(low_2)));
    return b.maximum(length, b.full_like(length, 0));
  };
  const InstructionId both = b.multiply(common(first.top, first.bottom, second.top, second.bottom),
                                        common(first.left, first.right, second.left, second.right));
  const InstructionId one = b.subtract(b.add(of_first(areas(b, first)), of_second(areas(b, second))), both);
  return b.divide(both, b.maximum(one, b.full_like(one, 1e-8)));
}

Boxes shifted_boxes(GraphBuilder& b, const Boxes& anchors, InstructionId shifts, double height, double width) {
  const double most = std::log(1000.0 / 16);
  const auto ends = [&](InstructionId low, InstructionId high, std::int64_t i, double size) {
    const Span span = span_between(b, low, high);
    const InstructionId middle = b.add(span.middle, b.multiply(number(b, shifts, i), span.length));
    const InstructionId growth = number(b, shifts, i + 2);
    const InstructionId half =
        times(b, b.multiply(span.length, b.exponential(b.minimum(growth, b.full_like(growth, most)))), 0.5);
    return std::pair{within(b, b.subtract(middle, half), size), within(b, b.add(middle, half), size)};
  };
  const auto [top, bottom] = ends(anchors.top, anchors.bottom, 0, height);
  const auto [left, right] = ends(anchors.left, anchors.right, 1, width);
  return {top, left, bottom, right};
}

InstructionId shifts_between(GraphBuilder& b, const Boxes& boxes, const Boxes& targets, double centre_scale,
                             double size_scale) {
  const auto shifts = [&](InstructionId low, InstructionId high, InstructionId target_low, InstructionId target_high) {
    const Span from = span_between(b, low, high), to = span_between(b, target_low, target_high);
    const InstructionId length = b.maximum(from.length, b.full_like(from.length, 1));
    const InstructionId wanted = b.maximum(to.length, b.full_like(to.length, 1));
    return std::pair{times(b, b.divide(b.subtract(to.middle, from.middle), length), 1 / centre_scale),
                     times(b, b.log(b.divide(wanted, length)), 1 / size_scale)};
  };
  const auto [rows, height] = shifts(boxes.top, boxes.bottom, targets.top, targets.bottom);
  const auto [columns, width] = shifts(boxes.left, boxes.right, targets.left, targets.right);
  return beside(b, {rows, columns, height, width});
}

InstructionId kept_boxes(GraphBuilder& b, const Boxes& boxes, double threshold, std::int64_t trips) {
  const InstructionId overlap = overlaps(b, boxes, boxes);
  const std::vector<std::int64_t> sizes = b.shape(overlap).dimensions;
  const hlo::Shape places = hlo::make_shape(ElementType::s32, sizes);
  // [batch, box, box before it]
  const InstructionId before = b.compare(b.iota(places, 2), b.iota(places, 1), ComparisonDirection::lt);
  const InstructionId close = b.compare(overlap, b.full_like(overlap, threshold), ComparisonDirection::gt);
  const InstructionId suppresses = b.logical_and(before, close);
  const hlo::Shape row = hlo::make_shape(ElementType::f32, {sizes[0], sizes[1]});
  const hlo::build::LoopState end = hlo::build::counted_loop(
      b, "suppression", trips, {b.full(row, 1), suppresses},
      [&sizes](GraphBuilder& body, InstructionId, const hlo::build::LoopState& s) {
        const InstructionId kept = body.broadcast(s[0], sizes, {0, 2});
        const InstructionId found = body.reduce_max(body.select(s[1], kept, body.full_like(kept, 0)), {2});
        return hlo::build::LoopState{body.subtract(body.full_like(found, 1), found), s[1]};
      });
  return b.compare(end[0], b.full_like(end[0], 0), ComparisonDirection::gt);
}

}  // namespace podsim::workloads::layers
