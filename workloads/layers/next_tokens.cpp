// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/next_tokens.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "workloads/layers/top_elements.h"

namespace podsim::workloads::layers {

using hlo::ElementType;
using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Sizes = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t block = 128;

/// Sums of each element of the last dimension with those before it.
InstructionId prefix_sums(GraphBuilder& b, InstructionId x) {
  const Sizes sizes = b.shape(x).dimensions;
  const std::int64_t count = sizes.back();
  const int last = int(sizes.size()) - 1;
  const auto summed = [&](InstructionId value, bool itself) {
    const std::int64_t length = b.shape(value).dimensions.back();
    const hlo::Shape square = hlo::make_shape(ElementType::s32, {length, length});
    const InstructionId earlier = b.compare(b.iota(square, 0), b.iota(square, 1),
                                            itself ? hlo::ComparisonDirection::le : hlo::ComparisonDirection::lt);
    return b.dot(value, b.convert(earlier, b.type(value)), {{}, {}, {b.shape(value).rank() - 1}, {0}});
  };
  if (count <= block) return summed(x, true);
  const std::int64_t blocks = (count + block - 1) / block;
  std::vector<hlo::PadDimension> padding(sizes.size());
  padding.back().high = blocks * block - count;
  Sizes in_blocks(sizes.begin(), sizes.end() - 1);
  in_blocks.insert(in_blocks.end(), {blocks, block});
  const InstructionId padded = b.reshape(b.pad(x, b.constant(b.type(x), 0), padding), in_blocks);
  const InstructionId before = summed(b.reduce_add(padded, {last + 1}), false);
  Sizes outer(std::size_t(last) + 1, 0);
  std::iota(outer.begin(), outer.end(), 0);
  const InstructionId sums = b.add(summed(padded, true), b.broadcast(before, in_blocks, outer));
  Sizes flat(sizes.begin(), sizes.end() - 1);
  flat.push_back(blocks * block);
  std::vector<hlo::SliceDimension> slice;
  for (const std::int64_t size : sizes) slice.push_back({0, size, 1});
  return b.slice(b.reshape(sums, flat), slice);
}

InstructionId over_rows(GraphBuilder& b, InstructionId of_rows, InstructionId x) {
  return b.broadcast(of_rows, b.shape(x).dimensions, {0});
}

}  // namespace

InstructionId drawn_tokens(GraphBuilder& b, InstructionId logits, InstructionId uniform, const DrawnFrom& from) {
  const InstructionId wide = b.convert(logits, b.type(uniform));
  const std::int64_t rows = b.shape(wide).dimensions[0], words = b.shape(wide).dimensions[1];
  const std::int64_t count = from.count > 0 ? std::min(from.count, words) : words;
  const TopElements top = top_elements(b, wide, count);
  const InstructionId highest = b.reduce_max(top.scores, {1});
  const InstructionId power = b.exponential(b.subtract(top.scores, over_rows(b, highest, top.scores)));
  const InstructionId sums = prefix_sums(b, power);
  InstructionId whole = b.reduce_add(power, {1});
  if (from.count == 0) {
    const InstructionId reached = b.multiply(whole, b.full_like(whole, from.probability));
    const InstructionId before = b.subtract(sums, power);
    const InstructionId is_kept = b.compare(before, over_rows(b, reached, before), hlo::ComparisonDirection::le);
    whole = b.reduce_add(b.select(is_kept, power, b.full_like(power, 0)), {1});
  }
  const InstructionId share = over_rows(b, b.multiply(whole, uniform), sums);
  const InstructionId is_passed = b.compare(sums, share, hlo::ComparisonDirection::le);
  const InstructionId passed = b.reduce_add(b.convert(is_passed, ElementType::s32), {1});
  const InstructionId index = b.minimum(passed, b.full_like(passed, double(count - 1)));
  return b.reshape(elements_at(b, top.indices, b.reshape(index, {rows, 1})), {rows});
}

Continuations best_continuations(GraphBuilder& b, InstructionId logits, InstructionId scores) {
  const Sizes beams = b.shape(scores).dimensions;
  const std::int64_t words = b.shape(logits).dimensions[1];
  const InstructionId wide = b.convert(logits, b.type(scores));
  const InstructionId highest = b.reduce_max(wide, {1});
  const InstructionId power = b.exponential(b.subtract(wide, over_rows(b, highest, wide)));
  const InstructionId log_sum = b.add(b.log(b.reduce_add(power, {1})), highest);
  const InstructionId known = b.subtract(b.reshape(scores, {beams[0] * beams[1]}), log_sum);
  const InstructionId sums = b.add(wide, over_rows(b, known, wide));
  const TopElements best = top_elements(b, b.reshape(sums, {beams[0], beams[1] * words}), beams[1]);
  const InstructionId number = b.full_like(best.indices, double(words));
  const InstructionId tokens = b.binary(hlo::Opcode::remainder, best.indices, number);
  const GraphBuilder::Scope scope(b, "parents");
  return {tokens, b.divide(best.indices, number), best.scores};
}

InstructionId of_parents(GraphBuilder& b, InstructionId x, InstructionId parents) {
  const Sizes beams = b.shape(parents).dimensions, sizes = b.shape(x).dimensions;
  Sizes slice = sizes;
  slice[0] = slice[1] = 1;
  hlo::GatherDimensions dimensions;
  dimensions.collapsed = {1};
  dimensions.index_map = {1};
  dimensions.operand_batching = {0};
  dimensions.indices_batching = {0};
  dimensions.index_vector = 2;
  for (int i = 2; i < int(sizes.size()); ++i) dimensions.offset.push_back(i);
  return b.gather(x, b.reshape(parents, {beams[0], beams[1], 1}), std::move(dimensions), std::move(slice));
}

InstructionId most_probable(GraphBuilder& b, InstructionId x) {
  const Sizes sizes = b.shape(x).dimensions;
  const std::int64_t last = std::int64_t(sizes.size()) - 1;
  Sizes rows(std::size_t(last), 0);
  std::iota(rows.begin(), rows.end(), 0);
  const InstructionId highest = b.broadcast(b.reduce_max(x, {last}), sizes, rows);
  const InstructionId numbers = b.iota(hlo::make_shape(ElementType::s32, sizes), last);
  const InstructionId candidates = b.select(b.compare(x, highest, hlo::ComparisonDirection::eq), numbers,
                                            b.full_like(numbers, double(sizes.back())));
  const InstructionId none = b.constant(ElementType::s32, double(sizes.back()));
  return b.reduce(candidates, none, {last}, b.combiner(hlo::Opcode::minimum, ElementType::s32));
}

}  // namespace podsim::workloads::layers
