// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/array_links.h"

#include <algorithm>
#include <utility>

#include "hlo/rules/instruction_error.h"
#include "hlo/rules/tuple_leaves.h"

namespace podsim::hlo::spmd::propagate {
namespace {

class Collector {
 public:
  explicit Collector(const ArrayTable& table) : table_(table), module_(table.module()) {}

  ArrayLinks run() {
    table_.walk([this](hlo::ComputationId c, hlo::InstructionId id) { pass_in(c, id); },
                [this](hlo::ComputationId c, hlo::InstructionId id) {
                  rules::at_instruction(computation(c)[id].name, "partitioned", [&] { visit(c, id); });
                });
    for (const hlo::Donation& donation : module_.donations) donate(donation);
    for (ArrayLink& link : result_.links) order(link);
    return std::move(result_);
  }

 private:
  const hlo::Computation& computation(hlo::ComputationId c) const { return module_.computations[std::size_t(c)]; }

  /// Links a caller's operands to the parameters of the computations that it calls.
  void pass_in(hlo::ComputationId c, hlo::InstructionId id) {
    const hlo::Instruction& instruction = computation(c)[id];
    if (instruction.opcode == hlo::Opcode::while_loop)
      return join_equal(c, id, instruction.operands[0], 0, id, 0, true);
    const std::size_t first = instruction.opcode == hlo::Opcode::conditional ? 1 : 0;
    for (std::size_t i = first; i < instruction.operands.size(); ++i) {
      const hlo::ComputationId called = instruction.called[first > 0 ? i - 1 : 0];
      const hlo::InstructionId parameter = computation(called).parameters.at(first > 0 ? 0 : i);
      const ArrayId from = table_.first(c, instruction.operands[i]), to = table_.first(called, parameter);
      const int count = std::min(table_.count(c, instruction.operands[i]), table_.count(called, parameter));
      for (int k = 0; k < count; ++k) join_pair(c, id, from + k, to + k, true);
    }
  }

  void visit(hlo::ComputationId c, hlo::InstructionId id) {
    const hlo::Instruction& instruction = computation(c)[id];
    if (instruction.phase != hlo::AsyncPhase::none) return;
    switch (instruction.opcode) {
      case hlo::Opcode::while_loop:
      case hlo::Opcode::conditional:
      case hlo::Opcode::call:
      case hlo::Opcode::fusion:
        return;
      case hlo::Opcode::tuple: {
        int array = 0;
        for (const hlo::InstructionId operand : instruction.operands) {
          join_equal(c, id, operand, 0, id, array, false);
          array += table_.count(c, operand);
        }
        return;
      }
      case hlo::Opcode::get_tuple_element: {
        const hlo::InstructionId tuple = instruction.operands[0];
        const int array = int(leaves_.before(computation(c)[tuple].shape, instruction.index));
        return join_equal(c, id, tuple, array, id, 0, false);
      }
      case hlo::Opcode::custom_call:
        if (instruction.target == "SPMDFullToShardShape" || instruction.target == "SPMDShardToFullShape") {
          return join_border(c, id);
        }
        return join_by_rule(c, id);
      case hlo::Opcode::copy:
      case hlo::Opcode::domain:
        return join_equal(c, id, instruction.operands[0], 0, id, 0, false);
      default:
        return hlo::is_elementwise(instruction.opcode) ? join_elementwise(c, id) : join_by_rule(c, id);
    }
  }

  void donate(const hlo::Donation& donation) {
    const hlo::Computation& entry = computation(module_.entry);
    const hlo::Shape& root = entry[entry.root].shape;
    const hlo::InstructionId parameter = entry.parameters.at(std::size_t(donation.parameter));
    const auto [from, from_count] = element_arrays(entry[parameter].shape, donation.element);
    const auto [to, to_count] = element_arrays(root, donation.output);
    if (from_count != to_count) return;
    for (int k = 0; k < from_count; ++k) {
      join_pair(module_.entry, entry.root, table_.first(module_.entry, parameter) + from + k,
                table_.first(module_.entry, entry.root) + to + k, true);
    }
  }

  /// Index of the first array of a tuple's element, and the number of its arrays.
  std::pair<int, int> element_arrays(const hlo::Shape& shape, std::int64_t element) {
    if (!shape.is_tuple()) return {0, 1};
    const int first = int(leaves_.before(shape, element));
    return {first, int(leaves_.before(shape, element + 1)) - first};
  }

  /// Links the arrays of operand `from`, from number `from_array`, to those of `to` from number `to_array`.
  void join_equal(hlo::ComputationId c, hlo::InstructionId op, hlo::InstructionId from, int from_array,
                  hlo::InstructionId to, int to_array, bool is_agreement) {
    const int count = std::min(table_.count(c, from) - from_array, table_.count(c, to) - to_array);
    for (int k = 0; k < count; ++k) {
      join_pair(c, op, table_.first(c, from) + from_array + k, table_.first(c, to) + to_array + k, is_agreement);
    }
  }

