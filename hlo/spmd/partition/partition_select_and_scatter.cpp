// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/windowed_op.h.
#include <algorithm>
#include <optional>
#include <utility>

#include "hlo/spmd/partition/windowed_op.h"
#include "hlo/spmd/propagate/combiner.h"
#include "hlo/spmd/reshard/by_position.h"
#include "hlo/spmd/reshard/halo.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) {
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

/// The value that a selection never prefers to another element; nullopt if it does not compare its parameters by size.
std::optional<hlo::InstructionId> never_selected(build::GraphBuilder& builder, const hlo::Computation& select,
                                                 hlo::ElementType type) {
  const hlo::Instruction& root = select[select.root];
  if (root.opcode != hlo::Opcode::compare || select.parameters.size() != 2) return std::nullopt;
  const hlo::InstructionId x = select.parameters[0], y = select.parameters[1];
  const std::vector<hlo::InstructionId> there{x, y}, back{y, x};
  if (root.operands != there && root.operands != back) return std::nullopt;
  const bool is_greater =
      root.comparison == hlo::ComparisonDirection::ge || root.comparison == hlo::ComparisonDirection::gt;
  const bool is_less =
      root.comparison == hlo::ComparisonDirection::le || root.comparison == hlo::ComparisonDirection::lt;
  if (!is_greater && !is_less) return std::nullopt;
  const bool keeps_larger = is_greater == (root.operands == there);
  return propagate::identity_of(builder, keeps_larger ? hlo::Opcode::maximum : hlo::Opcode::minimum, type);
}

/// One dimension of a shard of the result: the windows that may select its elements (`source`), the elements that these
/// windows cover (`operand`), and the position of the shard among those elements.
struct LocalScatter {
  reshard::ShardWindow operand, source;
  std::vector<std::int64_t> kept_from;  ///< first kept element at each position
  std::int64_t kept = 0;
};

LocalScatter local_scatter(const hlo::WindowDimension& window, std::int64_t size, std::int64_t shards) {
  const std::int64_t shard = (size + shards - 1) / shards;
  LocalScatter local;
  local.kept = shard;
  local.source.size = 1;
  for (std::int64_t i = 0; i < shards; ++i) {
    // Window o covers [o stride - padding, o stride - padding + size).
    const std::int64_t first = i * shard + window.padding_low;
    local.source.starts.push_back(floor_divide(first - window.size, window.stride) + 1);
    const std::int64_t last = floor_divide(first + shard - 1, window.stride);
    local.source.size = std::max(local.source.size, last - local.source.starts.back() + 1);
  }
  local.operand.size = (local.source.size - 1) * window.stride + window.size;
  for (std::int64_t i = 0; i < shards; ++i) {
    local.operand.starts.push_back(local.source.starts[std::size_t(i)] * window.stride - window.padding_low);
    local.kept_from.push_back(i * shard - local.operand.starts.back());
  }
  return local;
}

}  // namespace

std::vector<reshard::LocalValue> partition_select_and_scatter(reshard::LocalProgram& program,
                                                              const partition::OpToPartition& op) {
  const hlo::Instruction& instruction = op.instruction();
  build::GraphBuilder& b = program.builder();
  const hlo::ElementType type = instruction.shape.element_type;
  const auto combiner = propagate::simple_combiner(op.module.computations[std::size_t(instruction.called[1])]);
  const auto fill = never_selected(b, op.module.computations[std::size_t(instruction.called[0])], type);
  const bool is_dilated = std::ranges::any_of(instruction.window, [](const hlo::WindowDimension& window) {
    return window.base_dilation != 1 || window.window_dilation != 1;
  });
  if (!combiner || !fill || is_dilated) return {};
  const propagate::OpRule rule = propagate::op_rule(op.module, op.computation, op.id);
  const FactorSplit split =
      choose_split(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::shifted}));
  if (!is_split(rule, split, Kind::shifted)) return {};
  std::vector<int> windowed;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    if (!split_along(rule, split, rule.results[0], d, Kind::shifted).empty()) windowed.push_back(d);
  }
  reshard::LocalValue operand = sharded_operand(program, split, rule.operands[0], op.operands[0], windowed);
  reshard::LocalValue source = sharded_operand(program, split, rule.operands[1], op.operands[1], windowed);
  const hlo::InstructionId initial = op.operands[2].id, nothing = propagate::identity_of(b, *combiner, type);
  hlo::Instruction local = attributes_of(instruction);
  std::vector<LocalScatter> scatters;
  for (const int d : windowed) {
    const mesh::SubAxes sub_axes = split_along(rule, split, rule.results[0], d, Kind::shifted);
    hlo::WindowDimension& window = local.window[std::size_t(d)];
    scatters.push_back(
        local_scatter(window, instruction.shape.dimensions[std::size_t(d)], program.mesh().size(sub_axes)));
    operand.id = reshard::take_window(program, operand, d, sub_axes, scatters.back().operand, *fill);
    source.id = reshard::take_window(program, source, d, sub_axes, scatters.back().source, nothing);
    window.padding_low = window.padding_high = 0;
  }
  local.operands = {operand.id, source.id, initial};
  for (hlo::ComputationId& called : local.called) called = b.copy_computation(op.module, called);
  hlo::InstructionId result = b.add(std::move(local));
  for (std::size_t i = 0; i < windowed.size(); ++i) {
    const int d = windowed[i];
    std::vector<std::int64_t>& starts = scatters[i].kept_from;
    // Between windows that do not touch, and beyond the last one, there is only the initial value.
    const auto [least, most] = std::ranges::minmax(starts);
    const std::int64_t low = std::max<std::int64_t>(0, -least);
    const std::int64_t high =
        std::max<std::int64_t>(0, most + scatters[i].kept - b.shape(result).dimensions[std::size_t(d)]);
    for (std::int64_t& start : starts) start += low;
    const mesh::SubAxes sub_axes = split_along(rule, split, rule.results[0], d, Kind::shifted);
    result = reshard::slice_by_position(program, reshard::pad_ends(program, result, d, low, high, initial), d, sub_axes,
                                        starts, scatters[i].kept);
  }
  return {sharded_result(rule, split, 0, result, instruction.shape)};
}

}  // namespace podsim::hlo::spmd::partition
