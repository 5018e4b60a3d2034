// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/layout_classes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "hlo/op_table.h"
#include "hlo/rules/row_indexing.h"
#include "hlo/rules/tuple_leaves.h"
#include "sw/compiler/layout/dimension_links.h"

namespace podsim::sw::compiler::layout {
namespace {

/// A shape, or the elements of a tuple, in order.
void collect_arrays(hlo::Shape& shape, std::vector<hlo::Shape*>& arrays) {
  if (!shape.is_tuple()) {
    arrays.push_back(&shape);
    return;
  }
  for (hlo::Shape& element : shape.tuple_shapes) collect_arrays(element, arrays);
}

class Classifier {
 public:
  static const hlo::OpTable<void (Classifier::*)(hlo::ComputationId, hlo::InstructionId)> rules;

  explicit Classifier(hlo::Module& module)
      : module_(module), executed_(hlo::executed_computations(module)), links_(number_arrays()) {}

  std::vector<LayoutClass> run() {
    for_each_instruction([&](hlo::ComputationId c, hlo::InstructionId id) { fix_given(arrays_of(c, id)); });
    for_each_instruction([&](hlo::ComputationId c, hlo::InstructionId id) {
      if (takes_order_of_text(module_.computations[std::size_t(c)], at(c, id))) fix_all(c, id);
    });
    for_each_instruction([&](hlo::ComputationId c, hlo::InstructionId id) { link(c, id); });
    link_donations();
    for_each_instruction([&](hlo::ComputationId c, hlo::InstructionId id) { link_transposition(c, id); });
    return classes();
  }

 private:
  template <typename Function>
  void for_each_instruction(const Function& function) {
    for (hlo::ComputationId c = 0; c < hlo::ComputationId(module_.computations.size()); ++c) {
      if (!executed_[std::size_t(c)]) continue;
      const auto size = hlo::InstructionId(module_.computations[std::size_t(c)].instructions.size());
      for (hlo::InstructionId id = 0; id < size; ++id) function(c, id);
    }
  }

  std::size_t number_arrays() {
    first_.resize(module_.computations.size());
    for_each_instruction([&](hlo::ComputationId c, hlo::InstructionId id) {
      std::vector<std::size_t>& first = first_[std::size_t(c)];
      if (first.empty()) first.push_back(shapes_.size());
      collect_arrays(module_.computations[std::size_t(c)][id].shape, shapes_);
      places_.resize(shapes_.size(), {c, id});
      first.push_back(shapes_.size());
    });
    return shapes_.size();
  }

  const hlo::Instruction& at(hlo::ComputationId c, hlo::InstructionId id) const {
    return module_.computations[std::size_t(c)][id];
  }

  /// Numbers of the first array of a value and of the one after its last.
  std::pair<std::size_t, std::size_t> arrays_of(hlo::ComputationId c, hlo::InstructionId id) const {
    const std::vector<std::size_t>& first = first_[std::size_t(c)];
    return {first[std::size_t(id)], first[std::size_t(id) + 1]};
  }

  static std::vector<int> order_of(const hlo::Shape& shape) {
    std::vector<int> order;
    for (int i = 0; i < shape.rank(); ++i) order.push_back(shape.minor_dimension(i));
    return order;
  }

  void fix_given(std::pair<std::size_t, std::size_t> arrays) {
    for (std::size_t i = arrays.first; i < arrays.second; ++i) {
      const hlo::Shape& shape = *shapes_[i];
      if (!shape.minor_to_major.empty() || !shape.tile.empty()) links_.fix(i, order_of(shape));
    }
  }

  void fix_order(std::pair<std::size_t, std::size_t> arrays) {
    for (std::size_t i = arrays.first; i < arrays.second; ++i) links_.fix(i, order_of(*shapes_[i]));
  }

  void fix_all(hlo::ComputationId c, hlo::InstructionId id) {
    fix_order(arrays_of(c, id));
    for (const hlo::InstructionId operand : at(c, id).operands) fix_order(arrays_of(c, operand));
  }

  static bool takes_order_of_text(const hlo::Computation& computation, const hlo::Instruction& instruction);

  /// Joins two arrays of one rank with their dimensions in the same order.
  void join(std::size_t a, std::size_t b) {
    if (shapes_[a]->rank() == shapes_[b]->rank()) links_.join(a, b, {});
  }

