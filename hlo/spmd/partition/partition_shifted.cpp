// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/op_partition.h.
#include <algorithm>
#include <utility>

#include "hlo/spmd/partition/factor_split.h"
#include "hlo/spmd/reshard/by_position.h"
#include "hlo/spmd/reshard/halo.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

/// Writes one op that moves elements along split dimensions.
class ShiftedOp {
 public:
  ShiftedOp(reshard::LocalProgram& program, const partition::OpToPartition& op)
      : program_(program),
        op_(op),
        instruction_(op.instruction()),
        rule_(propagate::op_rule(op.module, op.computation, op.id)),
        split_(choose_split(program.mesh(), rule_, op, factors_of_kind(rule_, {Kind::parallel, Kind::shifted}))) {
    for (int d = 0; d < instruction_.shape.rank(); ++d) {
      if (!sub_axes(d).empty()) windowed_.push_back(d);
    }
  }

  std::vector<reshard::LocalValue> write() {
    if (windowed_.empty()) return {};
    return {sharded_result(rule_, split_, 0, result(), instruction_.shape)};
  }

 private:
  hlo::InstructionId result() {
    switch (instruction_.opcode) {
      case hlo::Opcode::pad:
        return pad();
      case hlo::Opcode::slice:
        return slice();
      case hlo::Opcode::reverse:
        return reverse();
      default:
        return concatenate();
    }
  }

  /// The sub-axes that dimension `d` is split over, if elements move along it.
  mesh::SubAxes sub_axes(int d) const { return split_along(rule_, split_, rule_.results[0], d, Kind::shifted); }
  std::int64_t parts(int d) const { return program_.mesh().size(sub_axes(d)); }
  /// Elements of one shard of the result along dimension `d`.
  std::int64_t shard(int d) const { return (instruction_.shape.dimensions[std::size_t(d)] + parts(d) - 1) / parts(d); }
  reshard::LocalValue operand(std::size_t k) {
    return sharded_operand(program_, split_, rule_.operands[k], op_.operands[k], windowed_);
  }
  bool is_windowed(int d) const { return std::ranges::find(windowed_, d) != windowed_.end(); }

  hlo::InstructionId slice() {
    reshard::LocalValue value = operand(0);
    for (const int d : windowed_) {
      const hlo::SliceDimension& slice = instruction_.slice[std::size_t(d)];
      const reshard::ShardWindow window = reshard::ShardWindow::linear(parts(d), slice.start, shard(d) * slice.stride,
                                                                       (shard(d) - 1) * slice.stride + 1);
      value.id = reshard::take_window(program_, value, d, sub_axes(d), window, reshard::no_fill);
    }
    const hlo::Shape& local = program_.builder().shape(value.id);
    std::vector<hlo::SliceDimension> slices;
    bool is_all = true;
    for (int d = 0; d < local.rank(); ++d) {
      const auto at = std::size_t(d);
      const bool is_whole = local.dimensions[at] == value.shape.dimensions[at] && !is_windowed(d);
      slices.push_back(is_whole ? instruction_.slice[at] : hlo::SliceDimension{0, local.dimensions[at], 1});
      if (is_windowed(d)) slices[at].stride = instruction_.slice[at].stride;
      is_all = is_all && slices[at] == hlo::SliceDimension{0, local.dimensions[at], 1};
    }
    return is_all ? value.id : program_.builder().slice(value.id, std::move(slices));
  }

  /// Element j of the operand moves to index low + j (interior + 1).
  hlo::InstructionId pad() {
    reshard::LocalValue value = operand(0);
    const hlo::InstructionId fill = op_.operands[1].id;
    std::vector<hlo::PadDimension> padding = instruction_.padding;
    std::vector<std::pair<int, std::vector<std::int64_t>>> trims;
    for (const int d : windowed_) {
      hlo::PadDimension& pad = padding[std::size_t(d)];
      const std::int64_t step = pad.interior + 1;
      reshard::ShardWindow window;
      window.size = (shard(d) - 1) / step + 1;
      std::vector<std::int64_t> starts;
      for (std::int64_t i = 0; i < parts(d); ++i) {
        const std::int64_t first = i * shard(d) - pad.low;
        window.starts.push_back(first >= 0 ? (first + step - 1) / step : -(-first / step));
        // A shard begins less than one step before its first element.
        starts.push_back(step - 1 - (window.starts.back() * step - first));
      }
      value.id = reshard::take_window(program_, value, d, sub_axes(d), window, fill);
      const std::int64_t least = *std::ranges::min_element(starts);
      for (std::int64_t& start : starts) start -= least;
      const std::int64_t low = step - 1 - least, most = *std::ranges::max_element(starts);
      pad = {low, most + shard(d) - low - ((window.size - 1) * step + 1), pad.interior};
      trims.emplace_back(d, std::move(starts));
    }
    build::GraphBuilder& b = program_.builder();
    const bool pads =
        std::ranges::any_of(padding, [](const hlo::PadDimension& pad) { return pad != hlo::PadDimension{}; });
    hlo::InstructionId result = pads ? b.pad(value.id, fill, std::move(padding)) : value.id;
    for (const auto& [d, starts] : trims) {
      result = reshard::slice_by_position(program_, result, d, sub_axes(d), starts, shard(d));
    }
    return result;
  }

  hlo::InstructionId reverse() {
    reshard::LocalValue value = operand(0);
    for (const int d : windowed_) {
      const std::int64_t size = instruction_.shape.dimensions[std::size_t(d)];
      value.id = reshard::take_window(program_, value, d, sub_axes(d),
                                      reshard::ShardWindow::linear(parts(d), size - shard(d), -shard(d), shard(d)),
                                      reshard::no_fill);
    }
    return program_.builder().reverse(value.id, instruction_.dimensions);
  }

  /// Every partition takes the window of its shard from each operand, then selects each element from the operand whose
  /// range it is in.
  hlo::InstructionId concatenate() {
    const int d = windowed_[0];
    build::GraphBuilder& b = program_.builder();
    const std::vector<std::int64_t> begins = reshard::ShardWindow::linear(parts(d), 0, shard(d), shard(d)).starts;
    hlo::InstructionId result = -1;
    std::int64_t end = instruction_.shape.dimensions[std::size_t(d)];
    for (std::size_t k = op_.operands.size(); k-- > 0;) {
      const reshard::LocalValue value = operand(k);
      const std::int64_t limit = end;
      end -= value.shape.dimensions[std::size_t(d)];
      if (limit == end) continue;
      const hlo::InstructionId part =
          reshard::take_window(program_, value, d, sub_axes(d),
                               reshard::ShardWindow::linear(parts(d), -end, shard(d), shard(d)), reshard::no_fill);
      if (result < 0) {
        result = part;
        continue;
      }
      const std::vector<std::int64_t> sizes = b.shape(part).dimensions;
      const hlo::InstructionId begin = reshard::by_position(program_, sub_axes(d), begins);
      result = b.select(reshard::range_mask(program_, sizes, d, begin, 0, limit), part, result);
    }
    return result;
  }

  reshard::LocalProgram& program_;
  const partition::OpToPartition& op_;
  const hlo::Instruction& instruction_;
  propagate::OpRule rule_;
  FactorSplit split_;
  std::vector<int> windowed_;  ///< split dimensions along which elements move
};

}  // namespace

std::vector<reshard::LocalValue> partition_shifted(reshard::LocalProgram& program, const partition::OpToPartition& op) {
  return ShiftedOp(program, op).write();
}

}  // namespace podsim::hlo::spmd::partition
