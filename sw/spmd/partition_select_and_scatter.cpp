// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "sw/spmd/by_position.h"
#include "sw/spmd/combiner.h"
#include "sw/spmd/halo.h"
#include "sw/spmd/windowed_op.h"

namespace podsim::sw {

namespace {

using Kind = Factor::Kind;

std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) {
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

/// What a selection never prefers to an element: nothing where it does not compare its parameters by size.
std::optional<InstructionId> never_selected(GraphBuilder& builder, const Computation& select, ElementType type) {
  const Instruction& root = select[select.root];
  if (root.opcode != Opcode::compare || select.parameters.size() != 2) return std::nullopt;
  const InstructionId x = select.parameters[0], y = select.parameters[1];
  const std::vector<InstructionId> there{x, y}, back{y, x};
  if (root.operands != there && root.operands != back) return std::nullopt;
  const bool is_greater = root.comparison == ComparisonDirection::ge || root.comparison == ComparisonDirection::gt;
  const bool is_less = root.comparison == ComparisonDirection::le || root.comparison == ComparisonDirection::lt;
  if (!is_greater && !is_less) return std::nullopt;
  const bool keeps_larger = is_greater == (root.operands == there);
  return identity_of(builder, keeps_larger ? Opcode::maximum : Opcode::minimum, type);
}

/// One dimension: the windows whose elements a shard may have, what they see, and where in it the shard lies.
struct ScatterCut {
  ShardWindow operand, source;
  std::vector<std::int64_t> kept_from;  ///< of each position
  std::int64_t kept = 0;
};

ScatterCut cut_scatter(const WindowDimension& window, std::int64_t size, std::int64_t shards) {
  const std::int64_t shard = (size + shards - 1) / shards;
  ScatterCut cut;
  cut.kept = shard;
  cut.source.size = 1;
  for (std::int64_t i = 0; i < shards; ++i) {
    // Window o covers [o stride - padding, o stride - padding + size).
    const std::int64_t first = i * shard + window.padding_low;
    cut.source.starts.push_back(floor_divide(first - window.size, window.stride) + 1);
    const std::int64_t last = floor_divide(first + shard - 1, window.stride);
    cut.source.size = std::max(cut.source.size, last - cut.source.starts.back() + 1);
  }
  cut.operand.size = (cut.source.size - 1) * window.stride + window.size;
  for (std::int64_t i = 0; i < shards; ++i) {
    cut.operand.starts.push_back(cut.source.starts[std::size_t(i)] * window.stride - window.padding_low);
    cut.kept_from.push_back(i * shard - cut.operand.starts.back());
  }
  return cut;
}

}  // namespace

std::vector<LocalValue> partition_select_and_scatter(LocalProgram& program, const OpToPartition& op) {
  const Instruction& instruction = op.instruction();
  GraphBuilder& b = program.builder();
  const ElementType type = instruction.shape.element_type;
  const auto combiner = simple_combiner(op.module.computations[std::size_t(instruction.called[1])]);
  const auto fill = never_selected(b, op.module.computations[std::size_t(instruction.called[0])], type);
  const bool is_dilated = std::ranges::any_of(instruction.window, [](const WindowDimension& window) {
    return window.base_dilation != 1 || window.window_dilation != 1;
  });
  if (!combiner || !fill || is_dilated) return {};
  const OpRule rule = op_rule(op.module, op.computation, op.id);
  const FactorCuts cuts = choose_cuts(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::shifted}));
  if (!is_cut(rule, cuts, Kind::shifted)) return {};
  std::vector<int> windowed;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    if (!cut_along(rule, cuts, rule.results[0], d, Kind::shifted).empty()) windowed.push_back(d);
  }
  LocalValue operand = cut_operand(program, cuts, rule.operands[0], op.operands[0], windowed);
  LocalValue source = cut_operand(program, cuts, rule.operands[1], op.operands[1], windowed);
  const InstructionId initial = op.operands[2].id, nothing = identity_of(b, *combiner, type);
  Instruction local = attributes_of(instruction);
  std::vector<ScatterCut> scatters;
  for (const int d : windowed) {
    const SubAxes sub_axes = cut_along(rule, cuts, rule.results[0], d, Kind::shifted);
    WindowDimension& window = local.window[std::size_t(d)];
    scatters.push_back(
        cut_scatter(window, instruction.shape.dimensions[std::size_t(d)], program.mesh().size(sub_axes)));
    operand.id = take_window(program, operand, d, sub_axes, scatters.back().operand, *fill);
    source.id = take_window(program, source, d, sub_axes, scatters.back().source, nothing);
    window.padding_low = window.padding_high = 0;
  }
  local.operands = {operand.id, source.id, initial};
  for (ComputationId& called : local.called) called = b.copy_computation(op.module, called);
  InstructionId result = b.add(std::move(local));
  for (std::size_t i = 0; i < windowed.size(); ++i) {
    const int d = windowed[i];
    std::vector<std::int64_t>& starts = scatters[i].kept_from;
    // Between windows that do not meet, and beyond the last one, there is nothing but the initial value.
    const auto [least, most] = std::ranges::minmax(starts);
    const std::int64_t low = std::max<std::int64_t>(0, -least);
    const std::int64_t high =
        std::max<std::int64_t>(0, most + scatters[i].kept - b.shape(result).dimensions[std::size_t(d)]);
    for (std::int64_t& start : starts) start += low;
    const SubAxes sub_axes = cut_along(rule, cuts, rule.results[0], d, Kind::shifted);
    result = slice_by_position(program, pad_ends(program, result, d, low, high, initial), d, sub_axes, starts,
                               scatters[i].kept);
  }
  return {cut_result(rule, cuts, 0, result, instruction.shape)};
}

}  // namespace podsim::sw
