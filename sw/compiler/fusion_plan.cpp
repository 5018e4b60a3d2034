// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fusion_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sw/graph/flops.h"

namespace podsim::sw {
namespace {

bool is_expensive(const Instruction& instruction) {
  return instruction.opcode == Opcode::divide || instruction.opcode == Opcode::remainder ||
         is_transcendental(instruction.opcode);
}

/// The dimensions an op loops over: a reduction's are its input's.
const std::vector<std::int64_t>& iteration_dimensions(const Computation& computation, InstructionId id) {
  const Instruction& instruction = computation[id];
  InstructionId shaped = instruction.opcode == Opcode::reduce ? instruction.operands[0] : id;
  return computation[shaped].shape.dimensions;
}

class Planner {
 public:
  explicit Planner(const Computation& computation) : computation_(computation), users_(users_of(computation)) {
    plan_.inlined.assign(size(), false);
    plan_.group_of.assign(size(), -1);
    absorbed_.assign(size(), false);
    visited_.assign(size(), 0);
    read_.assign(size(), 0);
    for (const Instruction& instruction : computation.instructions) {
      fusible_.push_back(is_fusible_producer(instruction));
    }
    inputs_.resize(size());
  }

  FusionPlan run() {
    absorb_epilogues();
    count_sinks();
    decide_what_is_stored();
    form_groups();
    return std::move(plan_);
  }

 private:
  std::size_t size() const { return computation_.instructions.size(); }

  // Rule 1: the last value of each matmul's epilogue chain, from the last matmul to the first.
  void absorb_epilogues() {
    hero_of_.assign(size(), -1);
    chain_end_.assign(size(), -1);
    for (InstructionId hero = InstructionId(size()) - 1; hero >= 0; --hero) {
      if (!is_matmul(computation_[hero].opcode)) continue;
      std::vector<InstructionId> chain{hero};
      while (auto next = epilogue_of(chain.back())) chain.push_back(*next);
      // Readers can widen for themselves.
      while (computation_[chain.back()].opcode == Opcode::convert && bytes(chain.back()) > bytes(chain.end()[-2])) {
        chain.pop_back();
      }
      for (InstructionId id : chain) {
        absorbed_[id] = id != chain.back();
        chain_end_[id] = chain.back();
      }
      hero_of_[chain.back()] = hero;
    }
  }

  std::optional<InstructionId> epilogue_of(InstructionId id) const {
    if (users_[id].size() != 1 || id == computation_.root) return std::nullopt;
    InstructionId user = users_[id].front();
    const Instruction& instruction = computation_[user];
    bool fits = is_elementwise(instruction.opcode) && is_fusible_producer(instruction) && chain_end_[user] < 0 &&
                instruction.shape.dimensions == computation_[id].shape.dimensions;
    return fits ? std::optional(user) : std::nullopt;
  }

  // How many ops would read each value if everything that can be inlined were.
  void count_sinks() {
    sinks_.assign(size(), {});
    for (InstructionId id = InstructionId(size()) - 1; id >= 0; --id) {
      for (InstructionId user : users_[id]) {
        if (chain_end_[user] >= 0) {
          sinks_[id].insert(chain_end_[user]);
        } else if (is_fusible_producer(computation_[user]) && !sinks_[user].empty()) {
          sinks_[id].insert(sinks_[user].begin(), sinks_[user].end());
        } else {
          sinks_[id].insert(user);
        }
        if (sinks_[id].size() > kManySinks) break;
      }
    }
  }

  // Rule 2.
  void decide_what_is_stored() {
    stored_.assign(size(), false);
    expensive_.assign(size(), false);
    for (InstructionId id = 0; id < InstructionId(size()); ++id) {
      const Instruction& instruction = computation_[id];
      note_expense(id);
      if (absorbed_[id]) {
        plan_.inlined[id] = true;
      } else if (is_fusible_producer(instruction) && hero_of_[id] < 0) {
        stored_[id] = must_be_stored(id);
        plan_.inlined[id] = stored_[id] ? worth_recomputing_all_the_same(id) : !worth_storing(id);
      }
      stored_[id] = stored_[id] || !plan_.inlined[id];
    }
  }

  bool must_be_stored(InstructionId id) const {
    return id == computation_.root || std::ranges::any_of(users_[id], [&](InstructionId user) {
             return !takes_inlined_operands(computation_[user]);
           });
  }

  bool worth_storing(InstructionId id) const {
    const Instruction& instruction = computation_[id];
    if (instruction.opcode == Opcode::constant || instruction.opcode == Opcode::iota) return false;
    std::int64_t readers = std::int64_t(sinks_[id].size());
    if (readers <= 1 || better_stored_later(id)) return false;
    if (recomputing_is_expensive(id)) return true;
    std::int64_t to_store = bytes(id);
    for (InstructionId input : stored_inputs(computation_, plan_.inlined, id)) to_store += bytes(input);
    return bytes_to_recompute(id) > to_store + readers * bytes(id);
  }

