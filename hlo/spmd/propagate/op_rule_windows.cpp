// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/propagate/op_rule_builder.h.
#include <algorithm>

#include "hlo/spmd/propagate/op_rule_builder.h"

/// Rules of reductions, windows, and ops that move elements along a dimension by constant distances.
namespace podsim::hlo::spmd::propagate {

namespace {

using Kind = Factor::Kind;
using Place = OpRuleBuilder::Place;

/// Dimension `d` of the reduced arrays and of the results, which have the same number.
std::vector<Place> alike(const OpRuleBuilder& rule, int d) {
  std::vector<Place> dimensions;
  for (int array = 0; array < rule.result_count(); ++array) dimensions.push_back(OpRuleBuilder::in(array, d));
  for (int array = 0; array < rule.result_count(); ++array) dimensions.push_back(OpRuleBuilder::out(array, d));
  return dimensions;
}

/// True if a window covers one element at a time, each in turn.
bool is_trivial(const hlo::WindowDimension& window) {
  return window.size == 1 && window.stride == 1 && window.padding_low == 0 && window.padding_high == 0 &&
         window.base_dilation == 1;
}

}  // namespace

void reduce_rule(OpRuleBuilder& rule) {
  const std::vector<std::int64_t>& reduced = rule.instruction().dimensions;
  const int count = rule.result_count(), rank = rule.operand(0).rank();
  const bool combines = count == 1 && rule.take_simple_combiner();
  int next = 0;
  for (int d = 0; d < rank; ++d) {
    std::vector<Place> dimensions;
    for (int array = 0; array < count; ++array) dimensions.push_back(OpRuleBuilder::in(array, d));
    if (std::ranges::find(reduced, d) == reduced.end()) {
      for (int array = 0; array < count; ++array) dimensions.push_back(OpRuleBuilder::out(array, next));
      ++next;
      rule.join(Kind::parallel, dimensions);
    } else if (combines) {
      rule.join(Kind::reduction, dimensions);
    }
  }
}

void reduce_window_rule(OpRuleBuilder& rule) {
  const hlo::Shape &operand = rule.operand(0), &result = rule.result(0);
  for (int d = 0; d < operand.rank(); ++d) {
    const hlo::WindowDimension& window = rule.instruction().window[std::size_t(d)];
    const std::int64_t inputs = operand.dimensions[std::size_t(d)], outputs = result.dimensions[std::size_t(d)];
    const std::int64_t reach = (window.size - 1) * window.window_dilation + 1;
    const std::int64_t padded = (inputs - 1) * window.base_dilation + 1 + window.padding_low + window.padding_high;
    if (is_trivial(window)) {
      rule.join(Kind::parallel, alike(rule, d));
    } else if (reach < inputs) {
      rule.join(Kind::shifted, alike(rule, d));
    } else if (outputs == 1 && window.size == inputs && padded == inputs && rule.result_count() == 1 &&
               rule.take_simple_combiner()) {
      rule.join(Kind::reduction, {OpRuleBuilder::in(0, d)});
    }
  }
}

void select_and_scatter_rule(OpRuleBuilder& rule) {
  for (int d = 0; d < rule.operand(0).rank(); ++d) {
    const bool trivial = is_trivial(rule.instruction().window[std::size_t(d)]);
    rule.join(trivial ? Kind::parallel : Kind::shifted,
              {OpRuleBuilder::in(0, d), OpRuleBuilder::in(1, d), OpRuleBuilder::out(0, d)});
  }
}

void pad_rule(OpRuleBuilder& rule) {
  for (int d = 0; d < rule.operand(0).rank(); ++d) {
    const bool unchanged = rule.instruction().padding[std::size_t(d)] == hlo::PadDimension{};
    rule.join(unchanged ? Kind::parallel : Kind::shifted, {OpRuleBuilder::in(0, d), OpRuleBuilder::out(0, d)});
  }
}

void slice_rule(OpRuleBuilder& rule) {
  for (int d = 0; d < rule.operand(0).rank(); ++d) {
    const bool unchanged = rule.operand(0).dimensions[std::size_t(d)] == rule.result(0).dimensions[std::size_t(d)];
    rule.join(unchanged ? Kind::parallel : Kind::shifted, {OpRuleBuilder::in(0, d), OpRuleBuilder::out(0, d)});
  }
}

void concatenate_rule(OpRuleBuilder& rule) {
  for (int d = 0; d < rule.result(0).rank(); ++d) {
    std::vector<Place> dimensions;
    for (int array = 0; array < rule.operand_count(); ++array) dimensions.push_back(OpRuleBuilder::in(array, d));
    dimensions.push_back(OpRuleBuilder::out(0, d));
    const bool joined = d == rule.instruction().dimensions[0] && rule.operand_count() > 1;
    rule.join(joined ? Kind::shifted : Kind::parallel, dimensions);
  }
}

void reverse_rule(OpRuleBuilder& rule) {
  const std::vector<std::int64_t>& reversed = rule.instruction().dimensions;
  for (int d = 0; d < rule.operand(0).rank(); ++d) {
    const bool unchanged = std::ranges::find(reversed, d) == reversed.end();
    rule.join(unchanged ? Kind::parallel : Kind::shifted, {OpRuleBuilder::in(0, d), OpRuleBuilder::out(0, d)});
  }
}

}  // namespace podsim::hlo::spmd::propagate
