// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/folded_weights.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "hlo/instruction_identity.h"
#include "hlo/transform/forward_part.h"
#include "hlo/transform/loop_state.h"
#include "hlo/weights/moves.h"

namespace podsim::hlo::weights {
namespace {

/// What a value is made of.
struct Origin {
  bool fixed = false;               ///< of weights and constants alone
  bool computed = false;            ///< by more than moves
  std::set<InstructionId> weights;  ///< entry parameters
};

class Folding {
 public:
  Folding(const Computation& entry, std::span<const std::int64_t> weights)
      : entry_(entry), origins_(entry.instructions.size()) {
    for (const std::int64_t number : weights) {
      const InstructionId id = entry.parameters[std::size_t(number)];
      origins_[std::size_t(id)] = {.fixed = true, .computed = false, .weights = {id}};
    }
    for (InstructionId id = 0; id < InstructionId(entry.instructions.size()); ++id) {
      if (entry[id].opcode != Opcode::parameter) origins_[std::size_t(id)] = origin_of(id);
    }
  }

  /// Values that become parameters: the last that are computed from weights alone. An array is left where it is if one
  /// of its weights would have to be kept as well.
  std::vector<InstructionId> folded() const {
    const std::vector<bool> read = read_by_what_stays();
    std::vector<InstructionId> last;
    std::map<InstructionId, int> readers;
    for (InstructionId id = 0; id < InstructionId(origins_.size()); ++id) {
      if (!read[std::size_t(id)]) continue;
      const Origin& origin = origins_[std::size_t(id)];
      const bool is_weight = entry_[id].opcode == Opcode::parameter;
      if (!is_weight && (!is_folded(id) || moves(id))) continue;
      if (!is_weight) last.push_back(id);
      for (const InstructionId weight : origin.weights) ++readers[weight];
    }
    std::erase_if(last, [&](InstructionId id) {
      return std::ranges::any_of(origins_[std::size_t(id)].weights, [&](InstructionId weight) {
        return entry_[weight].shape.rank() > 1 && readers.at(weight) > 1;
      });
    });
    return last;
  }

  /// The weight that has most elements of those that a value is made of.
  InstructionId largest_weight(InstructionId id) const {
    const std::set<InstructionId>& weights = origins_[std::size_t(id)].weights;
    return *std::ranges::max_element(weights, {}, [&](InstructionId w) { return entry_[w].shape.element_count(); });
  }

 private:
  /// By value, whether something reads it that is computed in the program, also through moves.
  std::vector<bool> read_by_what_stays() const {
    std::vector<bool> read(origins_.size(), false);
    read[std::size_t(entry_.root)] = true;
    for (auto id = InstructionId(origins_.size()); id-- > 0;) {
      if (is_folded(id) && !(read[std::size_t(id)] && moves(id))) continue;
      for (const InstructionId operand : entry_[id].operands) read[std::size_t(operand)] = true;
    }
    return read;
  }

  bool moves(InstructionId id) const { return moves_elements(entry_[id]) || entry_[id].opcode == Opcode::convert; }

  Origin origin_of(InstructionId id) const {
    const Instruction& instruction = entry_[id];
    Origin origin;
    const bool is_array = !instruction.shape.is_tuple() && is_shareable(instruction.opcode) &&
                          !is_collective(instruction.opcode) && instruction.phase == AsyncPhase::none;
    if (!is_array) return origin;
    origin.fixed = true;
    origin.computed = !moves(id) && !instruction.operands.empty();
    for (const InstructionId operand : instruction.operands) {
      const Origin& of = origins_[std::size_t(operand)];
      if (!of.fixed) return {};
      origin.computed = origin.computed || of.computed;
      origin.weights.insert(of.weights.begin(), of.weights.end());
    }
    return origin;
  }

  /// Whether a value need not be computed in the program.
  bool is_folded(InstructionId id) const {
    const Origin& origin = origins_[std::size_t(id)];
    if (!origin.fixed || !origin.computed || origin.weights.empty()) return false;
    if (moves(id)) return true;
    std::int64_t elements = 0;
    for (const InstructionId weight : origin.weights) elements += entry_[weight].shape.element_count();
    return entry_[id].shape.element_count() <= elements;
  }

  const Computation& entry_;
  std::vector<Origin> origins_;
};

}  // namespace

FoldedWeights with_folded_weights(Module module, std::span<const std::int64_t> weights) {
  FoldedWeights result;
  Computation& entry = module.computations[std::size_t(module.entry)];
  const Folding folding(entry, weights);
  const std::vector<InstructionId> folded = folding.folded();
  std::set<std::string> names;
  for (const Instruction& instruction : entry.instructions) names.insert(instruction.name);
  std::vector<Instruction> made;
  for (const InstructionId id : folded) {
    const Instruction& weight = entry[folding.largest_weight(id)];
    Instruction parameter;
    parameter.opcode = Opcode::parameter;
    parameter.shape = entry[id].shape;
    parameter.name = weight.name + "/folded";
    for (int i = 1; !names.insert(parameter.name).second; ++i)
      parameter.name = weight.name + "/folded." + std::to_string(i);
    if (!weight.op_name.empty()) parameter.op_name = weight.op_name + parameter.name.substr(weight.name.size());
    parameter.source = weight.source;
    parameter.sharding = entry[id].sharding;
    if (!parameter.sharding && weight.shape.dimensions == parameter.shape.dimensions)
      parameter.sharding = weight.sharding;
    made.push_back(std::move(parameter));
  }
  const std::size_t before = entry.parameters.size();
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].index = std::int64_t(entry.parameters.size());
    entry.parameters.push_back(folded[i]);
    entry[folded[i]] = std::move(made[i]);
  }
  transform::drop_dead(entry);
  std::vector<std::int64_t> donated;
  for (const Donation& donation : module.donations) donated.push_back(donation.parameter);
  result.parameters = transform::drop_unread_parameters(entry, donated);
  transform::drop_dead(entry);
  for (Donation& donation : module.donations) {
    donation.parameter = std::ranges::find(result.parameters, donation.parameter) - result.parameters.begin();
  }
  for (std::int64_t& number : result.parameters) number = number < std::int64_t(before) ? number : -1;
  result.module = std::move(module);
  return result;
}

}  // namespace podsim::hlo::weights
