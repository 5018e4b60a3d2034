// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/fusion_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/host/interrupt.h"
#include "sw/ir/renaming.h"
#include "sw/ir/transform/flops.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// Dimensions that an op loops over: for a reduction those of its input.
const std::vector<std::int64_t>& iteration_dimensions(const ir::Computation& computation, ir::InstructionId id) {
  const ir::Instruction& instruction = computation[id];
  ir::InstructionId shaped = instruction.opcode == ir::Opcode::reduce ? instruction.operands[0] : id;
  return computation[shaped].shape.dimensions;
}

/// True for a reshape that moves elements.
bool is_move(const ir::Computation& computation, ir::InstructionId id) {
  const ir::Instruction& instruction = computation[id];
  return instruction.opcode == ir::Opcode::reshape &&
         !ir::is_renaming(computation[instruction.operands.front()].shape, instruction.shape);
}

/// The operands of all instructions in one array, so that walks over many of them touch few cache lines.
class Operands {
 public:
  explicit Operands(const ir::Computation& computation) {
    for (const ir::Instruction& instruction : computation.instructions) {
      first_.push_back(all_.size());
      all_.insert(all_.end(), instruction.operands.begin(), instruction.operands.end());
    }
    first_.push_back(all_.size());
  }
  std::span<const ir::InstructionId> of(ir::InstructionId id) const {
    return std::span(all_).subspan(first_[id], first_[id + 1] - first_[id]);
  }

 private:
  std::vector<ir::InstructionId> all_;
  std::vector<std::size_t> first_;
};