  /// Joins the arrays of two values of the same structure.
  void join_values(std::pair<std::size_t, std::size_t> a, std::pair<std::size_t, std::size_t> b) {
    if (a.second - a.first != b.second - b.first) return;
    for (std::size_t i = 0; a.first + i < a.second; ++i) join(a.first + i, b.first + i);
  }

  void link(hlo::ComputationId c, hlo::InstructionId id);

  std::pair<std::size_t, std::size_t> operand_of(hlo::ComputationId c, hlo::InstructionId id, std::size_t i) const {
    return arrays_of(c, at(c, id).operands[i]);
  }

  /// Joins the arrays of all operands, one after the other, with those of the result.
  void link_in_order(hlo::ComputationId c, hlo::InstructionId id) {
    const auto result = arrays_of(c, id);
    std::size_t next = result.first;
    for (const hlo::InstructionId operand : at(c, id).operands) {
      const auto arrays = arrays_of(c, operand);
      for (std::size_t i = arrays.first; i < arrays.second && next < result.second; ++i) join(i, next++);
    }
  }

  void link_nothing(hlo::ComputationId, hlo::InstructionId) {}

  void link_elementwise(hlo::ComputationId c, hlo::InstructionId id) {
    for (std::size_t i = 0; i < at(c, id).operands.size(); ++i) {
      if (at(c, at(c, id).operands[i]).shape.dimensions == at(c, id).shape.dimensions)
        join_values(operand_of(c, id, i), arrays_of(c, id));
    }
  }

  void link_first(hlo::ComputationId c, hlo::InstructionId id) { join_values(operand_of(c, id, 0), arrays_of(c, id)); }

  void link_update(hlo::ComputationId c, hlo::InstructionId id) {
    for (const std::size_t i : {0U, 1U}) join_values(operand_of(c, id, i), arrays_of(c, id));
  }

  void link_all(hlo::ComputationId c, hlo::InstructionId id) {
    for (std::size_t i = 0; i < at(c, id).operands.size(); ++i) join_values(operand_of(c, id, i), arrays_of(c, id));
  }

  /// How a gather or scatter of one array indexes its rows.
  static std::optional<hlo::rules::RowIndexing> rows_of(const hlo::Computation& computation,
                                                        const hlo::Instruction& op) {
    const bool is_gather = op.opcode == hlo::Opcode::gather;
    if (op.operands.size() != (is_gather ? 2 : 3)) return std::nullopt;
    const hlo::Shape& array = computation[op.operands[0]].shape;
    const hlo::Shape& rows = is_gather ? op.shape : computation[op.operands[2]].shape;
    const auto found = hlo::rules::row_indexing(op.gather, array, computation[op.operands[1]].shape, rows);
    // The sublanes of a table are its rows. One whose lanes the text indexes is better the other way around.
    if (found && array.rank() < 3 && found->dimension == 0) return std::nullopt;
    return found;
  }

  /// Joins the dimensions of an array with those of its rows, the indexed one with the number of the row.
  void link_rows(hlo::ComputationId c, hlo::InstructionId id) {
    const std::optional<hlo::rules::RowIndexing> found = rows_of(module_.computations[std::size_t(c)], at(c, id));
    if (!found) return;
    fix_order(operand_of(c, id, 1));
    const bool is_gather = at(c, id).opcode == hlo::Opcode::gather;
    const std::size_t array = operand_of(c, id, 0).first;
    if (!is_gather) join(array, arrays_of(c, id).first);
    DimensionLinks::Correspondence to_rows;
    int next = 0;
    for (int d = 0; d < shapes_[array]->rank(); ++d) {
      if (d == found->dimension) {
        to_rows.push_back(found->batch_dimension);
        continue;
      }
      next += next == found->batch_dimension ? 1 : 0;
      to_rows.push_back(next++);
    }
    const std::size_t rows = is_gather ? arrays_of(c, id).first : operand_of(c, id, 2).first;
    if (!links_.join(array, rows, to_rows)) fix_all(c, id);
    indexed_.emplace_back(array, found->dimension);
    indexed_.emplace_back(rows, found->batch_dimension);
  }

  void link_element(hlo::ComputationId c, hlo::InstructionId id) {
    join_values(element(c, at(c, id).operands[0], at(c, id).index), arrays_of(c, id));
  }

