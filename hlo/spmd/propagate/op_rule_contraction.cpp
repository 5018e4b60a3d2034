// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/propagate/op_rule_builder.h.
#include <algorithm>

#include "hlo/spmd/propagate/op_rule_builder.h"

/// Rules of matrix products: dot and convolution.
namespace podsim::hlo::spmd::propagate {

namespace {

using Kind = Factor::Kind;
using Place = OpRuleBuilder::Place;

constexpr int lhs = 0, rhs = 1;

bool contains(const std::vector<int>& list, int value) { return std::ranges::find(list, value) != list.end(); }

/// Joins the free dimensions of an operand to those of the result from number `next`, and advances `next` past them.
void join_free(OpRuleBuilder& rule, int operand, const std::vector<int>& batch, const std::vector<int>& contracting,
               int& next) {
  for (int d = 0; d < rule.operand(operand).rank(); ++d) {
    if (contains(batch, d) || contains(contracting, d)) continue;
    rule.join(Kind::parallel, {OpRuleBuilder::in(operand, d), OpRuleBuilder::out(0, next++)});
  }
}

bool is_plain(const hlo::WindowDimension& window) {
  return window.padding_low == 0 && window.padding_high == 0 && window.base_dilation == 1 &&
         window.window_dilation == 1;
}

void spatial_rule(OpRuleBuilder& rule, std::size_t i) {
  const hlo::ConvolutionDimensions& roles = rule.instruction().convolution;
  const hlo::WindowDimension& window = rule.instruction().window[i];
  const Place input = OpRuleBuilder::in(lhs, roles.input_spatial[i]);
  const Place kernel = OpRuleBuilder::in(rhs, roles.kernel_spatial[i]);
  const Place output = OpRuleBuilder::out(0, roles.output_spatial[i]);
  const std::int64_t inputs = rule.operand(lhs).dimensions[std::size_t(input.dimension)];
  const std::int64_t outputs = rule.result(0).dimensions[std::size_t(output.dimension)];
  if (window.size == 1 && window.stride == 1 && is_plain(window)) return rule.join(Kind::parallel, {input, output});
  if (window.size == inputs && outputs == 1 && is_plain(window) && !window.window_reversal) {
    return rule.join(Kind::reduction, {input, kernel});
  }
  // If both are equal, a weight gradient cannot be distinguished from a convolution of a small image.
  if (inputs <= 1 || window.size == outputs) return;
  rule.join(Kind::shifted, window.size > outputs ? std::vector{input, kernel} : std::vector{input, output});
}

}  // namespace

void dot_rule(OpRuleBuilder& rule) {
  const hlo::DotDimensions& roles = rule.instruction().dot;
  int next = 0;
  for (std::size_t i = 0; i < roles.lhs_batch.size(); ++i) {
    rule.join(Kind::parallel, {OpRuleBuilder::in(lhs, roles.lhs_batch[i]), OpRuleBuilder::in(rhs, roles.rhs_batch[i]),
                               OpRuleBuilder::out(0, next++)});
  }
  join_free(rule, lhs, roles.lhs_batch, roles.lhs_contracting, next);
  join_free(rule, rhs, roles.rhs_batch, roles.rhs_contracting, next);
  for (std::size_t i = 0; i < roles.lhs_contracting.size(); ++i) {
    rule.join(Kind::reduction,
              {OpRuleBuilder::in(lhs, roles.lhs_contracting[i]), OpRuleBuilder::in(rhs, roles.rhs_contracting[i])});
  }
}

void convolution_rule(OpRuleBuilder& rule) {
  const hlo::Instruction& instruction = rule.instruction();
  const hlo::ConvolutionDimensions& roles = instruction.convolution;
  const Place batch = OpRuleBuilder::in(lhs, roles.input_batch), depth = OpRuleBuilder::in(lhs, roles.input_feature);
  const Place kernel_depth = OpRuleBuilder::in(rhs, roles.kernel_input_feature);
  const Place features = OpRuleBuilder::in(rhs, roles.kernel_output_feature);
  const Place output_batch = OpRuleBuilder::out(0, roles.output_batch);
  const Place output_features = OpRuleBuilder::out(0, roles.output_feature);
  const std::int64_t groups = std::max(instruction.feature_groups, instruction.batch_groups);
  const auto size_in = [](const hlo::Shape& shape, const Place& place) {
    return shape.dimensions[std::size_t(place.dimension)];
  };
  // In a grouped dimension, a factor of one element within the group is left out.
  const auto join = [&](Kind kind, std::int64_t size, const std::vector<Place>& dimensions) {
    if (groups == 1 || size != 1) rule.join_part(kind, size, dimensions);
  };
  if (groups > 1) {
    const Place grouped = instruction.feature_groups > 1 ? depth : batch;
    rule.join_part(Kind::parallel, groups, {grouped, features, output_features});
  }
  join(Kind::parallel, size_in(rule.result(0), output_batch), {batch, output_batch});
  join(Kind::reduction, size_in(rule.operand(rhs), kernel_depth), {depth, kernel_depth});
  join(Kind::parallel, size_in(rule.result(0), output_features) / groups, {features, output_features});
  for (std::size_t i = 0; i < instruction.window.size(); ++i) spatial_rule(rule, i);
}

}  // namespace podsim::hlo::spmd::propagate
