// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/control_gradient.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hlo/instruction_identity.h"
#include "hlo/rules/annotation.h"
#include "hlo/transform/formulas/leaves.h"
#include "hlo/transform/gradient/linear_algebra_gradient.h"
#include "hlo/transform/gradient/manual_region_gradient.h"
#include "hlo/transform/gradient/reverse_sweep.h"

namespace podsim::hlo::transform::gradient {

namespace {

using Ids = std::vector<InstructionId>;

/// Appends a computation of `module` with these arguments, and returns its root.
InstructionId inlined_body(build::GraphBuilder& b, const Module& module, ComputationId id, const Ids& arguments) {
  const Computation& body = module.computations[std::size_t(id)];
  Ids values;
  for (const Instruction& instruction : body.instructions) {
    if (instruction.opcode == Opcode::parameter) {
      values.push_back(arguments[std::size_t(instruction.index)]);
      continue;
    }
    Instruction copy = instruction;
    for (InstructionId& operand : copy.operands) operand = values[std::size_t(operand)];
    for (ComputationId& called : copy.called) called = b.copy_computation(module, called);
    values.push_back(b.add(std::move(copy)));
  }
  return values[std::size_t(body.root)];
}

/// True if a computation does what cannot be done again for its gradient: draws random numbers, or transfers.
bool acts_once(const Module& module, ComputationId id) {
  const std::vector<Instruction>& body = module.computations[std::size_t(id)].instructions;
  return std::ranges::any_of(body, [&](const Instruction& instruction) {
    const bool acts = !is_shareable(instruction.opcode) && instruction.opcode != Opcode::parameter &&
                      instruction.opcode != Opcode::custom_call;
    return acts ||
           std::ranges::any_of(instruction.called, [&](ComputationId called) { return acts_once(module, called); });
  });
}

}  // namespace

void require_repeatable(const Backward& s, const Module& module) {
  for (const ComputationId called : s.forward.called) {
    if (acts_once(module, called)) s.refuse("it draws random numbers or transfers, and would do so twice");
  }
}

Module module_of(const build::GraphBuilder& b) {
  Module module;
  module.computations = b.called_computations();
  return module;
}

namespace {

Ids leaves_of_value(build::GraphBuilder& b, InstructionId value) {
  const Shape shape = b.shape(value);
  if (!shape.is_tuple()) return {value};
  Ids leaves;
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    const bool is_made = b[value].opcode == Opcode::tuple;
    const InstructionId element = is_made ? b[value].operands[i] : b.get_tuple_element(value, std::int64_t(i));
    const Ids inner = leaves_of_value(b, element);
    leaves.insert(leaves.end(), inner.begin(), inner.end());
  }
  return leaves;
}

/// The gradients of a conditional's operands.
class Branches {
 public:
  explicit Branches(Backward& s) : s_(s), module_(module_of(s.b)) {
    require_repeatable(s, module_);
    for (std::size_t leaf = 0; leaf < s.slopes.size(); ++leaf) {
      if (s.slopes[leaf] >= 0) given_.push_back(leaf);
    }
    for (std::size_t k = 1; k < s.forward.operands.size(); ++k) {
      Ids& leaves = leaves_.emplace_back();
      if (!s.wants(k)) continue;
      leaves = leaves_of_value(s.b, s.x(k));
      for (const InstructionId leaf : leaves) {
        const bool is_real = formulas::has_slope(s.b.type(leaf));
        if (is_real && std::ranges::find(wanted_, leaf) == wanted_.end()) wanted_.push_back(leaf);
      }
    }
  }

  void give_gradients() {
    build::GraphBuilder& b = s_.b;
    Instruction back;
    back.opcode = Opcode::conditional;
    back.operands = {s_.x(0)};
    for (std::size_t k = 1; k < s_.forward.operands.size(); ++k) {
      Ids arguments{s_.x(k)};
      for (const std::size_t leaf : given_) arguments.push_back(s_.slopes[leaf]);
      const InstructionId argument = b.tuple(std::move(arguments));
      back.operands.push_back(argument);
      back.called.push_back(branch_gradient(k, b.shape(argument)));
    }
    const InstructionId made = b.add(std::move(back));
    for (std::size_t k = 1; k < s_.forward.operands.size(); ++k) {
      for (std::size_t leaf = 0; leaf < leaves_[k - 1].size(); ++leaf) give_leaf(k, leaf, made);
    }
  }