  void join_pair(hlo::ComputationId c, hlo::InstructionId op, ArrayId from, ArrayId to, bool is_agreement) {
    if (table_.location(from).shape->rank() == 0) return;
    if (table_.location(from).shape->dimensions != table_.location(to).shape->dimensions) return;
    if (table_.representative(from) == table_.representative(to)) return;
    ArrayLink link;
    link.arrays = {from, to};
    link.inputs = 1;
    link.is_agreement = is_agreement;
    add(std::move(link), c, op);
  }

  void join_border(hlo::ComputationId c, hlo::InstructionId id) {
    const hlo::InstructionId operand = computation(c)[id].operands.at(0);
    if (computation(c)[id].shape.is_tuple() || computation(c)[operand].shape.is_tuple()) return;
    ArrayLink link;
    link.arrays = {table_.first(c, operand), table_.first(c, id)};
    link.inputs = 1;
    link.is_border = true;
    add(std::move(link), c, id);
  }

  void join_elementwise(hlo::ComputationId c, hlo::InstructionId id) {
    const ArrayId result = table_.first(c, id);
    if (table_.location(result).shape->rank() == 0) return;
    ArrayLink link;
    for (const hlo::InstructionId operand : computation(c)[id].operands) {
      const ArrayId array = table_.first(c, operand);
      const bool is_alike = table_.location(array).shape->rank() > 0;
      if (is_alike && std::ranges::find(link.arrays, array) == link.arrays.end()) link.arrays.push_back(array);
    }
    if (link.arrays.empty()) return;
    link.inputs = int(link.arrays.size());
    link.arrays.push_back(result);
    add(std::move(link), c, id);
  }

  ArrayLink::Stage stage_of(hlo::ComputationId c, const hlo::Instruction& instruction) const {
    switch (instruction.opcode) {
      case hlo::Opcode::transpose:
      case hlo::Opcode::reshape:
      case hlo::Opcode::bitcast:
      case hlo::Opcode::bitcast_convert:
      case hlo::Opcode::opt_barrier:
      case hlo::Opcode::add_dependency:
      case hlo::Opcode::custom_call:
      case hlo::Opcode::all_reduce:
      case hlo::Opcode::map:
        return ArrayLink::Stage::keeping;
      case hlo::Opcode::dynamic_slice:
      case hlo::Opcode::dynamic_update_slice:
        return ArrayLink::Stage::storing;
      case hlo::Opcode::broadcast: {
        const hlo::Shape& operand = computation(c)[instruction.operands[0]].shape;
        const bool is_reshape = operand.element_count() == instruction.shape.element_count();
        if (is_reshape || operand.rank() == instruction.shape.rank()) return ArrayLink::Stage::keeping;
        return hlo::is_floating_point(operand.element_type) ? ArrayLink::Stage::broadcasting : ArrayLink::Stage::other;
      }
      default:
        return ArrayLink::Stage::other;
    }
  }

  void join_by_rule(hlo::ComputationId c, hlo::InstructionId id) {
    const hlo::Instruction& instruction = computation(c)[id];
    if (instruction.operands.empty()) return;
    ArrayLink link;
    for (const hlo::InstructionId operand : instruction.operands) append_arrays(link, c, operand);
    link.inputs = int(link.arrays.size());
    append_arrays(link, c, id);
    OpRule rule = op_rule(module_, computation(c), id);
    // A factor that is whole or in one array only links no arrays.
    std::vector<int> uses(rule.factors.size(), 0);
    for (const std::vector<OpRule::Array>* arrays : {&rule.operands, &rule.results}) {
      for (const OpRule::Array& array : *arrays) {
        for (const std::vector<int>& dimension : array) {
          for (const int factor : dimension) ++uses[std::size_t(factor)];
        }
      }
    }
    bool joins = false;
    for (std::size_t f = 0; f < uses.size(); ++f) {
      joins = joins || (uses[f] > 1 && rule.factors[f].kind != Factor::Kind::whole);
    }
    if (!joins) return;
    link.stage = stage_of(c, instruction);
    link.rule = int(result_.rules.size());
    result_.rules.push_back(std::move(rule));
    add(std::move(link), c, id);
  }

  void append_arrays(ArrayLink& link, hlo::ComputationId c, hlo::InstructionId id) const {
    for (int k = 0; k < table_.count(c, id); ++k) link.arrays.push_back(table_.first(c, id) + k);
  }

  void add(ArrayLink link, hlo::ComputationId c, hlo::InstructionId op) {
    link.computation = c;
    link.op = op;
    result_.links.push_back(std::move(link));
  }

  void order(ArrayLink& link) const {
    for (int i = 0; i < int(link.arrays.size()); ++i) link.by_weight.push_back(i);
    const auto elements = [&](int i) { return table_.location(link.arrays[std::size_t(i)]).shape->element_count(); };
    std::ranges::stable_sort(link.by_weight, std::ranges::greater(), elements);
    // The result of a gather takes the sharding of its indices rather than that of the table.
    if (computation(link.computation)[link.op].opcode == hlo::Opcode::gather) {
      std::ranges::stable_partition(link.by_weight, [](int position) { return position == 1; });
    }
  }

  const ArrayTable& table_;
  const hlo::Module& module_;
  ArrayLinks result_;
  rules::TupleLeaves leaves_;
};

}  // namespace

ArrayLinks array_links(const ArrayTable& table) { return Collector(table).run(); }

}  // namespace podsim::hlo::spmd::propagate
