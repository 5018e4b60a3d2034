// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/layout_classes.h"

#include <map>
#include <numeric>
#include <utility>

#include "sw/compiler/layout/dimension_links.h"
#include "sw/ir/rules/tuple_leaves.h"

namespace podsim::sw::compiler::layout {
namespace {

/// A shape, or the elements of a tuple, in order.
void collect_arrays(ir::Shape& shape, std::vector<ir::Shape*>& arrays) {
  if (!shape.is_tuple()) {
    arrays.push_back(&shape);
    return;
  }
  for (ir::Shape& element : shape.tuple_shapes) collect_arrays(element, arrays);
}

class Classifier {
 public:
  explicit Classifier(ir::Module& module)
      : module_(module), executed_(ir::executed_computations(module)), links_(number_arrays()) {}

  std::vector<LayoutClass> run() {
    for_each_instruction([&](ir::ComputationId c, ir::InstructionId id) { fix_given(arrays_of(c, id)); });
    for_each_instruction([&](ir::ComputationId c, ir::InstructionId id) {
      if (takes_order_of_text(module_.computations[std::size_t(c)][id])) fix_all(c, id);
    });
    for_each_instruction([&](ir::ComputationId c, ir::InstructionId id) { link(c, id); });
    link_donations();
    for_each_instruction([&](ir::ComputationId c, ir::InstructionId id) { link_transposition(c, id); });
    return classes();
  }

 private:
  template <typename Function>
  void for_each_instruction(const Function& function) {
    for (ir::ComputationId c = 0; c < ir::ComputationId(module_.computations.size()); ++c) {
      if (!executed_[std::size_t(c)]) continue;
      const auto size = ir::InstructionId(module_.computations[std::size_t(c)].instructions.size());
      for (ir::InstructionId id = 0; id < size; ++id) function(c, id);
    }
  }

  std::size_t number_arrays() {
    first_.resize(module_.computations.size());
    for_each_instruction([&](ir::ComputationId c, ir::InstructionId id) {
      std::vector<std::size_t>& first = first_[std::size_t(c)];
      if (first.empty()) first.push_back(shapes_.size());
      collect_arrays(module_.computations[std::size_t(c)][id].shape, shapes_);
      places_.resize(shapes_.size(), {c, id});
      first.push_back(shapes_.size());
    });
    return shapes_.size();
  }

  const ir::Instruction& at(ir::ComputationId c, ir::InstructionId id) const {
    return module_.computations[std::size_t(c)][id];
  }

  /// Numbers of the first array of a value and of the one after its last.
  std::pair<std::size_t, std::size_t> arrays_of(ir::ComputationId c, ir::InstructionId id) const {
    const std::vector<std::size_t>& first = first_[std::size_t(c)];
    return {first[std::size_t(id)], first[std::size_t(id) + 1]};
  }

  static std::vector<int> order_of(const ir::Shape& shape) {
    std::vector<int> order;
    for (int i = 0; i < shape.rank(); ++i) order.push_back(shape.minor_dimension(i));
    return order;
  }

  void fix_given(std::pair<std::size_t, std::size_t> arrays) {
    for (std::size_t i = arrays.first; i < arrays.second; ++i) {
      const ir::Shape& shape = *shapes_[i];
      if (!shape.minor_to_major.empty() || !shape.tile.empty()) links_.fix(i, order_of(shape));
    }
  }

  void fix_order(std::pair<std::size_t, std::size_t> arrays) {
    for (std::size_t i = arrays.first; i < arrays.second; ++i) links_.fix(i, order_of(*shapes_[i]));
  }

  void fix_all(ir::ComputationId c, ir::InstructionId id) {
    fix_order(arrays_of(c, id));
    for (const ir::InstructionId operand : at(c, id).operands) fix_order(arrays_of(c, operand));
  }

