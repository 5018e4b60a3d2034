// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/moved_reshapes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler::fuse {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::size_t max_values = 64;  ///< of one expression between two reshapes

/// Dimensions [from_begin, from_end) of one array that hold the same elements as [to_begin, to_end) of the other.
struct Run {
  std::size_t from_begin = 0, from_end = 0, to_begin = 0, to_end = 0;
};

/// The shortest runs of dimensions of equal products, in order. Both arrays have as many elements, at least one.
std::vector<Run> runs_between(const Sizes& from, const Sizes& to) {
  std::vector<Run> runs;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Run run{i, i, j, j};
    std::int64_t of_from = 1, of_to = 1;
    do {
      if (j == to.size() || (of_from <= of_to && i < from.size())) {
        of_from *= from[i++];
      } else {
        of_to *= to[j++];
      }
    } while (of_from != of_to);
    run.from_end = i;
    run.to_end = j;
    runs.push_back(run);
  }
  return runs;
}

/// Rewrites the expressions of one computation.
class Mover {
 public:
  explicit Mover(hlo::Computation& computation) : computation_(computation) {}

  void run() {
    bool changed = false;
    const hlo::InstructionId count = hlo::InstructionId(computation_.instructions.size());
    for (hlo::InstructionId id = 0; id < count; ++id) changed = move(id) || changed;
    if (changed) computation_ = in_order_of_need(std::move(computation_));
  }

 private:
  const hlo::Instruction& at(hlo::InstructionId id) const { return computation_[id]; }
  const Sizes& sizes(hlo::InstructionId id) const { return at(id).shape.dimensions; }

  bool move(hlo::InstructionId reshape) {
    if (at(reshape).opcode != hlo::Opcode::reshape || at(reshape).shape.element_count() == 0) return false;
    const hlo::InstructionId value = at(reshape).operands.front();
    if (!hlo::is_elementwise(at(value).opcode) || sizes(value) == sizes(reshape)) return false;
    if (!is_movable(value, sizes(reshape))) return false;
    write(reshape);
    return true;
  }

  /// True for an expression of elementwise values in the dimensions of `root`, of whose leaves some are reshapes of
  /// arrays of sizes `to` and the others broadcasts.
  bool is_movable(hlo::InstructionId root, const Sizes& to) const {
    bool has_array = false;
    std::vector<hlo::InstructionId> values{root};
    for (std::size_t next = 0; next < values.size(); ++next) {
      const hlo::InstructionId id = values[next];
      if (values.size() > max_values || sizes(id) != sizes(root)) return false;
      if (at(id).opcode == hlo::Opcode::broadcast) continue;
      if (at(id).opcode == hlo::Opcode::reshape) {
        if (sizes(at(id).operands.front()) != to) return false;
        has_array = true;
        continue;
      }
      if (!hlo::is_elementwise(at(id).opcode)) return false;
      for (const hlo::InstructionId operand : at(id).operands) {
        if (std::ranges::find(values, operand) == values.end()) values.push_back(operand);
      }
    }
    return has_array;
  }

  void write(hlo::InstructionId reshape) {
    to_ = sizes(reshape);
    runs_ = runs_between(sizes(at(reshape).operands.front()), to_);
    moved_.clear();
    hlo::Instruction last = computation_[moved(at(reshape).operands.front())];
    hlo::Instruction& written = computation_.instructions[std::size_t(reshape)];
    last.shape = written.shape;
    last.name = written.name;
    last.op_name = written.op_name;
    last.sharding = written.sharding;
    written = std::move(last);
  }

  /// A value of the expression in the dimensions of the reshape.
  hlo::InstructionId moved(hlo::InstructionId id) {
    if (const auto found = moved_.find(id); found != moved_.end()) return found->second;
    hlo::InstructionId result = -1;
    if (at(id).opcode == hlo::Opcode::reshape) {
      result = at(id).operands.front();
    } else if (at(id).opcode == hlo::Opcode::broadcast) {
      result = broadcast(id);
    } else {
      hlo::Instruction same = at(id);
      same.shape = hlo::make_shape(same.shape.element_type, to_);
      same.sharding = nullptr;
      for (hlo::InstructionId& operand : same.operands) operand = moved(operand);
      result = append(std::move(same), id);
    }
    moved_.emplace(id, result);
    return result;
  }

  hlo::InstructionId append(hlo::Instruction instruction, hlo::InstructionId source) {
    instruction.op_name = at(source).op_name;
    instruction.name = at(source).name + ".moved." + std::to_string(computation_.instructions.size());
    computation_.instructions.push_back(std::move(instruction));
    return hlo::InstructionId(computation_.instructions.size()) - 1;
  }

  hlo::InstructionId append(hlo::Opcode opcode, hlo::InstructionId operand, Sizes result, std::vector<int> dimensions,
                            hlo::InstructionId source) {
    hlo::Instruction instruction;
    instruction.opcode = opcode;
    instruction.operands = {operand};
    instruction.shape = hlo::make_shape(at(operand).shape.element_type, std::move(result));
    instruction.dimensions.assign(dimensions.begin(), dimensions.end());
    return append(std::move(instruction), source);
  }

  /// The broadcast `id`: over the runs that have dimensions of its operand, the operand is broadcast to
  /// the run and reshaped; then it is broadcast to the others.
  hlo::InstructionId broadcast(hlo::InstructionId id) {
    const std::vector<std::int64_t> of_operand(at(id).dimensions.begin(), at(id).dimensions.end());
    const Sizes from = sizes(id);
    Sizes spread, folded;                   // sizes of the runs that the operand is in, before and after the reshape
    std::vector<int> spread_at, folded_at;  // where the operand's dimensions are in `spread`, and `folded`'s in `to`
    std::vector<int> place(from.size(), -1);
    for (const Run& run : runs_) {
      const bool is_in = std::ranges::any_of(of_operand, [&](std::int64_t d) {
        return std::size_t(d) >= run.from_begin && std::size_t(d) < run.from_end;
      });
      if (!is_in) continue;
      for (std::size_t d = run.from_begin; d < run.from_end; ++d) {
        place[d] = int(spread.size());
        spread.push_back(from[d]);
      }
      for (std::size_t d = run.to_begin; d < run.to_end; ++d) {
        folded.push_back(to_[d]);
        folded_at.push_back(int(d));
      }
    }
    for (const std::int64_t d : of_operand) spread_at.push_back(place[std::size_t(d)]);
    hlo::InstructionId value = at(id).operands.front();
    const bool is_spread = spread != sizes(value) || !std::ranges::is_sorted(spread_at);
    if (is_spread) value = append(hlo::Opcode::broadcast, value, spread, spread_at, id);
    if (folded != spread) value = append(hlo::Opcode::reshape, value, folded, {}, id);
    return append(hlo::Opcode::broadcast, value, to_, folded_at, id);
  }

  hlo::Computation& computation_;
  Sizes to_;               ///< of the reshape whose expression is written
  std::vector<Run> runs_;  ///< from the dimensions of the expression to these
  std::map<hlo::InstructionId, hlo::InstructionId> moved_;
};

}  // namespace

void move_reshapes_to_statistics(hlo::Computation& computation) { Mover(computation).run(); }

}  // namespace podsim::sw::compiler::fuse
