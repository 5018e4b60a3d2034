// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/fusion_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/host/interrupt.h"
#include "hlo/renaming.h"
#include "hlo/transform/flops.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// Dimensions that an op loops over: for a reduction those of its input.
const std::vector<std::int64_t>& iteration_dimensions(const hlo::Computation& computation, hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation[id];
  hlo::InstructionId shaped = instruction.opcode == hlo::Opcode::reduce ? instruction.operands[0] : id;
  return computation[shaped].shape.dimensions;
}

/// True for a reshape that moves elements.
bool is_move(const hlo::Computation& computation, hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation[id];
  return instruction.opcode == hlo::Opcode::reshape &&
         !hlo::is_renaming(computation[instruction.operands.front()].shape, instruction.shape);
}

/// The operands of all instructions in one array, so that walks over many of them touch few cache lines.
class Operands {
 public:
  explicit Operands(const hlo::Computation& computation) {
    for (const hlo::Instruction& instruction : computation.instructions) {
      first_.push_back(all_.size());
      all_.insert(all_.end(), instruction.operands.begin(), instruction.operands.end());
    }
    first_.push_back(all_.size());
  }
  std::span<const hlo::InstructionId> of(hlo::InstructionId id) const {
    return std::span(all_).subspan(first_[id], first_[id + 1] - first_[id]);
  }

 private:
  std::vector<hlo::InstructionId> all_;
  std::vector<std::size_t> first_;
};

class Planner {
 public:
  Planner(const hlo::Computation& computation, LoopOutputs outputs)
      : computation_(computation), outputs_(outputs), operands_(computation), users_(hlo::users_of(computation)) {
    plan_.inlined.assign(size(), false);
    plan_.group_of.assign(size(), -1);
    plan_.moves_alone = into_reductions(computation);
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(size()); ++id) {
      plan_.moves_alone[std::size_t(id)] = is_move(computation, id) && !plan_.moves_alone[std::size_t(id)];
    }
    absorbed_.assign(size(), false);
    visited_.assign(size(), 0);
    for (const hlo::Instruction& instruction : computation.instructions) {
      bytes_.push_back(hlo::padded_bytes(instruction.shape).value());
    }
    inputs_.resize(size());
    for (auto* ids : {&reached_, &expanded_, &producer_}) ids->assign(size(), -1);
    reach_.resize(size());
    std::iota(reach_.begin(), reach_.end(), 0);
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

  /// True for what may be recomputed inside another op.
  bool may_be_fused(hlo::InstructionId id) const {
    return is_fusible_producer(computation_[id]) && !plan_.moves_alone[std::size_t(id)];
  }

  // Rule 1: finds the last value of each matmul's epilogue chain, from the last matmul to the first.
  void absorb_epilogues() {
    hero_of_.assign(size(), -1);
    chain_end_.assign(size(), -1);
    for (hlo::InstructionId hero = hlo::InstructionId(size()) - 1; hero >= 0; --hero) {
      if (!hlo::transform::is_matmul(computation_[hero].opcode)) continue;
      std::vector<hlo::InstructionId> chain{hero};
      for (auto next = epilogue_of(hero); !next.empty(); next = epilogue_of(chain.back())) {
        chain.insert(chain.end(), next.begin(), next.end());
      }
      leave_widening_to_readers(chain);
      for (hlo::InstructionId id : chain) {
        absorbed_[id] = id != chain.back();
        chain_end_[id] = chain.back();
      }
      hero_of_[chain.back()] = hero;
    }
  }

  /// Ends a chain in front of a conversion that widens it if the readers of its end can compute what comes behind
  /// themselves, and read no large array for it.
  void leave_widening_to_readers(std::vector<hlo::InstructionId>& chain) const {
    for (std::size_t at = chain.size() - 1; at > 0 && readers_take_inlined(chain.back()); --at) {
      const hlo::InstructionId id = chain[at], before = chain[at - 1];
      if (!reads_little_but(before, id)) return;
      if (computation_[id].opcode == hlo::Opcode::convert && bytes(before) < bytes(chain.back())) chain.resize(at);
    }
  }