  /// For a value that is stored in any case: readers that have its inputs at hand need not read it.
  bool worth_recomputing_all_the_same(InstructionId id) const {
    if (computation_[id].opcode == Opcode::constant) return true;
    return !recomputing_is_expensive(id) && bytes_to_recompute(id) < std::int64_t(sinks_[id].size()) * bytes(id);
  }

  /// What all readers of `id` together must read beyond what they read anyway if each recomputes it.
  std::int64_t bytes_to_recompute(InstructionId id) const {
    std::set<InstructionId> inputs = stored_inputs(computation_, plan_.inlined, id);
    std::int64_t sum = 0;
    for (InstructionId sink : sinks_[id]) {
      mark_read_without(sink, id);
      for (InstructionId input : inputs) sum += read_[input] == visit_ ? 0 : bytes(input);
    }
    return sum;
  }

  /// Marks, with this visit, the stored values that the op ending in `sink` reads other than through `without`; what is
  /// not decided yet counts as inlined.
  void mark_read_without(InstructionId sink, InstructionId without) const {
    ++visit_;
    visited_[without] = visit_;
    open_.assign(1, sink);
    while (!open_.empty()) {
      const InstructionId at = open_.back();
      open_.pop_back();
      for (InstructionId operand : computation_[at].operands) {
        if (std::exchange(visited_[operand], visit_) == visit_) continue;
        bool undecided = operand > without && fusible_[operand] && hero_of_[operand] < 0;
        bool own_chain = chain_end_[operand] >= 0 && chain_end_[operand] == chain_end_[sink];
        if (own_chain || undecided || (operand < without && plan_.inlined[operand])) {
          open_.push_back(operand);
        } else {
          read_[operand] = visit_;
        }
      }
    }
  }

  std::int64_t bytes(InstructionId id) const { return padded_bytes(computation_[id].shape).value(); }

  /// A value that only goes on into one elementwise op of no more bytes: storing that one serves as well and saves
  /// work.
  bool better_stored_later(InstructionId id) const {
    if (users_[id].size() != 1) return false;
    InstructionId user = users_[id].front();
    return is_fusible_producer(computation_[user]) && chain_end_[user] < 0 && bytes(user) <= bytes(id);
  }

  /// Division, roots and transcendentals, in the op itself or in what is inlined into it. Asked in program order.
  bool recomputing_is_expensive(InstructionId id) const { return expensive_[id]; }

  void note_expense(InstructionId id) {
    expensive_[id] = is_expensive(computation_[id]) ||
                     std::ranges::any_of(computation_[id].operands,
                                         [&](InstructionId o) { return plan_.inlined[o] && expensive_[o]; });
  }

  void form_groups() {
    for (InstructionId id = 0; id < InstructionId(size()); ++id) {
      const Instruction& instruction = computation_[id];
      if (!stored_[id] || is_source(instruction) || instruction.opcode == Opcode::tuple) continue;
      inputs_[id] = stored_inputs(computation_, plan_.inlined, id);
      int group = group_to_join(id);
      if (group < 0) {
        group = int(plan_.groups.size());
        plan_.groups.push_back({{}, hero_of_[id]});
      }
      plan_.groups[group].roots.push_back(id);
      plan_.group_of[id] = group;
    }
  }

  // Rule 3: the producer with the most bytes first, then a loop fusion that shares the most input bytes.
  int group_to_join(InstructionId id) const {
    const Instruction& instruction = computation_[id];
    bool loop = hero_of_[id] < 0 && (instruction.opcode == Opcode::reduce || is_fusible_producer(instruction));
    if (!loop) return -1;
    int best = -1;
    std::int64_t best_bytes = 0;
    auto consider = [&](int group, std::int64_t bytes) {
      if (group >= 0 && bytes > best_bytes && same_iteration(group, id) && can_join(group, id)) {
        best = group;
        best_bytes = bytes;
      }
    };
    for (InstructionId input : inputs_[id]) {
      consider(plan_.group_of[input], padded_bytes(computation_[input].shape).value());
    }
    if (best >= 0) return best;
    for (InstructionId input : inputs_[id]) {
      if (computation_[input].shape.dimensions != iteration_dimensions(computation_, id)) continue;
      for (InstructionId sibling : stored_readers(input, id)) {
        int group = plan_.group_of[sibling];
        if (plan_.groups[group].hero < 0) consider(group, padded_bytes(computation_[input].shape).value());
      }
    }
    return best;
  }

