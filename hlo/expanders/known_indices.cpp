// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/known_indices.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/eval/element.h"
#include "hlo/expanders/known_value.h"
#include "hlo/expanders/replace.h"
#include "hlo/rules/row_indexing.h"

namespace podsim::hlo::expanders {
namespace {

using build::GraphBuilder;
using rules::row_indexing;
using rules::RowIndexing;

constexpr std::size_t max_stretches = 8;
constexpr std::int64_t max_indices = 1 << 20;

/// Rows first, first + step, ... of an operand.
struct Stretch {
  std::int64_t first = 0, count = 0, step = 1;
};

/// Consecutive positions of one step; empty if there are more than max_stretches.
std::vector<Stretch> stretches(const std::vector<std::int64_t>& positions) {
  std::vector<Stretch> found;
  for (const std::int64_t position : positions) {
    if (!found.empty()) {
      Stretch& last = found.back();
      const std::int64_t step = position - (last.first + (last.count - 1) * last.step);
      if (step != 0 && (last.count == 1 || step == last.step)) {
        last.step = step;
        ++last.count;
        continue;
      }
    }
    if (found.size() == max_stretches) return {};
    found.push_back({position, 1, 1});
  }
  return found;
}

std::vector<std::int64_t> positions_in(const Literal& indices) {
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < indices.shape.element_count(); ++i) {
    positions.push_back(eval::integer_of(indices.shape.element_type, eval::element_of(indices, i)));
  }
  return positions;
}

/// x with dimension `from` at `to`; the others keep their order.
InstructionId moved(GraphBuilder& b, InstructionId x, int from, int to) {
  if (from == to) return x;
  std::vector<std::int64_t> order;
  for (int i = 0; i < b.shape(x).rank(); ++i) {
    if (i != from) order.push_back(i);
  }
  order.insert(order.begin() + to, from);
  return b.transpose(x, std::move(order));
}

InstructionId part(GraphBuilder& b, InstructionId x, int dimension, std::int64_t first, std::int64_t count,
                   std::int64_t step = 1) {
  std::vector<SliceDimension> slice;
  for (const std::int64_t size : b.shape(x).dimensions) slice.push_back({0, size, 1});
  slice[std::size_t(dimension)] = {first, first + (count - 1) * step + 1, step};
  return b.slice(x, std::move(slice));
}

InstructionId rows_of(GraphBuilder& b, InstructionId x, int dimension, const Stretch& stretch) {
  if (stretch.step > 0) return part(b, x, dimension, stretch.first, stretch.count, stretch.step);
  const std::int64_t last = stretch.first + (stretch.count - 1) * stretch.step;
  return b.reverse(part(b, x, dimension, last, stretch.count, -stretch.step), {dimension});
}

InstructionId joined(GraphBuilder& b, std::vector<InstructionId> parts, int dimension) {
  return parts.size() == 1 ? parts[0] : b.concatenate(std::move(parts), dimension);
}

std::optional<Module> slices(const Instruction& gather, const Shape& operand, const Shape& indices,
                             std::vector<std::int64_t> positions) {
  const std::optional<RowIndexing> rows = row_indexing(gather.gather, operand, indices, gather.shape);
  if (!rows || gather.slice_sizes[std::size_t(rows->dimension)] != 1) return std::nullopt;
  for (std::int64_t& position : positions) {
    position = std::clamp<std::int64_t>(position, 0, operand.dimensions[std::size_t(rows->dimension)] - 1);
  }
  const std::vector<Stretch> found = stretches(positions);
  if (found.empty()) return std::nullopt;
  GraphBuilder b("slices");
  const InstructionId x = b.parameter(operand, "operand");
  b.parameter(indices, "indices");
  std::vector<InstructionId> parts;
  for (const Stretch& stretch : found) parts.push_back(rows_of(b, x, rows->dimension, stretch));
  const InstructionId taken =
      moved(b, joined(b, std::move(parts), rows->dimension), rows->dimension, rows->batch_dimension);
  const InstructionId root = b.convert(taken, gather.shape.element_type);
  return std::move(b).build(root);
}

/// Updates of ascending rows, each once: a stretch of `count` of them goes to the rows from `first`.
struct Run {
  std::int64_t first, count, update;
  bool is_reversed;
};

/// Empty if rows are beyond the operand, are not next to each other, or have several updates.
std::vector<Run> runs(const std::vector<Stretch>& found, std::int64_t size) {
  std::vector<Run> all;
  std::int64_t update = 0;
  for (const Stretch& stretch : found) {
    if (stretch.count > 1 && stretch.step != 1 && stretch.step != -1) return {};
    const bool is_reversed = stretch.count > 1 && stretch.step < 0;
    all.push_back(
        {is_reversed ? stretch.first - stretch.count + 1 : stretch.first, stretch.count, update, is_reversed});
    update += stretch.count;
  }
  std::ranges::sort(all, {}, &Run::first);
  std::int64_t end = 0;
  for (const Run& run : all) {
    if (run.first < end) return {};
    end = run.first + run.count;
  }
  return end <= size ? all : std::vector<Run>{};
}

std::optional<Module> sums(const Instruction& scatter, const Shape& operand, const Shape& indices, const Shape& updates,
                           const std::vector<std::int64_t>& positions) {
  const std::optional<RowIndexing> rows = row_indexing(scatter.gather, operand, indices, updates);
  if (!rows) return std::nullopt;
  const std::int64_t size = operand.dimensions[std::size_t(rows->dimension)];
  const std::vector<Run> all = runs(stretches(positions), size);
  if (all.empty()) return std::nullopt;
  GraphBuilder b("sums");
  const InstructionId x = b.parameter(operand, "operand");
  b.parameter(indices, "indices");
  const InstructionId all_updates = b.parameter(updates, "updates");
  const InstructionId y = moved(b, all_updates, rows->batch_dimension, rows->dimension);
  std::vector<InstructionId> parts;
  std::int64_t at = 0;
  const auto fill_to = [&](std::int64_t end) {
    if (at == end) return;
    Shape zeros = b.shape(y);
    zeros.dimensions[std::size_t(rows->dimension)] = end - at;
    parts.push_back(b.full(zeros, 0));
  };
  for (const Run& run : all) {
    fill_to(run.first);
    const InstructionId taken = part(b, y, rows->dimension, run.update, run.count);
    parts.push_back(run.is_reversed ? b.reverse(taken, {rows->dimension}) : taken);
    at = run.first + run.count;
  }
  fill_to(size);
  const InstructionId added = b.convert(joined(b, std::move(parts), rows->dimension), operand.element_type);
  const InstructionId root = b.add(x, added);
  return std::move(b).build(root);
}

bool adds(const Module& module, const Instruction& scatter) {
  const Computation& combiner = module.computations[std::size_t(scatter.called[0])];
  const Instruction& root = combiner[combiner.root];
  return combiner.instructions.size() == 3 && root.opcode == Opcode::add && root.operands[0] != root.operands[1];
}

}  // namespace

void slice_known_gathers(Module& module) {
  replace_instructions(module, [&](const Computation& computation, InstructionId id) -> std::optional<Module> {
    const Instruction& op = computation[id];
    const bool is_gather = op.opcode == Opcode::gather;
    const bool is_sum = op.opcode == Opcode::scatter && op.operands.size() == 3 && adds(module, op);
    if ((!is_gather && !is_sum) || op.phase != AsyncPhase::none || op.gather->index_map.size() != 1)
      return std::nullopt;
    const std::optional<Literal> indices = known_value(computation, op.operands[1], max_indices);
    if (!indices || indices->shape.element_count() == 0) return std::nullopt;
    const Shape& operand = computation[op.operands[0]].shape;
    if (is_gather) return slices(op, operand, indices->shape, positions_in(*indices));
    return sums(op, operand, indices->shape, computation[op.operands[2]].shape, positions_in(*indices));
  });
}

}  // namespace podsim::hlo::expanders