class Planner {
 public:
  explicit Planner(const ir::Computation& computation)
      : computation_(computation), operands_(computation), users_(ir::users_of(computation)) {
    plan_.inlined.assign(size(), false);
    plan_.group_of.assign(size(), -1);
    plan_.moves_alone = into_reductions(computation);
    for (ir::InstructionId id = 0; id < ir::InstructionId(size()); ++id) {
      plan_.moves_alone[std::size_t(id)] = is_move(computation, id) && !plan_.moves_alone[std::size_t(id)];
    }
    absorbed_.assign(size(), false);
    visited_.assign(size(), 0);
    for (const ir::Instruction& instruction : computation.instructions) {
      bytes_.push_back(ir::padded_bytes(instruction.shape).value());
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
  bool may_be_fused(ir::InstructionId id) const {
    return is_fusible_producer(computation_[id]) && !plan_.moves_alone[std::size_t(id)];
  }

  // Rule 1: finds the last value of each matmul's epilogue chain, from the last matmul to the first.
  void absorb_epilogues() {
    hero_of_.assign(size(), -1);
    chain_end_.assign(size(), -1);
    for (ir::InstructionId hero = ir::InstructionId(size()) - 1; hero >= 0; --hero) {
      if (!ir::transform::is_matmul(computation_[hero].opcode)) continue;
      std::vector<ir::InstructionId> chain{hero};
      for (auto next = epilogue_of(hero); !next.empty(); next = epilogue_of(chain.back())) {
        chain.insert(chain.end(), next.begin(), next.end());
      }
      leave_widening_to_readers(chain);
      for (ir::InstructionId id : chain) {
        absorbed_[id] = id != chain.back();
        chain_end_[id] = chain.back();
      }
      hero_of_[chain.back()] = hero;
    }
  }

  /// Ends a chain in front of a conversion that widens it if the readers of its end can compute what comes behind
  /// themselves, and read no large array for it.
  void leave_widening_to_readers(std::vector<ir::InstructionId>& chain) const {
    for (std::size_t at = chain.size() - 1; at > 0 && readers_take_inlined(chain.back()); --at) {
      const ir::InstructionId id = chain[at], before = chain[at - 1];
      if (!reads_little_but(before, id)) return;
      if (computation_[id].opcode == ir::Opcode::convert && bytes(before) < bytes(chain.back())) chain.resize(at);
    }
  }

  /// Returns whether all that `id` reads but `before` is small, or is computed from what is small, as a mask of places.
  bool reads_little_but(ir::InstructionId before, ir::InstructionId id) const {
    ++visit_;
    visited_[before] = visit_;
    open_.assign(1, id);
    for (int left = most_of_little; !open_.empty(); --left) {
      const ir::InstructionId at = open_.back();
      open_.pop_back();
      if (left == 0 || !may_be_fused(at)) return false;
      for (const ir::InstructionId operand : operands_.of(at)) {
        if (std::exchange(visited_[operand], visit_) == visit_ || bytes(operand) < bytes(id) / 8) continue;
        open_.push_back(operand);
      }
    }
    return true;
  }

  /// False for a value that is stored for some reader in any case.
  bool readers_take_inlined(ir::InstructionId id) const {
    return id != computation_.root && std::ranges::all_of(users_[id], [&](ir::InstructionId user) {
             return plan_.takes_inlined(computation_, user, id);
           });
  }

  /// The first elementwise value that everything computed from `id` goes into, with what lies between: gradients of
  /// activations multiply a product's result by several factors and add them again.
  std::vector<ir::InstructionId> epilogue_of(ir::InstructionId id) const {
    std::vector<ir::InstructionId> between;
    std::set<ir::InstructionId> open;
    const auto add_users = [&](ir::InstructionId of) { open.insert(users_[of].begin(), users_[of].end()); };
    if (id == computation_.root) return {};
    add_users(id);
    while (!open.empty() && between.size() < longest_epilogue) {
      const ir::InstructionId at = *open.begin();
      const ir::Instruction& instruction = computation_[at];
      const bool fits = ir::is_elementwise(instruction.opcode) && is_fusible_producer(instruction) &&
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
    for (ir::InstructionId id = 0; id < ir::InstructionId(size()); ++id) {
      may_be_inlined_.push_back(may_be_fused(id) && hero_of_[id] < 0);
    }
  }

  // Counts the ops that would read each value if everything that can be inlined were.
  void count_sinks() {
    sinks_.assign(size(), {});
    for (ir::InstructionId id = ir::InstructionId(size()) - 1; id >= 0; --id) {
      for (ir::InstructionId user : users_[id]) {
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
    for (ir::InstructionId id = 0; id < ir::InstructionId(size()); ++id) {
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
  bool is_drawn(ir::InstructionId id) const {
    if (computation_[id].opcode == ir::Opcode::rng) return true;
    return may_be_fused(id) && hero_of_[id] < 0 &&
           std::ranges::any_of(operands_.of(id), [&](ir::InstructionId operand) { return drawn_[operand]; });
  }

  /// True for a value that only one op reads, and reads once.
  bool is_computed_once(ir::InstructionId id) const {
    if (id == computation_.root || users_[id].size() != 1) return false;
    const ir::Instruction& user = computation_[users_[id].front()];
    return user.opcode == ir::Opcode::reduce || may_be_fused(users_[id].front());
  }

  bool worth_storing(ir::InstructionId id) const {
    const ir::Instruction& instruction = computation_[id];
    if (instruction.opcode == ir::Opcode::constant || instruction.opcode == ir::Opcode::iota) return false;
    std::int64_t readers = std::int64_t(sinks_[id].size());
    if (readers <= 1 || better_stored_later(id)) return false;
    std::int64_t to_store = bytes(id);
    for (ir::InstructionId input : stored_inputs(id)) to_store += bytes_for(id, input);
    return recomputing_reads_more_than(to_store + bytes_read_of(id), id);
  }

  /// Bytes that all readers of a value read, if it is stored: slices of it read only their part.
  std::int64_t bytes_read_of(ir::InstructionId id) const {
    std::int64_t slices = 0;
    std::set<ir::InstructionId> whole;
    for (const ir::InstructionId user : users_[id]) {
      const bool inlined = chain_end_[user] < 0 && may_be_fused(user) && !sinks_[user].empty();
      if (inlined && computation_[user].opcode == ir::Opcode::slice) {
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
  bool worth_recomputing_all_the_same(ir::InstructionId id) const {
    if (computation_[id].opcode == ir::Opcode::constant) return true;
    return !recomputing_reads_more_than(std::int64_t(sinks_[id].size()) * bytes(id) - 1, id);
  }

  /// Bytes of a stored input that `id` reads: a slice reads its part.
  std::int64_t bytes_for(ir::InstructionId id, ir::InstructionId input) const {
    return computation_[id].opcode == ir::Opcode::slice ? std::min(bytes(id), bytes(input)) : bytes(input);
  }

  /// Returns whether all readers of `id` together must read more than `limit` bytes, in addition to what they read
  /// anyway, if each recomputes it.
  bool recomputing_reads_more_than(std::int64_t limit, ir::InstructionId id) const {
    const std::vector<ir::InstructionId> inputs = stored_inputs(id);
    std::int64_t most = 0;  // if no sink reads any of the inputs anyway
    for (ir::InstructionId input : inputs) most += bytes_for(id, input);
    std::int64_t sum = 0, left = std::int64_t(sinks_[id].size());
    for (ir::InstructionId sink : sinks_[id]) {
      if (sum + left-- * most <= limit) return false;
      for (ir::InstructionId input : inputs) sum += reads_without(sink, input, id) ? 0 : bytes_for(id, input);
      if (sum > limit) return true;
    }
    return sum > limit;
  }

  /// Returns whether the op ending in `sink` reads the stored value `input` other than through `without`; undecided
  /// values count as inlined. The search runs from the value to its readers, of which there are few that come before
  /// the sink. It gives up after some thousand values, so that values of very many readers are planned in linear time.
  bool reads_without(ir::InstructionId sink, ir::InstructionId input, ir::InstructionId without) const {
    ++visit_;
    visited_[without] = visit_;
    open_.assign(1, input);
    int left = most_visited;
    while (!open_.empty()) {
      const ir::InstructionId at = open_.back();
      open_.pop_back();
      for (ir::InstructionId user : users_[at]) {
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
  std::vector<ir::InstructionId> stored_inputs(ir::InstructionId id) const {
    std::vector<ir::InstructionId> stored;
    ++visit_;
    open_.assign(1, id);
    while (!open_.empty()) {
      base::host::end_if_interrupted();  // a chain of many elementwise ops is followed from each of them
      const ir::InstructionId at = open_.back();
      open_.pop_back();
      for (ir::InstructionId operand : operands_.of(at)) {
        if (std::exchange(visited_[operand], visit_) == visit_) continue;
        const bool through = plan_.inlined[operand] && plan_.takes_inlined(computation_, at, operand);
        (through ? open_ : stored).push_back(operand);
      }
    }
    std::ranges::sort(stored);
    return stored;
  }

  std::int64_t bytes(ir::InstructionId id) const { return bytes_[id]; }

  /// True for a value whose only user is an elementwise op of no more bytes: storing the result of that op is as good
  /// and saves work.
  bool better_stored_later(ir::InstructionId id) const {
    if (users_[id].size() != 1) return false;
    ir::InstructionId user = users_[id].front();
    return may_be_fused(user) && chain_end_[user] < 0 && bytes(user) <= bytes(id);
  }

  void form_groups() {
    for (ir::InstructionId id = 0; id < ir::InstructionId(size()); ++id) {
      const ir::Instruction& instruction = computation_[id];
      if (!stored_[id] || is_source(instruction) || instruction.opcode == ir::Opcode::tuple) continue;
      inputs_[id] = stored_inputs(id);
      int group = group_to_join(id);
      if (group < 0) {
        group = int(plan_.groups.size());
        plan_.groups.push_back({{}, hero_of_[id]});
      }
      add_root(group, id);
    }
  }

  void add_root(int group, ir::InstructionId id) {
    std::vector<ir::InstructionId>& roots = plan_.groups[group].roots;
    if (!roots.empty()) {
      for (ir::InstructionId at = roots.back() + 1; at <= id; ++at) reach_[at] = std::min(reach_[at], roots.front());
    }
    roots.push_back(id);
    plan_.group_of[id] = group;
  }

  /// Values before the result depend on none from `id` on, also through whole groups: no group has roots on both sides.
  ir::InstructionId independent_before(ir::InstructionId id) const {
    while (reach_[id] < id) id = reach_[id];
    return id;
  }

  // Applies rule 3: joins the producer of the most bytes, or else the loop fusion that shares the most input bytes.
  int group_to_join(ir::InstructionId id) const {
    const ir::Instruction& instruction = computation_[id];
    bool loop = hero_of_[id] < 0 && (instruction.opcode == ir::Opcode::reduce || may_be_fused(id));
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
    for (ir::InstructionId input : inputs_[id]) consider(plan_.group_of[input], bytes(input));
    if (best >= 0) return best;
    for (ir::InstructionId input : inputs_[id]) {
      if (computation_[input].shape.dimensions != iteration_dimensions(computation_, id)) continue;
      for (ir::InstructionId sibling : stored_readers(input, id)) {
        int group = plan_.group_of[sibling];
        if (plan_.groups[group].hero < 0) consider(group, bytes(input));
      }
    }
    return best;
  }

  bool same_iteration(int group, ir::InstructionId id) const {
    ir::InstructionId first = plan_.groups[group].roots.front();
    const ir::Opcode opcode = computation_[first].opcode;
    bool fusible = plan_.groups[group].hero >= 0 || opcode == ir::Opcode::reduce || may_be_fused(first);
    return fusible && iteration_dimensions(computation_, first) == iteration_dimensions(computation_, id);
  }

  /// Stored values before `limit` that read `input`, also through inlined ones, in ascending order: the first
  /// most_readers that are found, so that very many readers of one value are planned in linear time.
  std::vector<ir::InstructionId> stored_readers(ir::InstructionId input, ir::InstructionId limit) const {
    std::vector<ir::InstructionId> readers;
    ++visit_;
    open_.assign(1, input);
    while (!open_.empty() && readers.size() < most_readers) {
      ir::InstructionId id = open_.back();
      open_.pop_back();
      for (ir::InstructionId user : users_[id]) {
        if (readers.size() == most_readers) break;
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
  bool can_join(int group, ir::InstructionId id) const {
    for (const ir::InstructionId input : inputs_[id]) {
      const bool sum = plan_.group_of[input] == group && computation_[input].opcode == ir::Opcode::reduce;
      if (sum && !is_sum_of_parameter(input)) return false;
    }
    return !depends_on(id, group);
  }

  /// True for a sum over a whole parameter, or over what is computed from it alone.
  bool is_sum_of_parameter(ir::InstructionId id) const {
    return computation_[id].shape.rank() == 0 && inputs_[id].size() == 1 &&
           computation_[inputs_[id].front()].opcode == ir::Opcode::parameter;
  }

  /// Returns whether some input of `id` depends on the group, other than as one of its roots. The search follows whole
  /// groups, since an op starts only when all its inputs are available, whichever of its outputs is needed. One search
  /// serves all groups that `id` may join: it goes on where that for the group before ended. It is breadth first, and
  /// values after the group's first root come before others, since most paths are short.
  bool depends_on(ir::InstructionId id, int group) const {
    if (searched_for_ != id) {
      searched_for_ = id;
      searched_from_ = ir::InstructionId(size());
      producers_.clear();
      next_producer_ = 0;
      later_.clear();
      for (const ir::InstructionId input : inputs_[id]) reach_producer(input);
    }
    const ir::InstructionId front = plan_.groups[group].roots.front();
    return reaches(group, front) || reaches(group, independent_before(front));
  }

  /// Goes on with the search of depends_on() among the values from `first` on, until it comes to the group.
  bool reaches(int group, ir::InstructionId first) const {
    if (first < searched_from_) {
      searched_from_ = first;
      std::swap(later_, resumed_);
      later_.clear();
      for (const ir::InstructionId at : resumed_) (at >= first ? producers_ : later_).push_back(at);
    }
    while (producer_[group] != searched_for_ && next_producer_ < producers_.size()) {
      const ir::InstructionId at = producers_[next_producer_++];
      const int of = plan_.group_of[at];
      if (of < 0) {
        for (const ir::InstructionId operand : operands_.of(at)) depend_on(operand, of);
      } else if (std::exchange(expanded_[of], searched_for_) != searched_for_) {
        for (const ir::InstructionId root : plan_.groups[of].roots) {
          for (const ir::InstructionId input : inputs_[root]) depend_on(input, of);
        }
      }
    }
    return producer_[group] == searched_for_;
  }

  void depend_on(ir::InstructionId value, int reader) const {
    const int group = plan_.group_of[value];
    if (group == reader && group >= 0) return;
    if (group >= 0) producer_[group] = searched_for_;
    reach_producer(value);
  }

  void reach_producer(ir::InstructionId value) const {
    if (std::exchange(reached_[value], searched_for_) == searched_for_) return;
    (value >= searched_from_ ? producers_ : later_).push_back(value);
  }

  static constexpr std::size_t longest_epilogue = 64;  ///< values between two of an epilogue through which all goes
  static constexpr std::size_t many_sinks = 16;        ///< more readers than this are not distinguished
  static constexpr std::size_t most_readers = 1024;
  static constexpr int most_of_little = 16;  ///< values that are computed from small ones
  static constexpr int most_visited = 4096;  ///< values that one search for reads looks at

  const ir::Computation& computation_;
  Operands operands_;
  std::vector<std::vector<ir::InstructionId>> users_;
  std::vector<std::int64_t> bytes_;  ///< padded
  std::vector<bool> stored_;
  std::vector<bool> drawn_;                   ///< inlined random numbers and what is computed from them
  std::vector<bool> absorbed_;                ///< inside an epilogue chain, not its end
  std::vector<ir::InstructionId> chain_end_;  ///< the end of the epilogue chain an instruction belongs to, or -1
  std::vector<ir::InstructionId> hero_of_;    ///< at a chain's end: its convolution or dot
  std::vector<std::set<ir::InstructionId>> sinks_;
  std::vector<std::vector<ir::InstructionId>> inputs_;  ///< of stored values: stored_inputs()
  std::vector<ir::InstructionId> reach_;  ///< least root of the groups that have one from here on; itself without any
  std::vector<char> may_be_inlined_;      ///< fusible producers, except ends of epilogue chains
  mutable std::vector<int> visited_;      ///< the number of the last visit
  mutable std::vector<ir::InstructionId> open_;
  mutable int visit_ = 0;
  // State of depends_on(): of values and groups the id whose search came there last, and what is still to expand.
  mutable std::vector<ir::InstructionId> reached_, expanded_, producer_;
  mutable std::vector<ir::InstructionId> producers_, later_, resumed_;
  mutable std::size_t next_producer_ = 0;
  mutable ir::InstructionId searched_for_ = -1, searched_from_ = 0;
  FusionPlan plan_;
};

}  // namespace

std::vector<bool> into_reductions(const ir::Computation& computation) {
  const std::vector<std::vector<ir::InstructionId>> users = ir::users_of(computation);
  std::vector<bool> only(computation.instructions.size(), false);
  for (ir::InstructionId id = ir::InstructionId(only.size()) - 1; id >= 0; --id) {
    only[std::size_t(id)] = id != computation.root && !users[std::size_t(id)].empty() &&
                            std::ranges::all_of(users[std::size_t(id)], [&](ir::InstructionId user) {
                              return computation[user].opcode == ir::Opcode::reduce ||
                                     (only[std::size_t(user)] && is_fusible_producer(computation[user]));
                            });
  }
  return only;
}

bool is_fusible_producer(const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case ir::Opcode::broadcast:
    case ir::Opcode::reshape:
    case ir::Opcode::iota:
    case ir::Opcode::constant:
    case ir::Opcode::pad:
    case ir::Opcode::slice:
      return true;
    case ir::Opcode::copy:
      return false;
    default:
      return ir::is_elementwise(instruction.opcode);
  }
}

bool is_source(const ir::Instruction& instruction) {
  return instruction.opcode == ir::Opcode::parameter || instruction.opcode == ir::Opcode::get_tuple_element;
}

bool FusionPlan::takes_inlined(const ir::Computation& computation, ir::InstructionId reader,
                               ir::InstructionId value) const {
  const ir::Instruction& op = computation[reader];
  if (op.opcode == ir::Opcode::scatter) {
    const ir::Instruction& table = computation[value];
    return table.opcode == ir::Opcode::broadcast && computation[table.operands.front()].shape.rank() == 0 &&
           std::ranges::count(op.operands, value) == 1 && op.operands.front() == value;
  }
  return ir::transform::is_matmul(op.opcode) || op.opcode == ir::Opcode::reduce ||
         op.opcode == ir::Opcode::reduce_window || (is_fusible_producer(op) && !moves_alone[std::size_t(reader)]);
}

FusionPlan plan_fusion(const ir::Computation& computation) { return Planner(computation).run(); }

}  // namespace podsim::sw::compiler::fuse