  /// True if every operand of `id` other than `before` is small, or is computed from small values, as a mask of
  /// positions is.
  bool reads_little_but(hlo::InstructionId before, hlo::InstructionId id) const {
    ++visit_;
    visited_[before] = visit_;
    open_.assign(1, id);
    for (int left = max_of_little; !open_.empty(); --left) {
      const hlo::InstructionId at = open_.back();
      open_.pop_back();
      if (left == 0 || !may_be_fused(at)) return false;
      for (const hlo::InstructionId operand : operands_.of(at)) {
        if (std::exchange(visited_[operand], visit_) == visit_ || bytes(operand) < bytes(id) / 8) continue;
        open_.push_back(operand);
      }
    }
    return true;
  }

  /// False for a value that is stored for some reader in any case.
  bool readers_take_inlined(hlo::InstructionId id) const {
    return id != computation_.root && std::ranges::all_of(users_[id], [&](hlo::InstructionId user) {
             return plan_.takes_inlined(computation_, user, id);
           });
  }

  /// The first elementwise value that everything computed from `id` goes into, with what lies between: gradients of
  /// activations multiply a product's result by several factors and add them again.
  std::vector<hlo::InstructionId> epilogue_of(hlo::InstructionId id) const {
    std::vector<hlo::InstructionId> between;
    std::set<hlo::InstructionId> open;
    const auto add_users = [&](hlo::InstructionId of) { open.insert(users_[of].begin(), users_[of].end()); };
    if (id == computation_.root) return {};
    add_users(id);
    while (!open.empty() && between.size() < longest_epilogue) {
      const hlo::InstructionId at = *open.begin();
      const hlo::Instruction& instruction = computation_[at];
      const bool fits = hlo::is_elementwise(instruction.opcode) && is_fusible_producer(instruction) &&
                        chain_end_[at] < 0 && instruction.shape.dimensions == computation_[id].shape.dimensions;
      if (!fits) return {};
      between.push_back(at);
      if (open.size() == 1) return between;
      if (at == computation_.root) return {};
      open.erase(at);
      add_users(at);
    }
    return {};
  }

