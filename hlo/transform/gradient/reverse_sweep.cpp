// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/reverse_sweep.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/host/interrupt.h"
#include "hlo/attribute_text.h"
#include "hlo/rules/tuple_leaves.h"
#include "hlo/transform/formulas/leaves.h"
#include "hlo/transform/formulas/log_add_exp.h"
#include "hlo/transform/gradient/backward.h"
#include "hlo/transform/gradient/elementwise_gradient.h"
#include "hlo/transform/gradient/gradient_rules.h"
#include "hlo/transform/gradient/no_gradient.h"

namespace podsim::hlo::transform::gradient {

namespace {

/// Whole numbers and predicates have no slope, and neither have steps. What else has none is refused where it is met.
bool carries_slope(const Instruction& instruction) {
  if (!formulas::has_any_slope(instruction.shape)) return false;
  if (instruction.opcode == Opcode::unknown) return true;
  if (instruction.opcode == Opcode::copy && instruction.target == stopped_gradient) return false;
  if (instruction.opcode == Opcode::sign) return is_complex(instruction.shape.element_type);
  const OpAnswer<Rule*>& answer = gradient_answer(instruction.opcode);
  return !answer || answer.rule != of::flat;
}

/// True if the value is another device's, on which it may depend on anything.
bool is_received(const Instruction& instruction) {
  return instruction.opcode == Opcode::recv && !instruction.participants->source_target_pairs.empty();
}

}  // namespace

ReverseSweep::ReverseSweep(build::GraphBuilder& builder, std::span<const InstructionId> sources, InstructionId last,
                           const SweepOptions& options)
    : builder_(builder),
      last_(last),
      gradients_(std::size_t(last) + 1),
      wanted_(std::size_t(last) + 1, false),
      stops_(std::size_t(last) + 1, false) {
  for (const GivenGradient& gradient : options.given) given_[gradient.result] = &gradient;
  for (const InstructionId id : sources) {
    if (id > last) continue;
    wanted_[std::size_t(id)] = true;
    stops_[std::size_t(id)] = options.stops_at_sources;
  }
  const std::set<InstructionId> held(options.held.begin(), options.held.end());
  // Operands come before what is made of them.
  const bool is_local = options.stops_at_sources && !sources.empty();
  const InstructionId first = is_local ? *std::ranges::min_element(sources) : 0;
  for (InstructionId id = first; id <= last; ++id) {
    const Instruction& instruction = builder[id];
    if (!carries_slope(instruction) || held.contains(id)) continue;
    bool wanted = wanted_[std::size_t(id)] || is_received(instruction);
    for (const InstructionId operand : instruction.operands) wanted = wanted || wanted_[std::size_t(operand)];
    wanted_[std::size_t(id)] = wanted;
  }
}

void ReverseSweep::seed(InstructionId id, std::size_t leaf, InstructionId gradient) {
  std::vector<InstructionId>& leaves = gradients_[std::size_t(id)];
  leaves.resize(rules::leaf_count(builder_.shape(id)), -1);
  leaves[leaf] = gradient;
}

void ReverseSweep::run() {
  for (InstructionId id = last_; id >= 0; --id) {
    base::host::end_if_interrupted();
    const bool is_reached = !gradients_[std::size_t(id)].empty() && wanted_[std::size_t(id)];
    if (is_reached && !stops_[std::size_t(id)] && !builder_[id].operands.empty()) visit(id);
  }
}

InstructionId ReverseSweep::gradient(InstructionId id, std::size_t leaf) const {
  if (id > last_ || gradients_[std::size_t(id)].empty()) return -1;
  return gradients_[std::size_t(id)][leaf];
}

/// A rule may append what no instruction can express, such as a window beyond the limits of windows.
void ReverseSweep::visit(InstructionId id) {
  try {
    apply_rule(id);
  } catch (const NoGradient&) {
    throw;
  } catch (const std::logic_error& error) {
    throw NoGradient(builder_[id], fmt::format("it cannot be expressed: {}", error.what()));
  }
}

void ReverseSweep::apply_rule(InstructionId id) {
  Instruction forward = builder_[id];
  const build::GraphBuilder::Scope scope(builder_,
                                         "gradients" + (forward.op_name.empty() ? "" : "/" + forward.op_name));
  Backward backward(*this, builder_, std::move(forward), id, gradients_[std::size_t(id)]);
  if (backward.forward.phase != AsyncPhase::none) backward.refuse(asynchronous);
  if (const auto found = given_.find(id); found != given_.end()) {
    const GivenGradient& given = *found->second;
    const std::vector<InstructionId> contributions = given.rule(builder_, backward.g());
    for (std::size_t k = 0; k < contributions.size(); ++k) contribute(given.operands[k], 0, contributions[k]);
    return;
  }
  if (is_smooth_distance(id)) {
    return backward.give(0, builder_.multiply(backward.g(), builder_.sign(backward.x(0))));
  }
  if (backward.forward.opcode == Opcode::unknown) backward.refuse("its meaning is not known");
  const OpAnswer<Rule*>& answer = gradient_answer(backward.forward.opcode);
  if (!answer) backward.refuse(answer.why_not);
  answer.rule(backward);
}

bool ReverseSweep::is_smooth_distance(InstructionId id) {
  if (builder_[id].opcode != Opcode::abs) return false;
  if (!smooth_distances_) smooth_distances_ = formulas::smooth_distances(builder_, last_);
  return std::ranges::binary_search(*smooth_distances_, id);
}

void ReverseSweep::contribute(InstructionId to, std::size_t leaf, InstructionId gradient) {
  const Shape value = formulas::leaf_shape(builder_.shape(to), leaf);
  if (!wants(to) || !formulas::has_slope(value.element_type)) return;
  const Shape& made = builder_.shape(gradient);
  if (made.dimensions != value.dimensions || is_complex(made.element_type) != is_complex(value.element_type)) {
    throw std::logic_error(fmt::format("{}: its gradient would be {}", builder_[to].name, to_string(made)));
  }
  // Compilers let operands differ in precision from the result, without a convert.
  gradient = builder_.convert(gradient, value.element_type);
  std::vector<InstructionId>& sums = gradients_[std::size_t(to)];
  if (sums.empty()) sums.resize(rules::leaf_count(builder_.shape(to)), -1);
  sums[leaf] = sums[leaf] < 0 ? gradient : builder_.add(sums[leaf], gradient);
}

}  // namespace podsim::hlo::transform::gradient