  static bool takes_order_of_text(const ir::Instruction& instruction) {
    if (instruction.phase != ir::AsyncPhase::none) return true;
    if (ir::is_elementwise(instruction.opcode) || ir::is_collective(instruction.opcode)) return false;
    switch (instruction.opcode) {
      case ir::Opcode::add_dependency:
      case ir::Opcode::after_all:
      case ir::Opcode::broadcast:
      case ir::Opcode::call:
      case ir::Opcode::concatenate:
      case ir::Opcode::conditional:
      case ir::Opcode::constant:
      case ir::Opcode::convolution:
      case ir::Opcode::domain:
      case ir::Opcode::dot:
      case ir::Opcode::dynamic_slice:
      case ir::Opcode::dynamic_update_slice:
      case ir::Opcode::get_tuple_element:
      case ir::Opcode::infeed:
      case ir::Opcode::iota:
      case ir::Opcode::map:
      case ir::Opcode::opt_barrier:
      case ir::Opcode::outfeed:
      case ir::Opcode::pad:
      case ir::Opcode::parameter:
      case ir::Opcode::partition_id:
      case ir::Opcode::replica_id:
      case ir::Opcode::reshape:
      case ir::Opcode::reverse:
      case ir::Opcode::rng:
      case ir::Opcode::slice:
      case ir::Opcode::transpose:
      case ir::Opcode::tuple:
      case ir::Opcode::while_loop:
        return false;
      case ir::Opcode::reduce:
      case ir::Opcode::reduce_window:
        return instruction.shape.is_tuple();
      default:
        return true;
    }
  }

  /// Joins two arrays of one rank with their dimensions in the same order.
  void join(std::size_t a, std::size_t b) {
    if (shapes_[a]->rank() == shapes_[b]->rank()) links_.join(a, b, {});
  }

  /// Joins the arrays of two values of the same structure.
  void join_values(std::pair<std::size_t, std::size_t> a, std::pair<std::size_t, std::size_t> b) {
    if (a.second - a.first != b.second - b.first) return;
    for (std::size_t i = 0; a.first + i < a.second; ++i) join(a.first + i, b.first + i);
  }

  void link(ir::ComputationId c, ir::InstructionId id) {
    const ir::Instruction& instruction = at(c, id);
    if (instruction.phase != ir::AsyncPhase::none) return;
    const auto result = arrays_of(c, id);
    const auto operand = [&](std::size_t i) { return arrays_of(c, instruction.operands[i]); };
    if (ir::is_elementwise(instruction.opcode) || instruction.opcode == ir::Opcode::map) {
      for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        if (at(c, instruction.operands[i]).shape.dimensions == instruction.shape.dimensions)
          join_values(operand(i), result);
      }
      return;
    }
    if (ir::is_collective(instruction.opcode)) return link_in_order(c, id);
    switch (instruction.opcode) {
      case ir::Opcode::add_dependency:
      case ir::Opcode::domain:
      case ir::Opcode::dynamic_slice:
      case ir::Opcode::pad:
      case ir::Opcode::reduce_window:
      case ir::Opcode::reverse:
      case ir::Opcode::slice:
        return join_values(operand(0), result);
      case ir::Opcode::dynamic_update_slice:
        join_values(operand(0), result);
        return join_values(operand(1), result);
      case ir::Opcode::concatenate:
        for (std::size_t i = 0; i < instruction.operands.size(); ++i) join_values(operand(i), result);
        return;
      case ir::Opcode::tuple:
      case ir::Opcode::opt_barrier:
        return link_in_order(c, id);
      case ir::Opcode::get_tuple_element:
        return join_values(element(c, instruction.operands[0], instruction.index), result);
      case ir::Opcode::while_loop:
        join_values(operand(0), result);
        for (const ir::ComputationId called : instruction.called) link_call(called, 0, result);
        return join_values(root_of(instruction.called[1]), result);
      case ir::Opcode::conditional:
        for (std::size_t branch = 0; branch < instruction.called.size(); ++branch) {
          if (branch + 1 < instruction.operands.size()) link_call(instruction.called[branch], 0, operand(branch + 1));
          join_values(root_of(instruction.called[branch]), result);
        }
        return;
      case ir::Opcode::call:
        for (std::size_t i = 0; i < instruction.operands.size(); ++i) link_call(instruction.called[0], i, operand(i));
        return join_values(root_of(instruction.called[0]), result);
      default:
        return;
    }
  }

  /// Joins the arrays of all operands, one after the other, with those of the result.
  void link_in_order(ir::ComputationId c, ir::InstructionId id) {
    const auto result = arrays_of(c, id);
    std::size_t next = result.first;
    for (const ir::InstructionId operand : at(c, id).operands) {
      const auto arrays = arrays_of(c, operand);
      for (std::size_t i = arrays.first; i < arrays.second && next < result.second; ++i) join(i, next++);
    }
  }