  void find_what_may_be_inlined() {
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(size()); ++id) {
      may_be_inlined_.push_back(may_be_fused(id) && hero_of_[id] < 0);
    }
  }

  // Counts the ops that would read each value if everything that can be inlined were.
  void count_sinks() {
    sinks_.assign(size(), {});
    for (hlo::InstructionId id = hlo::InstructionId(size()) - 1; id >= 0; --id) {
      for (hlo::InstructionId user : users_[id]) {
        if (chain_end_[user] >= 0) {
          sinks_[id].insert(chain_end_[user]);
        } else if (may_be_fused(user) && !sinks_[user].empty()) {
          sinks_[id].insert(sinks_[user].begin(), sinks_[user].end());
        } else {
          sinks_[id].insert(user);
        }
        if (sinks_[id].size() > many_sinks) break;
      }
    }
  }

  // Applies rule 2.
  void decide_what_is_stored() {
    stored_.assign(size(), false);
    drawn_.assign(size(), false);
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(size()); ++id) {
      if (absorbed_[id]) {
        plan_.inlined[id] = true;
      } else if (is_drawn(id)) {
        drawn_[id] = plan_.inlined[id] = is_computed_once(id);
      } else if (may_be_fused(id) && hero_of_[id] < 0) {
        stored_[id] = !readers_take_inlined(id);
        plan_.inlined[id] = stored_[id] ? worth_recomputing_all_the_same(id) : !worth_storing(id);
      }
      stored_[id] = stored_[id] || !plan_.inlined[id];
    }
  }

  /// True for random numbers and for what is computed from them in the same op.
  bool is_drawn(hlo::InstructionId id) const {
    if (computation_[id].opcode == hlo::Opcode::rng) return true;
    return may_be_fused(id) && hero_of_[id] < 0 &&
           std::ranges::any_of(operands_.of(id), [&](hlo::InstructionId operand) { return drawn_[operand]; });
  }

  /// True for a value that only one op reads, and reads once.
  bool is_computed_once(hlo::InstructionId id) const {
    if (id == computation_.root || users_[id].size() != 1) return false;
    const hlo::Instruction& user = computation_[users_[id].front()];
    return user.opcode == hlo::Opcode::reduce || may_be_fused(users_[id].front());
  }

  bool worth_storing(hlo::InstructionId id) const {
    const hlo::Instruction& instruction = computation_[id];
    if (instruction.opcode == hlo::Opcode::constant || instruction.opcode == hlo::Opcode::iota) return false;
    std::int64_t readers = std::int64_t(sinks_[id].size());
    if (readers <= 1 || better_stored_later(id)) return false;
    std::int64_t to_store = bytes(id);
    for (hlo::InstructionId input : stored_inputs(id)) to_store += bytes_for(id, input);
    return recomputing_reads_more_than(to_store + bytes_read_of(id), id);
  }

  /// Bytes that all readers of a value read, if it is stored: slices of it read only their part.
  std::int64_t bytes_read_of(hlo::InstructionId id) const {
    std::int64_t slices = 0;
    std::set<hlo::InstructionId> whole;
    for (const hlo::InstructionId user : users_[id]) {
      const bool inlined = chain_end_[user] < 0 && may_be_fused(user) && !sinks_[user].empty();
      if (inlined && computation_[user].opcode == hlo::Opcode::slice) {
        slices += std::int64_t(sinks_[user].size()) * bytes(user);
      } else if (inlined) {
        whole.insert(sinks_[user].begin(), sinks_[user].end());
      } else {
        whole.insert(chain_end_[user] < 0 ? user : chain_end_[user]);
      }
    }
    return slices + std::int64_t(whole.size()) * bytes(id);
  }

  /// For a value that is stored in any case: returns whether its readers read fewer bytes by recomputing it.
  bool worth_recomputing_all_the_same(hlo::InstructionId id) const {
    if (computation_[id].opcode == hlo::Opcode::constant) return true;
    return !recomputing_reads_more_than(std::int64_t(sinks_[id].size()) * bytes(id) - 1, id);
  }

  /// Bytes of a stored input that `id` reads: a slice reads its part.
  std::int64_t bytes_for(hlo::InstructionId id, hlo::InstructionId input) const {
    return computation_[id].opcode == hlo::Opcode::slice ? std::min(bytes(id), bytes(input)) : bytes(input);
  }

  /// Returns whether all readers of `id` together must read more than `limit` bytes, in addition to what they read
  /// anyway, if each recomputes it.
  bool recomputing_reads_more_than(std::int64_t limit, hlo::InstructionId id) const {
    const std::vector<hlo::InstructionId> inputs = stored_inputs(id);
    std::int64_t most = 0;  // if no sink reads any of the inputs anyway
    for (hlo::InstructionId input : inputs) most += bytes_for(id, input);
    std::int64_t sum = 0, left = std::int64_t(sinks_[id].size());
    for (hlo::InstructionId sink : sinks_[id]) {
      if (sum + left-- * most <= limit) return false;
      for (hlo::InstructionId input : inputs) sum += reads_without(sink, input, id) ? 0 : bytes_for(id, input);
      if (sum > limit) return true;
    }
    return sum > limit;
  }

  /// Returns whether the op ending in `sink` reads the stored value `input` other than through `without`; undecided
  /// values count as inlined. The search runs from the value to its readers, of which there are few that come before
  /// the sink. It gives up after some thousand values, so that values of very many readers are planned in linear time.
  bool reads_without(hlo::InstructionId sink, hlo::InstructionId input, hlo::InstructionId without) const {
    ++visit_;
    visited_[without] = visit_;
    open_.assign(1, input);
    int left = max_visited;
    while (!open_.empty()) {
      const hlo::InstructionId at = open_.back();
      open_.pop_back();
      for (hlo::InstructionId user : users_[at]) {
        if (user > sink || std::exchange(visited_[user], visit_) == visit_) continue;
        if (user == sink) return true;
        if (--left == 0) return false;
        const bool undecided = user > without && may_be_inlined_[user];
        const bool own_chain = chain_end_[user] >= 0 && chain_end_[user] == chain_end_[sink];
        if (own_chain || undecided || (user < without && plan_.inlined[user])) open_.push_back(user);
      }
    }
    return false;
  }

  /// Stored instructions that `id` reads, also through inlined ones, in ascending order.
  std::vector<hlo::InstructionId> stored_inputs(hlo::InstructionId id) const {
    std::vector<hlo::InstructionId> stored;
    ++visit_;
    open_.assign(1, id);
    while (!open_.empty()) {
      base::host::end_if_interrupted();  // a chain of many elementwise ops is followed from each of them
      const hlo::InstructionId at = open_.back();
      open_.pop_back();
      for (hlo::InstructionId operand : operands_.of(at)) {
        if (std::exchange(visited_[operand], visit_) == visit_) continue;
        const bool through = plan_.inlined[operand] && plan_.takes_inlined(computation_, at, operand);
        (through ? open_ : stored).push_back(operand);
      }
    }
    std::ranges::sort(stored);
    return stored;
  }

  std::int64_t bytes(hlo::InstructionId id) const { return bytes_[id]; }

  /// True for a value whose only user is an elementwise op of no more bytes: storing the result of that op is as good
  /// and saves work.
  bool better_stored_later(hlo::InstructionId id) const {
    if (users_[id].size() != 1) return false;
    hlo::InstructionId user = users_[id].front();
    return may_be_fused(user) && chain_end_[user] < 0 && bytes(user) <= bytes(id);
  }

  void form_groups() {
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(size()); ++id) {
      const hlo::Instruction& instruction = computation_[id];
      if (!stored_[id] || is_source(instruction) || instruction.opcode == hlo::Opcode::tuple) continue;
      inputs_[id] = stored_inputs(id);
      int group = group_to_join(id);
      if (group < 0) {
        group = int(plan_.groups.size());
        plan_.groups.push_back({{}, hero_of_[id]});
      }
      add_root(group, id);
    }
  }

  void add_root(int group, hlo::InstructionId id) {
    std::vector<hlo::InstructionId>& roots = plan_.groups[group].roots;
    if (!roots.empty()) {
      for (hlo::InstructionId at = roots.back() + 1; at <= id; ++at) reach_[at] = std::min(reach_[at], roots.front());
    }
    roots.push_back(id);
    plan_.group_of[id] = group;
  }

  /// Values before the result depend on none from `id` on, also through whole groups: no group has roots on both sides.
  hlo::InstructionId independent_before(hlo::InstructionId id) const {
    while (reach_[id] < id) id = reach_[id];
    return id;
  }

  // Applies rule 3: joins the producer of the most bytes, or else the loop fusion that shares the most input bytes.
  int group_to_join(hlo::InstructionId id) const {
    const hlo::Instruction& instruction = computation_[id];
    bool loop = hero_of_[id] < 0 && (instruction.opcode == hlo::Opcode::reduce || may_be_fused(id));
    if (!loop) return -1;
    int best = -1;
    std::int64_t best_bytes = 0;
    std::set<int> refused;
    auto consider = [&](int group, std::int64_t bytes) {
      if (group < 0 || bytes <= best_bytes || refused.contains(group)) return;
      if (!takes_output(group, instruction)) return;
      if (!same_iteration(group, id) || !can_join(group, id)) {
        refused.insert(group);
        return;
      }
      best = group;
      best_bytes = bytes;
    };
    for (hlo::InstructionId input : inputs_[id]) consider(plan_.group_of[input], bytes(input));
    if (best >= 0) return best;
    for (hlo::InstructionId input : inputs_[id]) {
      if (computation_[input].shape.dimensions != iteration_dimensions(computation_, id)) continue;
      for (hlo::InstructionId sibling : stored_readers(input, id)) {
        int group = plan_.group_of[sibling];
        if (plan_.groups[group].hero < 0) consider(group, bytes(input));
      }
    }
    return best;
  }

  /// False for an elementwise result and a loop fusion, if such results share none.
  bool takes_output(int group, const hlo::Instruction& result) const {
    return outputs_ == LoopOutputs::several || result.opcode == hlo::Opcode::reduce ||
           plan_.groups[std::size_t(group)].hero >= 0;
  }

  bool same_iteration(int group, hlo::InstructionId id) const {
    hlo::InstructionId first = plan_.groups[group].roots.front();
    const hlo::Opcode opcode = computation_[first].opcode;
    bool fusible = plan_.groups[group].hero >= 0 || opcode == hlo::Opcode::reduce || may_be_fused(first);
    return fusible && iteration_dimensions(computation_, first) == iteration_dimensions(computation_, id);
  }

  /// Stored values before `limit` that read `input`, also through inlined ones, in ascending order: the first
  /// max_readers that are found, so that very many readers of one value are planned in linear time.
  std::vector<hlo::InstructionId> stored_readers(hlo::InstructionId input, hlo::InstructionId limit) const {
    std::vector<hlo::InstructionId> readers;
    ++visit_;
    open_.assign(1, input);
    while (!open_.empty() && readers.size() < max_readers) {
      hlo::InstructionId id = open_.back();
      open_.pop_back();
      for (hlo::InstructionId user : users_[id]) {
        if (readers.size() == max_readers) break;
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

  /// Returns whether every input of `id` is an elementwise root of the group or does not depend on the group; a
  /// reduction has its results only after the last of its inputs, except the norm of a parameter.
  bool can_join(int group, hlo::InstructionId id) const {
    for (const hlo::InstructionId input : inputs_[id]) {
      const bool sum = plan_.group_of[input] == group && computation_[input].opcode == hlo::Opcode::reduce;
      if (sum && !is_sum_of_parameter(input)) return false;
    }
    return !depends_on(id, group);
  }

  /// True for a sum over a whole parameter, or over what is computed from it alone.
  bool is_sum_of_parameter(hlo::InstructionId id) const {
    return computation_[id].shape.rank() == 0 && inputs_[id].size() == 1 &&
           computation_[inputs_[id].front()].opcode == hlo::Opcode::parameter;
  }

  /// Returns whether some input of `id` depends on the group, other than as one of its roots. The search follows whole
  /// groups, since an op starts only when all its inputs are available, whichever of its outputs is needed. One search
  /// serves all groups that `id` may join: it continues where the one for the previous group ended. It is breadth
  /// first, and values after the group's first root come before others, since most paths are short.
  bool depends_on(hlo::InstructionId id, int group) const {
    if (searched_for_ != id) {
      searched_for_ = id;
      searched_from_ = hlo::InstructionId(size());
      producers_.clear();
      next_producer_ = 0;
      later_.clear();
      for (const hlo::InstructionId input : inputs_[id]) reach_producer(input);
    }
    const hlo::InstructionId front = plan_.groups[group].roots.front();
    return reaches(group, front) || reaches(group, independent_before(front));
  }

  /// Continues the search of depends_on() among the values from `first` on, until it comes to the group.
  bool reaches(int group, hlo::InstructionId first) const {
    if (first < searched_from_) {
      searched_from_ = first;
      std::swap(later_, resumed_);
      later_.clear();
      for (const hlo::InstructionId at : resumed_) (at >= first ? producers_ : later_).push_back(at);
    }
    while (producer_[group] != searched_for_ && next_producer_ < producers_.size()) {
      const hlo::InstructionId at = producers_[next_producer_++];
      const int of = plan_.group_of[at];
      if (of < 0) {
        for (const hlo::InstructionId operand : operands_.of(at)) depend_on(operand, of);
      } else if (std::exchange(expanded_[of], searched_for_) != searched_for_) {
        for (const hlo::InstructionId root : plan_.groups[of].roots) {
          for (const hlo::InstructionId input : inputs_[root]) depend_on(input, of);
        }
      }
    }
    return producer_[group] == searched_for_;
  }

  void depend_on(hlo::InstructionId value, int reader) const {
    const int group = plan_.group_of[value];
    if (group == reader && group >= 0) return;
    if (group >= 0) producer_[group] = searched_for_;
    reach_producer(value);
  }

  void reach_producer(hlo::InstructionId value) const {
    if (std::exchange(reached_[value], searched_for_) == searched_for_) return;
    (value >= searched_from_ ? producers_ : later_).push_back(value);
  }

  static constexpr std::size_t longest_epilogue = 64;  ///< maximum number of values in a single-exit region
  static constexpr std::size_t many_sinks = 16;        ///< more readers than this are not distinguished
  static constexpr std::size_t max_readers = 1024;
  static constexpr int max_of_little = 16;  ///< values that are computed from small ones
  static constexpr int max_visited = 4096;  ///< values that one search for reads looks at

  const hlo::Computation& computation_;
  LoopOutputs outputs_;
  Operands operands_;
  std::vector<std::vector<hlo::InstructionId>> users_;
  std::vector<std::int64_t> bytes_;  ///< padded
  std::vector<bool> stored_;
  std::vector<bool> drawn_;                    ///< inlined random numbers and what is computed from them
  std::vector<bool> absorbed_;                 ///< inside an epilogue chain, not its end
  std::vector<hlo::InstructionId> chain_end_;  ///< the end of the epilogue chain an instruction belongs to, or -1
  std::vector<hlo::InstructionId> hero_of_;    ///< at a chain's end: its convolution or dot
  std::vector<std::set<hlo::InstructionId>> sinks_;
  std::vector<std::vector<hlo::InstructionId>> inputs_;  ///< of stored values: stored_inputs()
  std::vector<hlo::InstructionId> reach_;  ///< least root of the groups that have one from here on; itself without any
  std::vector<char> may_be_inlined_;       ///< fusible producers, except ends of epilogue chains
  mutable std::vector<int> visited_;       ///< the number of the last visit
  mutable std::vector<hlo::InstructionId> open_;
  mutable int visit_ = 0;
  // State of depends_on(): of values and groups the id whose search came there last, and what is still to expand.
  mutable std::vector<hlo::InstructionId> reached_, expanded_, producer_;
  mutable std::vector<hlo::InstructionId> producers_, later_, resumed_;
  mutable std::size_t next_producer_ = 0;
  mutable hlo::InstructionId searched_for_ = -1, searched_from_ = 0;
  FusionPlan plan_;
};

}  // namespace

std::vector<bool> into_reductions(const hlo::Computation& computation) {
  const std::vector<std::vector<hlo::InstructionId>> users = hlo::users_of(computation);
  std::vector<bool> only(computation.instructions.size(), false);
  for (hlo::InstructionId id = hlo::InstructionId(only.size()) - 1; id >= 0; --id) {
    only[std::size_t(id)] = id != computation.root && !users[std::size_t(id)].empty() &&
                            std::ranges::all_of(users[std::size_t(id)], [&](hlo::InstructionId user) {
                              return computation[user].opcode == hlo::Opcode::reduce ||
                                     (only[std::size_t(user)] && is_fusible_producer(computation[user]));
                            });
  }
  return only;
}

bool is_fusible_producer(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::broadcast:
    case hlo::Opcode::reshape:
    case hlo::Opcode::iota:
    case hlo::Opcode::constant:
    case hlo::Opcode::pad:
    case hlo::Opcode::slice:
      return true;
    case hlo::Opcode::copy:
      return false;
    default:
      return hlo::is_elementwise(instruction.opcode);
  }
}

bool is_source(const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::parameter || instruction.opcode == hlo::Opcode::get_tuple_element;
}

bool FusionPlan::takes_inlined(const hlo::Computation& computation, hlo::InstructionId reader,
                               hlo::InstructionId value) const {
  const hlo::Instruction& op = computation[reader];
  if (op.opcode == hlo::Opcode::scatter) {
    const hlo::Instruction& table = computation[value];
    return table.opcode == hlo::Opcode::broadcast && computation[table.operands.front()].shape.rank() == 0 &&
           std::ranges::count(op.operands, value) == 1 && op.operands.front() == value;
  }
  return hlo::transform::is_matmul(op.opcode) || op.opcode == hlo::Opcode::reduce ||
         op.opcode == hlo::Opcode::reduce_window || (is_fusible_producer(op) && !moves_alone[std::size_t(reader)]);
}

FusionPlan plan_fusion(const hlo::Computation& computation, LoopOutputs outputs) {
  return Planner(computation, outputs).run();
}

}  // namespace podsim::sw::compiler::fuse