 private:
  /// Every wanted value's gradient goes to the first operand that has it.
  void give_leaf(std::size_t k, std::size_t leaf, InstructionId made) {
    const auto found = std::ranges::find(wanted_, leaves_[k - 1][leaf]);
    if (found == wanted_.end() || is_given_[std::size_t(found - wanted_.begin())]) return;
    is_given_[std::size_t(found - wanted_.begin())] = true;
    s_.give_leaf(k, leaf, s_.b.get_tuple_element(made, found - wanted_.begin()));
  }

  ComputationId branch_gradient(std::size_t k, const Shape& argument) {
    const ComputationId branch = s_.forward.called[k - 1];
    is_given_.assign(wanted_.size(), false);
    build::GraphBuilder c(module_.computations[std::size_t(branch)].name + "_gradient");
    const InstructionId all = c.parameter(argument, "arguments");
    const InstructionId operand = c.get_tuple_element(all, 0);
    const InstructionId root = inlined_body(c, module_, branch, {operand});
    const std::vector<InstructionId> sources{operand};
    ReverseSweep sweep(c, sources, c.size() - 1, {.stops_at_sources = true});
    for (std::size_t i = 0; i < given_.size(); ++i) {
      sweep.contribute(root, given_[i], c.get_tuple_element(all, std::int64_t(i) + 1));
    }
    sweep.run();
    Ids results;
    for (const InstructionId wanted : wanted_) {
      InstructionId sum = -1;
      for (std::size_t leaf = 0; leaf < leaves_[k - 1].size(); ++leaf) {
        const InstructionId part = leaves_[k - 1][leaf] == wanted ? sweep.gradient(operand, leaf) : -1;
        if (part >= 0) sum = sum < 0 ? part : c.add(sum, part);
      }
      const Shape& shape = s_.b.shape(wanted);
      results.push_back(sum >= 0 ? sum : c.full(make_shape(shape.element_type, shape.dimensions), 0));
    }
    const InstructionId tuple = c.tuple(std::move(results));
    return s_.b.computation(std::move(c), tuple);
  }

  Backward& s_;
  Module module_;
  std::vector<std::size_t> given_;  ///< leaves of the result that have a gradient
  std::vector<Ids> leaves_;         ///< by branch: what its operand is made of
  Ids wanted_;                      ///< the values among them, each once
  std::vector<bool> is_given_;
};

}  // namespace

namespace of {

void call(Backward& s) {
  const Module module = module_of(s.b);
  require_repeatable(s, module);
  s.through(leaves_of_value(s.b, inlined_body(s.b, module, s.forward.called[0], s.forward.operands)));
}

void conditional(Backward& s) { Branches(s).give_gradients(); }

void custom_call(Backward& s) {
  if (bounds_manual_region(s.forward)) return manual_region_gradient(s);
  if (s.forward.target == "LuDecomposition" && s.slopes.size() == 3) return lu_decomposition(s);
  if (s.forward.target == "Eigh" && s.slopes.size() == 2) return symmetric_eigen(s);
  const rules::Annotation* annotation = rules::find_annotation(s.forward.target);
  const bool is_copy = annotation != nullptr && annotation->returns_operand && !s.forward.operands.empty() &&
                       s.b.shape(s.x(0)).compatible(s.forward.shape);
  if (!is_copy) s.refuse(fmt::format("what '{}' computes is not known", s.forward.target));
  for (std::size_t leaf = 0; leaf < s.slopes.size(); ++leaf) {
    if (s.slopes[leaf] >= 0) s.give_leaf(0, leaf, s.slopes[leaf]);
  }
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