  std::pair<std::size_t, std::size_t> element(ir::ComputationId c, ir::InstructionId tuple, std::int64_t index) {
    const std::size_t first = arrays_of(c, tuple).first;
    const ir::Shape& shape = at(c, tuple).shape;
    if (std::size_t(index) >= shape.tuple_shapes.size()) return {first, first};
    return {first + leaves_.before(shape, index), first + leaves_.before(shape, index + 1)};
  }

  std::pair<std::size_t, std::size_t> root_of(ir::ComputationId c) const {
    return arrays_of(c, module_.computations[std::size_t(c)].root);
  }

  void link_call(ir::ComputationId called, std::size_t parameter, std::pair<std::size_t, std::size_t> argument) {
    const ir::Computation& computation = module_.computations[std::size_t(called)];
    if (parameter < computation.parameters.size()) {
      join_values(argument, arrays_of(called, computation.parameters[parameter]));
    }
  }

  void link_donations() {
    const ir::Computation& entry = module_.entry_computation();
    for (const ir::Donation& donation : module_.donations) {
      if (std::size_t(donation.parameter) >= entry.parameters.size()) continue;
      const ir::InstructionId parameter = entry.parameters[std::size_t(donation.parameter)];
      join_values(part(parameter, donation.element), part(entry.root, donation.output));
    }
  }

  /// An element of a value of the entry, or the value if it is not a tuple.
  std::pair<std::size_t, std::size_t> part(ir::InstructionId id, std::int64_t index) {
    const bool is_tuple = module_.entry_computation()[id].shape.is_tuple();
    return is_tuple ? element(module_.entry, id, index) : arrays_of(module_.entry, id);
  }

  void link_transposition(ir::ComputationId c, ir::InstructionId id) {
    const ir::Instruction& move = at(c, id);
    if (move.opcode != ir::Opcode::transpose) return;
    const DimensionLinks::Correspondence to_operand(move.dimensions.begin(), move.dimensions.end());
    links_.join(arrays_of(c, id).first, arrays_of(c, move.operands[0]).first, to_operand);
  }

  std::vector<LayoutClass> classes() {
    std::vector<LayoutClass> classes;
    std::map<std::size_t, std::size_t> of_representative;
    std::vector<std::size_t> class_of(shapes_.size());
    std::vector<DimensionLinks::Correspondence> to_class;  // from the representative
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const DimensionLinks::Representative found = links_.find(i);
      const auto [known, is_new] = of_representative.try_emplace(found.array, classes.size());
      class_of[i] = known->second;
      DimensionLinks::Correspondence dimensions = found.dimensions;
      if (dimensions.empty()) {
        dimensions.resize(std::size_t(shapes_[i]->rank()));
        std::iota(dimensions.begin(), dimensions.end(), 0);
      }
      if (is_new) {
        classes.emplace_back();
        to_class.push_back(inverse(dimensions));
        if (const auto& order = links_.order(found.array)) classes.back().is_fixed = renamed(*order, to_class.back());
      }
      classes[known->second].members.push_back(
          {shapes_[i], places_[i], inverse(composed(dimensions, to_class[known->second]))});
    }
    for_each_instruction([&](ir::ComputationId c, ir::InstructionId id) {
      for (const ir::InstructionId operand : at(c, id).operands) {
        const bool reads_one = at(c, id).opcode == ir::Opcode::get_tuple_element;
        const auto arrays = reads_one ? element(c, operand, at(c, id).index) : arrays_of(c, operand);
        for (std::size_t i = arrays.first; i < arrays.second; ++i) {
          std::vector<InstructionPlace>& readers = classes[class_of[i]].readers;
          if (readers.empty() || readers.back() != InstructionPlace{c, id}) readers.push_back({c, id});
        }
      }
    });
    return classes;
  }

  ir::Module& module_;
  std::vector<bool> executed_;
  std::vector<std::vector<std::size_t>> first_;  ///< by computation and instruction: number of its first array; the end
  std::vector<ir::Shape*> shapes_;               ///< by number of the array
  std::vector<InstructionPlace> places_;
  DimensionLinks links_;
  ir::rules::TupleLeaves leaves_;
};

}  // namespace

std::vector<LayoutClass> layout_classes(ir::Module& module) { return Classifier(module).run(); }

}  // namespace podsim::sw::compiler::layout