  bool same_iteration(int group, InstructionId id) const {
    InstructionId first = plan_.groups[group].roots.front();
    const Opcode opcode = computation_[first].opcode;
    bool fusible =
        plan_.groups[group].hero >= 0 || opcode == Opcode::reduce || is_fusible_producer(computation_[first]);
    return fusible && iteration_dimensions(computation_, first) == iteration_dimensions(computation_, id);
  }

  /// Stored values before `limit` that read `input`, through inlined ones.
  std::set<InstructionId> stored_readers(InstructionId input, InstructionId limit) const {
    std::set<InstructionId> readers;
    std::vector<InstructionId> open{input};
    std::set<InstructionId> seen;
    while (!open.empty()) {
      InstructionId id = open.back();
      open.pop_back();
      for (InstructionId user : users_[id]) {
        if (user >= limit || !seen.insert(user).second) continue;
        if (plan_.inlined[user]) {
          open.push_back(user);
        } else if (plan_.group_of[user] >= 0) {
          readers.insert(user);
        }
      }
    }
    return readers;
  }

  /// Whether every input of `id` is a root of the group, or does not depend on the group.
  bool can_join(int group, InstructionId id) const {
    const auto& roots = plan_.groups[group].roots;
    for (InstructionId input : inputs_[id]) {
      if (plan_.group_of[input] == group) continue;
      if (depends_on(input, roots)) return false;
    }
    return true;
  }

  /// Whether the op that stores `id` needs any of `roots`, following whole groups: an op starts when all it reads is
  /// there, whichever of its outputs is wanted.
  bool depends_on(InstructionId id, const std::vector<InstructionId>& roots) const {
    ++visit_;
    std::vector<InstructionId> open{id};
    while (!open.empty()) {
      InstructionId at = open.back();
      open.pop_back();
      if (std::ranges::find(roots, at) != roots.end()) return true;
      if (std::exchange(visited_[at], visit_) == visit_) continue;
      int group = plan_.group_of[at];
      if (group < 0) {
        open.insert(open.end(), computation_[at].operands.begin(), computation_[at].operands.end());
        continue;
      }
      for (InstructionId root : plan_.groups[group].roots) {
        if (std::exchange(visited_[root], visit_) == visit_ && root != at) continue;
        open.insert(open.end(), inputs_[root].begin(), inputs_[root].end());
      }
    }
    return false;
  }

  static constexpr std::size_t kManySinks = 16;  ///< more readers than this are not told apart

  const Computation& computation_;
  std::vector<std::vector<InstructionId>> users_;
  std::vector<bool> stored_;
  std::vector<bool> expensive_;           ///< to recompute
  std::vector<bool> absorbed_;            ///< inside an epilogue chain, not its end
  std::vector<InstructionId> chain_end_;  ///< the end of the epilogue chain an instruction belongs to, or -1
  std::vector<InstructionId> hero_of_;    ///< at a chain's end: its convolution or dot
  std::vector<std::set<InstructionId>> sinks_;
  std::vector<std::set<InstructionId>> inputs_;
  std::vector<bool> fusible_;
  mutable std::vector<int> visited_, read_;  ///< by the visit of this number
  mutable std::vector<InstructionId> open_;
  mutable int visit_ = 0;
  FusionPlan plan_;
};

}  // namespace

bool is_fusible_producer(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::broadcast:
    case Opcode::reshape:
    case Opcode::iota:
    case Opcode::constant:
    case Opcode::pad:
    case Opcode::slice:
      return true;
    case Opcode::copy:
      return false;
    default:
      return is_elementwise(instruction.opcode);
  }
}

bool is_source(const Instruction& instruction) {
  return instruction.opcode == Opcode::parameter || instruction.opcode == Opcode::get_tuple_element;
}

bool takes_inlined_operands(const Instruction& instruction) {
  return is_matmul(instruction.opcode) || instruction.opcode == Opcode::reduce ||
         instruction.opcode == Opcode::reduce_window || is_fusible_producer(instruction);
}

std::set<InstructionId> stored_inputs(const Computation& computation, const std::vector<bool>& inlined,
                                      InstructionId id) {
  std::set<InstructionId> stored;
  std::vector<InstructionId> open(computation[id].operands);
  if (!takes_inlined_operands(computation[id])) return {open.begin(), open.end()};
  std::set<InstructionId> seen;
  while (!open.empty()) {
    InstructionId at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    if (inlined[at]) {
      open.insert(open.end(), computation[at].operands.begin(), computation[at].operands.end());
    } else {
      stored.insert(at);
    }
  }
  return stored;
}

FusionPlan plan_fusion(const Computation& computation) { return Planner(computation).run(); }

}  // namespace podsim::sw
