// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/memory_order.h"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "sw/compiler/core_view.h"
#include "sw/compiler/fuse/rebuild.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/schedule_steps.h"

namespace podsim::sw::compiler {
namespace {

using hlo::InstructionId;

/// Orders of a module's entry that take little memory.
class MemoryOrder {
 public:
  MemoryOrder(const hlo::Module& module, std::span<const hlo::Donation> donations)
      : module_(module),
        entry_(module.entry_computation()),
        lives_(find_liveness(module, donations)),
        missing_(entry_.instructions.size(), 0),
        followers_(missing_.size()),
        reads_(missing_.size()),
        freed_(missing_.size()),
        placed_(missing_.size(), false) {
    for (InstructionId id = 0; id < InstructionId(missing_.size()); ++id) {
      for (const InstructionId operand : entry_[id].operands) add_edge(operand, id);
    }
    keep_turns();
    for (int array = 0; array < int(lives_.arrays.size()); ++array) add_array(array);
    for (const hlo::Donation& donation : donations) follow_readers(donation);
  }

  /// What comes before an instruction, each of its operands with all that it needs in turn. First comes the one that
  /// needs most beyond what it leaves behind, so that as little as possible waits meanwhile (Liu 1986: the best order
  /// of a tree that does not interrupt its branches).
  std::vector<InstructionId> depth_first() const {
    std::vector<std::vector<InstructionId>> before = in_order_of_excess();
    std::vector<InstructionId> order;
    std::vector<bool> is_open(before.size(), false);
    std::vector<std::pair<InstructionId, std::size_t>> path;  // with the number of those before it that are done
    const auto enter = [&](InstructionId id) {
      if (is_open[std::size_t(id)]) return;
      is_open[std::size_t(id)] = true;
      path.emplace_back(id, 0);
    };
    for (InstructionId last = 0; last < InstructionId(before.size()); ++last) {
      if (!followers_[std::size_t(last)].empty()) continue;
      enter(last);
      while (!path.empty()) {
        auto& [id, done] = path.back();
        if (done < before[std::size_t(id)].size()) {
          enter(before[std::size_t(id)][done++]);
        } else {
          order.push_back(id);
          path.pop_back();
        }
      }
    }
    return order;
  }

  /// A list scheduler on live bytes.
  std::vector<InstructionId> frees_most_first() && {
    for (InstructionId id = 0; id < InstructionId(missing_.size()); ++id) {
      if (missing_[std::size_t(id)] == 0) open(id);
    }
    while (!in_turn_.empty()) place(next());
    return std::move(order_);
  }

 private:
  /// An op that frees memory, as of when it was put into the queue.
  struct Freeing {
    std::int64_t bytes = 0;
    InstructionId id = 0;
    bool operator<(const Freeing& other) const { return bytes != other.bytes ? bytes < other.bytes : id > other.id; }
  };

  void add_edge(InstructionId before, InstructionId after) {
    followers_[std::size_t(before)].push_back(after);
    ++missing_[std::size_t(after)];
  }

  /// Keeps what is before and behind an instruction with effects there.
  void keep_turns() {
    InstructionId last = -1;
    for (InstructionId id = 0; id < InstructionId(missing_.size()); ++id) {
      if (last >= 0) add_edge(last, id);
      if (!keeps_its_turn(entry_[id])) continue;
      for (InstructionId before = last + 1; before < id; ++before) add_edge(before, id);
      last = id;
    }
  }

  bool updates(InstructionId id, int array) const {
    return lives_.array_of[std::size_t(id)] == array && updated_operand(module_, entry_[id]) >= 0;
  }

  void add_array(int array) {
    LiveArray& life = lives_.arrays[std::size_t(array)];
    life.readers.erase(std::ranges::unique(life.readers).begin(), life.readers.end());
    const bool is_kept = life.last_use >= InstructionId(missing_.size());
    freed_[std::size_t(life.origin)] -= std::int64_t(life.bytes.value());
    remaining_.push_back(is_kept ? -1 : int(life.readers.size()));
    std::vector<InstructionId> since;  // readers behind the last update
    InstructionId update = -1;
    for (const InstructionId reader : life.readers) {
      reads_[std::size_t(reader)].push_back(array);
      if (update >= 0) add_edge(update, reader);
      if (!updates(reader, array)) {
        since.push_back(reader);
        continue;
      }
      for (const InstructionId before : since) add_edge(before, reader);
      update = reader;
      since.clear();
    }
    if (remaining_.back() == 1) freed_[std::size_t(life.readers.front())] += std::int64_t(life.bytes.value());
  }

  /// Puts an output that takes a parameter's memory behind the readers of the parameter.
  void follow_readers(const hlo::Donation& donation) {
    const std::vector<InstructionId>& parameters = entry_.parameters;
    if (donation.parameter >= std::int64_t(parameters.size())) return;
    const InstructionId parameter = parameters[std::size_t(donation.parameter)];
    const hlo::Instruction& root = entry_[entry_.root];
    const bool is_element = root.opcode == hlo::Opcode::tuple && donation.output < std::int64_t(root.operands.size());
    const InstructionId output = is_element ? root.operands[std::size_t(donation.output)] : entry_.root;
    const int replacing = lives_.array_of[std::size_t(output)];
    if (replacing < 0) return;
    const InstructionId origin = lives_.arrays[std::size_t(replacing)].origin;
    for (const LiveArray& replaced : lives_.arrays) {
      if (replaced.origin != parameter) continue;
      for (const InstructionId reader : replaced.readers) {
        if (reader < origin) add_edge(reader, origin);
      }
    }
  }

