// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/windowed_op.h.
#include <array>
#include <optional>
#include <utility>

#include "hlo/spmd/partition/windowed_op.h"
#include "hlo/spmd/reshard/local_window.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

constexpr std::size_t lhs = 0, rhs = 1;

/// Writes one convolution. A spatial dimension of the input is split either together with the result's, which needs
/// only halos, or together with the kernel's (in a weight gradient, whose kernel is as long as the input), so that
/// every partition holds addends for the whole result.
class SpatialConvolution {
 public:
  SpatialConvolution(reshard::LocalProgram& program, const partition::OpToPartition& op)
      : program_(program),
        op_(op),
        instruction_(op.instruction()),
        roles_(instruction_.convolution),
        rule_(propagate::op_rule(op.module, op.computation, op.id)) {}

  std::vector<reshard::LocalValue> write() {
    if (!choose()) return {};
    build::GraphBuilder& b = program_.builder();
    const hlo::InstructionId input_zero = b.constant(op_.operands[lhs].shape.element_type, 0);
    const hlo::InstructionId kernel_zero = b.constant(op_.operands[rhs].shape.element_type, 0);
    const propagate::OpRule::Array &input_array = rule_.operands[lhs], &kernel_array = rule_.operands[rhs];
    reshard::LocalValue input = sharded_operand(program_, split_, input_array, op_.operands[lhs], roles_.input_spatial);
    reshard::LocalValue kernel = sharded_operand(program_, split_, kernel_array, op_.operands[rhs]);
    if (!split_along(rule_, split_, input_array, roles_.input_feature, Kind::reduction).empty()) {
      input = program_.masked(input, input_zero, std::array{roles_.input_feature});
    }
    kernel = masked_for_reduction(program_, rule_, split_, kernel_array, kernel, kernel_zero);
    hlo::Instruction local = attributes_of(instruction_);
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (!windows_[i]) continue;
      input.id =
          reshard::take_window(program_, input, roles_.input_spatial[i], sub_axes(i), windows_[i]->input, input_zero);
      local.window[i] = windows_[i]->window;
    }
    return {finish(std::move(local), input.id, kernel.id)};
  }

 private:
  /// The factors of spatial dimension `i` of the input.
  const std::vector<int>& factors(std::size_t i) const {
    return rule_.operands[lhs][std::size_t(roles_.input_spatial[i])];
  }
  const mesh::SubAxes& sub_axes(std::size_t i) const { return split_[std::size_t(factors(i)[0])]; }
  bool is_summed(std::size_t i) const {
    return rule_.operands[rhs][std::size_t(roles_.kernel_spatial[i])] == factors(i);
  }

  /// Chooses the split. Returns false if no halo is needed.
  bool choose() {
    std::vector<bool> splittable = factors_of_kind(rule_, {Kind::parallel, Kind::reduction, Kind::shifted});
    const std::vector<bool> is_shifted = factors_of_kind(rule_, {Kind::shifted});
    windows_.resize(roles_.input_spatial.size());
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (!factors(i).empty() && is_summed(i)) rule_.factors[std::size_t(factors(i)[0])].kind = Kind::reduction;
    }
    while (true) {
      split_ = choose_split(program_.mesh(), rule_, op_, splittable);
      bool needs_halo = false, fits = true;
      for (std::size_t i = 0; i < windows_.size(); ++i) {
        windows_[i].reset();
        if (factors(i).empty() || sub_axes(i).empty()) continue;
        const auto factor = std::size_t(factors(i)[0]);
        needs_halo = needs_halo || is_shifted[factor];
        if (rule_.factors[factor].kind != Kind::parallel) windows_[i] = local_window(i);
        if (windows_[i] || rule_.factors[factor].kind == Kind::parallel) continue;
        splittable[factor] = fits = false;
      }
      if (fits) return needs_halo;
    }
  }

  std::optional<reshard::LocalWindow> local_window(std::size_t i) const {
    const std::int64_t outputs = instruction_.shape.dimensions[std::size_t(roles_.output_spatial[i])];
    const std::int64_t parts = program_.mesh().size(sub_axes(i));
    if (is_summed(i)) return reshard::split_kernel(instruction_.window[i], outputs, parts);
    return reshard::split_outputs(instruction_.window[i], outputs, parts);
  }

  reshard::LocalValue finish(hlo::Instruction local, hlo::InstructionId input, hlo::InstructionId kernel) {
    build::GraphBuilder& b = program_.builder();
    const auto size = [&](hlo::InstructionId id, int d) { return b.shape(id).dimensions[std::size_t(d)]; };
    local.operands = {input, kernel};
    if (local.feature_groups > 1) {
      local.feature_groups = size(input, roles_.input_feature) / size(kernel, roles_.kernel_input_feature);
    }
    const mesh::AxisSharding sharding = sharding_under(rule_.results[0], split_);
    if (local.batch_groups > 1) {
      const hlo::Shape result = mesh::local_shape(program_.mesh(), instruction_.shape, sharding);
      local.batch_groups = size(input, roles_.input_batch) / result.dimensions[std::size_t(roles_.output_batch)];
    }
    hlo::InstructionId result = b.add(std::move(local));
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (windows_[i])
        result = reshard::kept_outputs(program_, result, roles_.output_spatial[i], sub_axes(i), *windows_[i]);
    }
    return sharded_result(rule_, split_, 0, result, instruction_.shape);
  }

  reshard::LocalProgram& program_;
  const partition::OpToPartition& op_;
  const hlo::Instruction& instruction_;
  const hlo::ConvolutionDimensions& roles_;
  propagate::OpRule rule_;
  FactorSplit split_;
  std::vector<std::optional<reshard::LocalWindow>> windows_;  ///< for each split spatial dimension
};

}  // namespace

std::vector<reshard::LocalValue> partition_convolution(reshard::LocalProgram& program,
                                                       const partition::OpToPartition& op) {
  return SpatialConvolution(program, op).write();
}

}  // namespace podsim::hlo::spmd::partition