  void link_loop(hlo::ComputationId c, hlo::InstructionId id) {
    link_first(c, id);
    for (const hlo::ComputationId called : at(c, id).called) link_call(called, 0, arrays_of(c, id));
    join_values(root_of(at(c, id).called[1]), arrays_of(c, id));
  }

  void link_branches(hlo::ComputationId c, hlo::InstructionId id) {
    const std::vector<hlo::ComputationId>& called = at(c, id).called;
    for (std::size_t branch = 0; branch < called.size(); ++branch) {
      if (branch + 1 < at(c, id).operands.size()) link_call(called[branch], 0, operand_of(c, id, branch + 1));
      join_values(root_of(called[branch]), arrays_of(c, id));
    }
  }

  void link_called(hlo::ComputationId c, hlo::InstructionId id) {
    const hlo::ComputationId called = at(c, id).called[0];
    for (std::size_t i = 0; i < at(c, id).operands.size(); ++i) link_call(called, i, operand_of(c, id, i));
    join_values(root_of(called), arrays_of(c, id));
  }

  std::pair<std::size_t, std::size_t> element(hlo::ComputationId c, hlo::InstructionId tuple, std::int64_t index) {
    const std::size_t first = arrays_of(c, tuple).first;
    const hlo::Shape& shape = at(c, tuple).shape;
    if (std::size_t(index) >= shape.tuple_shapes.size()) return {first, first};
    return {first + leaves_.before(shape, index), first + leaves_.before(shape, index + 1)};
  }

  std::pair<std::size_t, std::size_t> root_of(hlo::ComputationId c) const {
    return arrays_of(c, module_.computations[std::size_t(c)].root);
  }

  void link_call(hlo::ComputationId called, std::size_t parameter, std::pair<std::size_t, std::size_t> argument) {
    const hlo::Computation& computation = module_.computations[std::size_t(called)];
    if (parameter < computation.parameters.size()) {
      join_values(argument, arrays_of(called, computation.parameters[parameter]));
    }
  }

  void link_donations() {
    const hlo::Computation& entry = module_.entry_computation();
    for (const hlo::Donation& donation : module_.donations) {
      if (std::size_t(donation.parameter) >= entry.parameters.size()) continue;
      const hlo::InstructionId parameter = entry.parameters[std::size_t(donation.parameter)];
      join_values(part(parameter, donation.element), part(entry.root, donation.output));
    }
  }

  /// An element of a value of the entry, or the value if it is not a tuple.
  std::pair<std::size_t, std::size_t> part(hlo::InstructionId id, std::int64_t index) {
    const bool is_tuple = module_.entry_computation()[id].shape.is_tuple();
    return is_tuple ? element(module_.entry, id, index) : arrays_of(module_.entry, id);
  }

  void link_transposition(hlo::ComputationId c, hlo::InstructionId id) {
    const hlo::Instruction& move = at(c, id);
    if (move.opcode != hlo::Opcode::transpose) return;
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
    for (const auto& [array, dimension] : indexed_) {
      LayoutClass& found = classes[class_of[array]];
      const auto member = std::ranges::find(found.members, shapes_[array], &ClassMember::shape);
      const auto of_class = std::ranges::find(member->dimension, dimension) - member->dimension.begin();
      found.indexed.push_back(int(of_class));
    }
    for_each_instruction([&](hlo::ComputationId c, hlo::InstructionId id) {
      for (const hlo::InstructionId operand : at(c, id).operands) {
        const bool reads_one = at(c, id).opcode == hlo::Opcode::get_tuple_element;
        const auto arrays = reads_one ? element(c, operand, at(c, id).index) : arrays_of(c, operand);
        for (std::size_t i = arrays.first; i < arrays.second; ++i) {
          std::vector<InstructionPlace>& readers = classes[class_of[i]].readers;
          if (readers.empty() || readers.back() != InstructionPlace{c, id}) readers.push_back({c, id});
        }
      }
    });
    return classes;
  }

