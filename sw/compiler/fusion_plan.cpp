// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fusion_plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
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

/// The operands of all instructions side by side: walks that visit many of them stay in few cache lines.
class Operands {
 public:
  explicit Operands(const Computation& computation) {
    for (const Instruction& instruction : computation.instructions) {
      first_.push_back(all_.size());
      all_.insert(all_.end(), instruction.operands.begin(), instruction.operands.end());
    }
    first_.push_back(all_.size());
  }
  std::span<const InstructionId> of(InstructionId id) const {
    return std::span(all_).subspan(first_[id], first_[id + 1] - first_[id]);
  }

 private:
  std::vector<InstructionId> all_;
  std::vector<std::size_t> first_;
};

class Planner {
 public:
  explicit Planner(const Computation& computation)
      : computation_(computation), operands_(computation), users_(users_of(computation)) {
    plan_.inlined.assign(size(), false);
    plan_.group_of.assign(size(), -1);
    absorbed_.assign(size(), false);
    visited_.assign(size(), 0);
    read_.assign(size(), 0);
    for (const Instruction& instruction : computation.instructions) {
      bytes_.push_back(padded_bytes(instruction.shape).value());
    }
    inputs_.resize(size());
  }

  FusionPlan run() {
    absorb_epilogues();
    find_what_may_be_inlined();
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

  void find_what_may_be_inlined() {
    for (InstructionId id = 0; id < InstructionId(size()); ++id) {
      may_be_inlined_.push_back(is_fusible_producer(computation_[id]) && hero_of_[id] < 0);
    }
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
    for (InstructionId input : stored_inputs(id)) to_store += bytes(input);
    return recomputing_reads_more_than(to_store + readers * bytes(id), id);
  }

  /// For a value that is stored in any case: readers that have its inputs at hand need not read it.
  bool worth_recomputing_all_the_same(InstructionId id) const {
    if (computation_[id].opcode == Opcode::constant) return true;
    return !recomputing_is_expensive(id) &&
           !recomputing_reads_more_than(std::int64_t(sinks_[id].size()) * bytes(id) - 1, id);
  }

  /// Whether all readers of `id` together must read more bytes than so many, beyond what they read anyway, if each
  /// recomputes it.
  bool recomputing_reads_more_than(std::int64_t limit, InstructionId id) const {
    const std::vector<InstructionId> inputs = stored_inputs(id);
    std::int64_t sum = 0;
    for (InstructionId sink : sinks_[id]) {
      mark_read_without(sink, id);
      for (InstructionId input : inputs) sum += read_[input] == visit_ ? 0 : bytes(input);
      if (sum > limit) return true;
    }
    return sum > limit;
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
      for (InstructionId operand : operands_.of(at)) {
        if (std::exchange(visited_[operand], visit_) == visit_) continue;
        bool undecided = operand > without && may_be_inlined_[operand];
        bool own_chain = chain_end_[operand] >= 0 && chain_end_[operand] == chain_end_[sink];
        if (own_chain || undecided || (operand < without && plan_.inlined[operand])) {
          open_.push_back(operand);
        } else {
          read_[operand] = visit_;
        }
      }
    }
  }

  /// Stored instructions that `id` reads, through inlined ones; in ascending order.
  std::vector<InstructionId> stored_inputs(InstructionId id) const {
    const bool through = takes_inlined_operands(computation_[id]);
    std::vector<InstructionId> stored;
    ++visit_;
    open_.assign(1, id);
    while (!open_.empty()) {
      const InstructionId at = open_.back();
      open_.pop_back();
      for (InstructionId operand : operands_.of(at)) {
        if (std::exchange(visited_[operand], visit_) == visit_) continue;
        (through && plan_.inlined[operand] ? open_ : stored).push_back(operand);
      }
    }
    std::ranges::sort(stored);
    return stored;
  }

  std::int64_t bytes(InstructionId id) const { return bytes_[id]; }

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
      inputs_[id] = stored_inputs(id);
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
    std::set<int> refused;
    auto consider = [&](int group, std::int64_t bytes) {
      if (group < 0 || bytes <= best_bytes || refused.contains(group)) return;
      if (!same_iteration(group, id) || !can_join(group, id)) {
        refused.insert(group);
        return;
      }
      best = group;
      best_bytes = bytes;
    };
    for (InstructionId input : inputs_[id]) consider(plan_.group_of[input], bytes(input));
    if (best >= 0) return best;
    for (InstructionId input : inputs_[id]) {
      if (computation_[input].shape.dimensions != iteration_dimensions(computation_, id)) continue;
      for (InstructionId sibling : stored_readers(input, id)) {
        int group = plan_.group_of[sibling];
        if (plan_.groups[group].hero < 0) consider(group, bytes(input));
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

  /// Stored values before `limit` that read `input`, through inlined ones; in ascending order.
  std::vector<InstructionId> stored_readers(InstructionId input, InstructionId limit) const {
    std::vector<InstructionId> readers;
    ++visit_;
    open_.assign(1, input);
    while (!open_.empty()) {
      InstructionId id = open_.back();
      open_.pop_back();
      for (InstructionId user : users_[id]) {
        if (user >= limit || std::exchange(visited_[user], visit_) == visit_) continue;
        if (plan_.inlined[user]) {
          open_.push_back(user);
        } else if (plan_.group_of[user] >= 0) {
          readers.push_back(user);
        }
      }
    }
    std::ranges::sort(readers);
    return readers;
  }

  /// Whether every input of `id` is a root of the group, or does not depend on the group. Whole groups are followed: an
  /// op starts when all it reads is there, whichever of its outputs is wanted.
  bool can_join(int group, InstructionId id) const {
    ++visit_;
    open_.clear();
    for (InstructionId input : inputs_[id]) {
      if (plan_.group_of[input] != group) open_.push_back(input);
    }
    while (!open_.empty()) {
      const InstructionId at = open_.back();
      open_.pop_back();
      const int of = plan_.group_of[at];
      if (of == group) return false;
      if (std::exchange(visited_[at], visit_) == visit_) continue;
      if (of < 0) {
        open_.insert(open_.end(), operands_.of(at).begin(), operands_.of(at).end());
        continue;
      }
      for (InstructionId root : plan_.groups[of].roots) {
        if (std::exchange(visited_[root], visit_) == visit_ && root != at) continue;
        open_.insert(open_.end(), inputs_[root].begin(), inputs_[root].end());
      }
    }
    return true;
  }

  static constexpr std::size_t kManySinks = 16;  ///< more readers than this are not told apart

  const Computation& computation_;
  Operands operands_;
  std::vector<std::vector<InstructionId>> users_;
  std::vector<std::int64_t> bytes_;  ///< padded
  std::vector<bool> stored_;
  std::vector<bool> expensive_;           ///< to recompute
  std::vector<bool> absorbed_;            ///< inside an epilogue chain, not its end
  std::vector<InstructionId> chain_end_;  ///< the end of the epilogue chain an instruction belongs to, or -1
  std::vector<InstructionId> hero_of_;    ///< at a chain's end: its convolution or dot
  std::vector<std::set<InstructionId>> sinks_;
  std::vector<std::vector<InstructionId>> inputs_;  ///< of stored values: stored_inputs()
  std::vector<char> may_be_inlined_;                ///< fusible producers but for the ends of epilogue chains
  mutable std::vector<int> visited_, read_;         ///< by the visit of this number
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

FusionPlan plan_fusion(const Computation& computation) { return Planner(computation).run(); }

}  // namespace podsim::sw