  /// What has to be before each instruction, by what it needs at its peak beyond what it leaves behind, most first.
  std::vector<std::vector<InstructionId>> in_order_of_excess() const {
    std::vector<std::vector<InstructionId>> before(missing_.size());
    for (InstructionId id = 0; id < InstructionId(missing_.size()); ++id) {
      for (const InstructionId after : followers_[std::size_t(id)]) before[std::size_t(after)].push_back(id);
    }
    std::vector<std::int64_t> need(missing_.size(), 0), left(missing_.size(), 0);
    for (const LiveArray& life : lives_.arrays) {
      if (life.definition == life.origin) left[std::size_t(life.origin)] += life.bytes.value();  // else a parameter
    }
    for (InstructionId id = 0; id < InstructionId(missing_.size()); ++id) {
      std::vector<InstructionId>& first = before[std::size_t(id)];
      std::ranges::sort(first);
      first.erase(std::ranges::unique(first).begin(), first.end());
      const auto excess = [&](InstructionId at) { return need[std::size_t(at)] - left[std::size_t(at)]; };
      std::ranges::stable_sort(first, std::ranges::greater{}, excess);
      std::int64_t waiting = 0, most = 0;
      for (const InstructionId at : first) {
        most = std::max(most, waiting + need[std::size_t(at)]);
        waiting += left[std::size_t(at)];
      }
      if (is_free(id)) left[std::size_t(id)] = waiting;  // another name
      need[std::size_t(id)] = std::max(most, waiting + (is_free(id) ? 0 : left[std::size_t(id)]));
    }
    return before;
  }

  /// True for instructions that take neither time nor memory.
  bool is_free(InstructionId id) const {
    const hlo::Instruction& instruction = entry_[id];
    switch (instruction.opcode) {
      case hlo::Opcode::parameter:
      case hlo::Opcode::constant:
      case hlo::Opcode::tuple:
      case hlo::Opcode::get_tuple_element:
      case hlo::Opcode::bitcast:
        return true;
      default:
        break;
    }
    const int array = lives_.array_of[std::size_t(id)];
    return array >= 0 && lives_.arrays[std::size_t(array)].origin != id && !updates(id, array);
  }

  /// Takes up an instruction whose operands are available.
  void open(InstructionId id) {
    if (is_free(id)) {
      place(id);
      return;
    }
    in_turn_.insert(id);
    note_freed(id);
  }

  void note_freed(InstructionId id) {
    if (freed_[std::size_t(id)] > 0 && in_turn_.contains(id)) freeing_.push({freed_[std::size_t(id)], id});
  }

  InstructionId next() {
    while (!freeing_.empty()) {
      const Freeing most = freeing_.top();
      if (!placed_[std::size_t(most.id)] && most.bytes == freed_[std::size_t(most.id)]) return most.id;
      freeing_.pop();
    }
    return *in_turn_.begin();
  }

  void place(InstructionId id) {
    placed_[std::size_t(id)] = true;
    order_.push_back(id);
    in_turn_.erase(id);
    for (const int array : reads_[std::size_t(id)]) {
      if (--remaining_[std::size_t(array)] != 1) continue;
      const LiveArray& life = lives_.arrays[std::size_t(array)];
      const auto last =
          std::ranges::find_if(life.readers, [&](InstructionId reader) { return !placed_[std::size_t(reader)]; });
      freed_[std::size_t(*last)] += std::int64_t(life.bytes.value());
      note_freed(*last);
    }
    for (const InstructionId after : followers_[std::size_t(id)]) {
      if (--missing_[std::size_t(after)] == 0) open(after);
    }
  }

  const hlo::Module& module_;
  const hlo::Computation& entry_;
  Liveness lives_;
  std::vector<int> missing_;                           ///< operands and others that come first and are not placed
  std::vector<std::vector<InstructionId>> followers_;  ///< what waits for an instruction
  std::vector<std::vector<int>> reads_;                ///< arrays, by instruction
  std::vector<int> remaining_;                         ///< readers that are not placed; negative: kept to the end
  std::vector<std::int64_t> freed_;                    ///< bytes by each instruction, if it came next
  std::vector<bool> placed_;
  std::set<InstructionId> in_turn_;  ///< instructions that may come next
  std::priority_queue<Freeing> freeing_;
  std::vector<InstructionId> order_;
};

base::Bytes max_live(const hlo::Module& module, std::span<const hlo::Donation> donations) {
  return std::ranges::max(find_liveness(module, donations).live);
}

}  // namespace

hlo::Module ordered_by_memory(hlo::Module fused, std::span<const hlo::Donation> donations) {
  if (fused.scheduled || fused.entry_computation().instructions.empty()) return fused;
  MemoryOrder orders(fused, donations);
  const std::vector<InstructionId> depth_first = orders.depth_first();
  base::Bytes least = max_live(fused, donations);
  hlo::Computation& entry = fused.computations[std::size_t(fused.entry)];
  const hlo::Computation given = entry;
  for (const std::vector<InstructionId>& order : {std::move(orders).frees_most_first(), depth_first}) {
    hlo::Computation best = std::exchange(entry, fuse::sorted_topologically(given, order));
    const base::Bytes most = max_live(fused, donations);
    if (most >= least) entry = std::move(best);
    least = std::min(least, most);
  }
  return fused;
}

hlo::Module branches_ordered_by_memory(hlo::Module fused) {
  std::set<hlo::ComputationId> branches;
  for (const CoreView& view : core_views(fused)) {
    for (const auto& [id, branch] : view.branch_of) {
      branches.insert(fused.entry_computation()[id].called[std::size_t(branch)]);
    }
  }
  const hlo::ComputationId entry = fused.entry;
  for (const hlo::ComputationId branch : branches) {
    fused.entry = branch;
    fused = ordered_by_memory(std::move(fused));
  }
  fused.entry = entry;
  return fused;
}

}  // namespace podsim::sw::compiler