  hlo::Module& module_;
  std::vector<bool> executed_;
  std::vector<std::vector<std::size_t>> first_;  ///< by computation and instruction: number of its first array; the end
  std::vector<hlo::Shape*> shapes_;              ///< by number of the array
  std::vector<InstructionPlace> places_;
  DimensionLinks links_;
  std::vector<std::pair<std::size_t, int>> indexed_;  ///< arrays and their dimensions
  hlo::rules::TupleLeaves leaves_;
};

using hlo::Opcode;
using LayoutRule = void (Classifier::*)(hlo::ComputationId, hlo::InstructionId);

/// An operation with a rule takes any order of dimensions; the rule joins arrays that have the same one.
constexpr hlo::OpTable<LayoutRule> Classifier::rules({
    hlo::of_elementwise<LayoutRule>({&Classifier::link_elementwise}),
    hlo::yes<LayoutRule>(&Classifier::link_elementwise, Opcode::map),
    hlo::of_collectives<LayoutRule>({&Classifier::link_in_order}),
    hlo::yes<LayoutRule>(&Classifier::link_in_order, Opcode::opt_barrier, Opcode::recv, Opcode::send, Opcode::tuple),
    hlo::yes<LayoutRule>(&Classifier::link_first, Opcode::add_dependency, Opcode::domain, Opcode::dynamic_slice,
                         Opcode::pad, Opcode::reduce_window, Opcode::reverse, Opcode::slice),
    hlo::yes<LayoutRule>(&Classifier::link_update, Opcode::dynamic_update_slice),
    hlo::yes<LayoutRule>(&Classifier::link_all, Opcode::concatenate),
    hlo::yes<LayoutRule>(&Classifier::link_element, Opcode::get_tuple_element),
    hlo::yes<LayoutRule>(&Classifier::link_rows, Opcode::gather, Opcode::scatter),
    hlo::yes<LayoutRule>(&Classifier::link_loop, Opcode::while_loop),
    hlo::yes<LayoutRule>(&Classifier::link_branches, Opcode::conditional),
    hlo::yes<LayoutRule>(&Classifier::link_called, Opcode::call),
    hlo::yes<LayoutRule>(&Classifier::link_nothing, Opcode::after_all, Opcode::broadcast, Opcode::constant,
                         Opcode::convolution, Opcode::dot, Opcode::infeed, Opcode::iota, Opcode::outfeed,
                         Opcode::parameter, Opcode::partition_id, Opcode::reduce, Opcode::replica_id, Opcode::reshape,
                         Opcode::rng, Opcode::transpose),
    hlo::no<LayoutRule>("it keeps the order that its text says or implies", Opcode::batch_norm_grad,
                        Opcode::batch_norm_inference, Opcode::batch_norm_training, Opcode::bitcast,
                        Opcode::bitcast_convert, Opcode::cholesky, Opcode::custom_call, Opcode::dynamic_reshape,
                        Opcode::fft, Opcode::fusion, Opcode::get_dimension_size, Opcode::ragged_dot, Opcode::recv_done,
                        Opcode::rng_bit_generator, Opcode::rng_get_and_update_state, Opcode::scaled_dot, Opcode::scan,
                        Opcode::select_and_scatter, Opcode::send_done, Opcode::set_dimension_size, Opcode::sort,
                        Opcode::topk, Opcode::triangular_solve, Opcode::tuple_select),
    hlo::no_of_text_forms<LayoutRule>(),
});

bool Classifier::takes_order_of_text(const hlo::Computation& computation, const hlo::Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::gather || opcode == Opcode::scatter) return !rows_of(computation, instruction);
  if (instruction.phase != hlo::AsyncPhase::none || opcode == Opcode::unknown || !rules[opcode]) return true;
  return (opcode == Opcode::reduce || opcode == Opcode::reduce_window) && instruction.shape.is_tuple();
}

void Classifier::link(hlo::ComputationId c, hlo::InstructionId id) {
  const hlo::Instruction& instruction = at(c, id);
  if (instruction.phase != hlo::AsyncPhase::none || instruction.opcode == Opcode::unknown) return;
  if (const hlo::OpAnswer<LayoutRule>& answer = rules[instruction.opcode]) (this->*answer.rule)(c, id);
}

}  // namespace

const char* why_order_of_text(hlo::Opcode opcode) { return Classifier::rules.why_not(opcode); }

std::vector<LayoutClass> layout_classes(hlo::Module& module) { return Classifier(module).run(); }

}  // namespace podsim::sw::compiler::layout
