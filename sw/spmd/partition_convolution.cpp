// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <utility>

#include "sw/spmd/window_cut.h"
#include "sw/spmd/windowed_op.h"

namespace podsim::sw {

namespace {

using Kind = Factor::Kind;

constexpr std::size_t lhs = 0, rhs = 1;

/// One convolution while it is written. A spatial dimension of the input is cut either with the result's, which then
/// needs halos only, or with the kernel's (of a weight gradient, whose kernel is as long as the input): every partition
/// then has sums over its places, for all of the result.
class SpatialConvolution {
 public:
  SpatialConvolution(LocalProgram& program, const OpToPartition& op)
      : program_(program),
        op_(op),
        instruction_(op.instruction()),
        roles_(instruction_.convolution),
        rule_(op_rule(op.module, op.computation, op.id)) {}

  std::vector<LocalValue> write() {
    if (!choose()) return {};
    GraphBuilder& b = program_.builder();
    const InstructionId input_zero = b.constant(op_.operands[lhs].shape.element_type, 0);
    const InstructionId kernel_zero = b.constant(op_.operands[rhs].shape.element_type, 0);
    const OpRule::Array &input_array = rule_.operands[lhs], &kernel_array = rule_.operands[rhs];
    LocalValue input = cut_operand(program_, cuts_, input_array, op_.operands[lhs], roles_.input_spatial);
    LocalValue kernel = cut_operand(program_, cuts_, kernel_array, op_.operands[rhs]);
    if (!cut_along(rule_, cuts_, input_array, roles_.input_feature, Kind::reduction).empty()) {
      input = program_.masked(input, input_zero, std::array{roles_.input_feature});
    }
    kernel = masked_for_reduction(program_, rule_, cuts_, kernel_array, kernel, kernel_zero);
    Instruction local = attributes_of(instruction_);
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (!windows_[i]) continue;
      input.id = take_window(program_, input, roles_.input_spatial[i], sub_axes(i), windows_[i]->input, input_zero);
      local.window[i] = windows_[i]->window;
    }
    return {finish(std::move(local), input.id, kernel.id)};
  }

 private:
  /// Of spatial dimension i of the input.
  const std::vector<int>& factors(std::size_t i) const {
    return rule_.operands[lhs][std::size_t(roles_.input_spatial[i])];
  }
  const SubAxes& sub_axes(std::size_t i) const { return cuts_[std::size_t(factors(i)[0])]; }
  bool is_summed(std::size_t i) const {
    return rule_.operands[rhs][std::size_t(roles_.kernel_spatial[i])] == factors(i);
  }

  /// Chooses cuts; false where no halo is needed.
  bool choose() {
    std::vector<bool> cuttable = factors_of_kind(rule_, {Kind::parallel, Kind::reduction, Kind::shifted});
    const std::vector<bool> is_shifted = factors_of_kind(rule_, {Kind::shifted});
    windows_.resize(roles_.input_spatial.size());
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (!factors(i).empty() && is_summed(i)) rule_.factors[std::size_t(factors(i)[0])].kind = Kind::reduction;
    }
    while (true) {
      cuts_ = choose_cuts(program_.mesh(), rule_, op_, cuttable);
      bool needs_halo = false, fits = true;
      for (std::size_t i = 0; i < windows_.size(); ++i) {
        windows_[i].reset();
        if (factors(i).empty() || sub_axes(i).empty()) continue;
        const auto factor = std::size_t(factors(i)[0]);
        needs_halo = needs_halo || is_shifted[factor];
        if (rule_.factors[factor].kind != Kind::parallel) windows_[i] = cut_window(i);
        if (windows_[i] || rule_.factors[factor].kind == Kind::parallel) continue;
        cuttable[factor] = fits = false;
      }
      if (fits) return needs_halo;
    }
  }

  std::optional<WindowCut> cut_window(std::size_t i) const {
    const std::int64_t outputs = instruction_.shape.dimensions[std::size_t(roles_.output_spatial[i])];
    const std::int64_t parts = program_.mesh().size(sub_axes(i));
    if (is_summed(i)) return cut_along_window(instruction_.window[i], outputs, parts);
    return cut_along_outputs(instruction_.window[i], outputs, parts);
  }

  LocalValue finish(Instruction local, InstructionId input, InstructionId kernel) {
    GraphBuilder& b = program_.builder();
    const auto size = [&](InstructionId id, int d) { return b.shape(id).dimensions[std::size_t(d)]; };
    local.operands = {input, kernel};
    if (local.feature_groups > 1) {
      local.feature_groups = size(input, roles_.input_feature) / size(kernel, roles_.kernel_input_feature);
    }
    const AxisSharding sharding = sharding_under(rule_.results[0], cuts_);
    if (local.batch_groups > 1) {
      const Shape result = local_shape(program_.mesh(), instruction_.shape, sharding);
      local.batch_groups = size(input, roles_.input_batch) / result.dimensions[std::size_t(roles_.output_batch)];
    }
    InstructionId result = b.add(std::move(local));
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (windows_[i]) result = kept_outputs(program_, result, roles_.output_spatial[i], sub_axes(i), *windows_[i]);
    }
    return cut_result(rule_, cuts_, 0, result, instruction_.shape);
  }

  LocalProgram& program_;
  const OpToPartition& op_;
  const Instruction& instruction_;
  const ConvolutionDimensions& roles_;
  OpRule rule_;
  FactorCuts cuts_;
  std::vector<std::optional<WindowCut>> windows_;  ///< of each spatial dimension that is cut
};

}  // namespace

std::vector<LocalValue> partition_convolution(LocalProgram& program, const OpToPartition& op) {
  return SpatialConvolution(program, op).write();
}

}  // namespace podsim::sw
