// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "sw/spmd/by_position.h"
#include "sw/spmd/factor_cut.h"
#include "sw/spmd/halo.h"

namespace podsim::sw {

namespace {

using Kind = Factor::Kind;

/// One op that moves elements along cut dimensions while it is written.
class ShiftedOp {
 public:
  ShiftedOp(LocalProgram& program, const OpToPartition& op)
      : program_(program),
        op_(op),
        instruction_(op.instruction()),
        rule_(op_rule(op.module, op.computation, op.id)),
        cuts_(choose_cuts(program.mesh(), rule_, op, factors_of_kind(rule_, {Kind::parallel, Kind::shifted}))) {
    for (int d = 0; d < instruction_.shape.rank(); ++d) {
      if (!sub_axes(d).empty()) windowed_.push_back(d);
    }
  }

  std::vector<LocalValue> write() {
    if (windowed_.empty()) return {};
    return {cut_result(rule_, cuts_, 0, result(), instruction_.shape)};
  }

 private:
  InstructionId result() {
    switch (instruction_.opcode) {
      case Opcode::pad:
        return pad();
      case Opcode::slice:
        return slice();
      case Opcode::reverse:
        return reverse();
      default:
        return concatenate();
    }
  }

  /// Those that cut a dimension along which elements move.
  SubAxes sub_axes(int d) const { return cut_along(rule_, cuts_, rule_.results[0], d, Kind::shifted); }
  std::int64_t parts(int d) const { return program_.mesh().size(sub_axes(d)); }
  /// Elements of the result along a dimension that a partition has.
  std::int64_t shard(int d) const { return (instruction_.shape.dimensions[std::size_t(d)] + parts(d) - 1) / parts(d); }
  LocalValue operand(std::size_t k) {
    return cut_operand(program_, cuts_, rule_.operands[k], op_.operands[k], windowed_);
  }
  bool is_windowed(int d) const { return std::ranges::find(windowed_, d) != windowed_.end(); }

  InstructionId slice() {
    LocalValue value = operand(0);
    for (const int d : windowed_) {
      const SliceDimension& slice = instruction_.slice[std::size_t(d)];
      const ShardWindow window =
          ShardWindow::linear(parts(d), slice.start, shard(d) * slice.stride, (shard(d) - 1) * slice.stride + 1);
      value.id = take_window(program_, value, d, sub_axes(d), window, no_fill);
    }
    const Shape& local = program_.builder().shape(value.id);
    std::vector<SliceDimension> slices;
    bool is_all = true;
    for (int d = 0; d < local.rank(); ++d) {
      const auto at = std::size_t(d);
      const bool is_whole = local.dimensions[at] == value.shape.dimensions[at] && !is_windowed(d);
      slices.push_back(is_whole ? instruction_.slice[at] : SliceDimension{0, local.dimensions[at], 1});
      if (is_windowed(d)) slices[at].stride = instruction_.slice[at].stride;
      is_all = is_all && slices[at] == SliceDimension{0, local.dimensions[at], 1};
    }
    return is_all ? value.id : program_.builder().slice(value.id, std::move(slices));
  }

  /// Element j of the operand goes to place low + j (interior + 1).
  InstructionId pad() {
    LocalValue value = operand(0);
    const InstructionId fill = op_.operands[1].id;
    std::vector<PadDimension> padding = instruction_.padding;
    std::vector<std::pair<int, std::vector<std::int64_t>>> trims;
    for (const int d : windowed_) {
      PadDimension& pad = padding[std::size_t(d)];
      const std::int64_t step = pad.interior + 1;
      ShardWindow window;
      window.size = (shard(d) - 1) / step + 1;
      std::vector<std::int64_t> starts;
      for (std::int64_t i = 0; i < parts(d); ++i) {
        const std::int64_t first = i * shard(d) - pad.low;
        window.starts.push_back(first >= 0 ? (first + step - 1) / step : -(-first / step));
        // A shard begins less than a step before its first element.
        starts.push_back(step - 1 - (window.starts.back() * step - first));
      }
      value.id = take_window(program_, value, d, sub_axes(d), window, fill);
      const std::int64_t least = *std::ranges::min_element(starts);
      for (std::int64_t& start : starts) start -= least;
      const std::int64_t low = step - 1 - least, most = *std::ranges::max_element(starts);
      pad = {low, most + shard(d) - low - ((window.size - 1) * step + 1), pad.interior};
      trims.emplace_back(d, std::move(starts));
    }
    GraphBuilder& b = program_.builder();
    const bool pads = std::ranges::any_of(padding, [](const PadDimension& pad) { return pad != PadDimension{}; });
    InstructionId result = pads ? b.pad(value.id, fill, std::move(padding)) : value.id;
    for (const auto& [d, starts] : trims) {
      result = slice_by_position(program_, result, d, sub_axes(d), starts, shard(d));
    }
    return result;
  }

  InstructionId reverse() {
    LocalValue value = operand(0);
    for (const int d : windowed_) {
      const std::int64_t size = instruction_.shape.dimensions[std::size_t(d)];
      value.id = take_window(program_, value, d, sub_axes(d),
                             ShardWindow::linear(parts(d), size - shard(d), -shard(d), shard(d)), no_fill);
    }
    return program_.builder().reverse(value.id, instruction_.dimensions);
  }

  /// Every partition has of each operand the window that its shard would be; the ones before their ends are the result.
  InstructionId concatenate() {
    const int d = windowed_[0];
    GraphBuilder& b = program_.builder();
    const std::vector<std::int64_t> begins = ShardWindow::linear(parts(d), 0, shard(d), shard(d)).starts;
    InstructionId result = -1;
    std::int64_t end = instruction_.shape.dimensions[std::size_t(d)];
    for (std::size_t k = op_.operands.size(); k-- > 0;) {
      const LocalValue value = operand(k);
      const std::int64_t limit = end;
      end -= value.shape.dimensions[std::size_t(d)];
      if (limit == end) continue;
      const InstructionId part = take_window(program_, value, d, sub_axes(d),
                                             ShardWindow::linear(parts(d), -end, shard(d), shard(d)), no_fill);
      if (result < 0) {
        result = part;
        continue;
      }
      const std::vector<std::int64_t> sizes = b.shape(part).dimensions;
      const InstructionId begin = by_position(program_, sub_axes(d), begins);
      result = b.select(range_mask(program_, sizes, d, begin, 0, limit), part, result);
    }
    return result;
  }

  LocalProgram& program_;
  const OpToPartition& op_;
  const Instruction& instruction_;
  OpRule rule_;
  FactorCuts cuts_;
  std::vector<int> windowed_;  ///< cut dimensions along which elements move
};

}  // namespace

std::vector<LocalValue> partition_shifted(LocalProgram& program, const OpToPartition& op) {
  switch (op.instruction().opcode) {
    case Opcode::pad:
    case Opcode::slice:
    case Opcode::concatenate:
    case Opcode::reverse:
      return ShiftedOp(program, op).write();
    default:
      return {};
  }
}

}  // namespace podsim::sw
