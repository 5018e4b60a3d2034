// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/horizontal_fusion.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sw/compiler/fuse/fusion_plan.h"
#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// The traffic of an op whose latencies take compiler.small_op_share of its time; an op with less is small.
base::Bytes small_traffic(const TargetMachine& machine) {
  const base::Duration latencies = (machine.dma.read_latency + machine.dma.write_latency) / machine.clock;
  return base::Bytes(std::int64_t((latencies * machine.hbm.stream_rate).si() / machine.passes.small_op_share));
}

std::string_view outermost_scope(std::string_view op_name) { return op_name.substr(0, op_name.find('/')); }

/// True for instructions of a loop, without matmuls, windows, lookups and control flow.
bool is_loop_work(const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::reduce || is_fusible_producer(instruction);
}

bool is_loop_op(const hlo::Module& module, const hlo::Instruction& instruction) {
  if (instruction.phase != hlo::AsyncPhase::none) return false;
  if (instruction.opcode != hlo::Opcode::fusion) {
    return instruction.opcode == hlo::Opcode::reduce || hlo::is_elementwise(instruction.opcode);
  }
  return instruction.fusion_kind == hlo::FusionKind::loop &&
         std::ranges::all_of(
             module.computations[instruction.called.front()].instructions, [](const hlo::Instruction& i) {
               return is_loop_work(i) || i.opcode == hlo::Opcode::parameter || i.opcode == hlo::Opcode::tuple;
             });
}

/// True if an instruction waits for several arrays from any ops.
bool gathers_results(const hlo::Computation& entry, hlo::InstructionId id) {
  return id == entry.root ? entry[id].opcode == hlo::Opcode::tuple
                          : hlo::is_collective(entry[id].opcode) && entry[id].operands.size() > 1;
}

/// The body of a merged op while members are added.
class MergedBody {
 public:
  MergedBody(const hlo::Module& module, const hlo::Computation& entry) : module_(module), entry_(entry) {}

  /// Adds the instructions of an op. Returns the index of its first result among the results of the body.
  std::size_t add(hlo::InstructionId member) {
    const std::size_t first = results_.size();
    const hlo::Instruction& op = entry_[member];
    if (op.opcode != hlo::Opcode::fusion) {
      hlo::Instruction copy = op;
      for (hlo::InstructionId& operand : copy.operands) operand = parameter(operand);
      results_.push_back(append(std::move(copy)));
      return first;
    }
    const hlo::Computation& source = module_.computations[std::size_t(op.called.front())];
    std::vector<hlo::InstructionId> renamed;
    for (const hlo::Instruction& instruction : source.instructions) {
      hlo::Instruction copy = instruction;
      for (hlo::InstructionId& operand : copy.operands) operand = renamed[std::size_t(operand)];
      if (copy.opcode == hlo::Opcode::parameter) {
        renamed.push_back(parameter(op.operands[std::size_t(copy.index)]));
      } else {
        renamed.push_back(copy.opcode == hlo::Opcode::tuple ? -1 : append(std::move(copy)));
      }
    }
    const hlo::Instruction& root = source[source.root];
    const std::vector<hlo::InstructionId> roots =
        root.opcode == hlo::Opcode::tuple ? root.operands : std::vector<hlo::InstructionId>{source.root};
    for (hlo::InstructionId result : roots) results_.push_back(renamed[std::size_t(result)]);
    return first;
  }

  /// Returns the body, with a tuple as result. Sets `operands` to the values that it reads, in the order of its
  /// parameters.
  hlo::Computation finish(std::string name, std::vector<hlo::InstructionId>& operands) && {
    hlo::Instruction tuple;
    tuple.opcode = hlo::Opcode::tuple;
    std::vector<hlo::Shape> shapes;
    for (hlo::InstructionId result : results_) shapes.push_back(body_[result].shape);
    tuple.shape = hlo::make_tuple_shape(std::move(shapes));
    tuple.operands = std::move(results_);
    body_.root = append(std::move(tuple));
    body_.name = std::move(name);
    operands = std::move(operands_);
    return std::move(body_);
  }

 private:
  hlo::InstructionId append(hlo::Instruction instruction) {
    instruction.name = fmt::format("{}.{}", hlo::to_string(instruction.opcode), body_.instructions.size());
    body_.instructions.push_back(std::move(instruction));
    return hlo::InstructionId(body_.instructions.size()) - 1;
  }

  hlo::InstructionId parameter(hlo::InstructionId operand) {
    const auto [known, added] = parameters_.try_emplace(operand, hlo::InstructionId(body_.instructions.size()));
    if (!added) return known->second;
    hlo::Instruction parameter;
    parameter.opcode = hlo::Opcode::parameter;
    parameter.shape = entry_[operand].shape;
    parameter.index = std::int64_t(operands_.size());
    operands_.push_back(operand);
    body_.parameters.push_back(known->second);
    return append(std::move(parameter));
  }

  const hlo::Module& module_;
  const hlo::Computation& entry_;
  hlo::Computation body_;
  std::map<hlo::InstructionId, hlo::InstructionId> parameters_;  ///< by operand
  std::vector<hlo::InstructionId> operands_, results_;
};

/// The entry computation while ops of it are merged: ids stay, positions change.
class MergedEntry {
 public:
  explicit MergedEntry(hlo::Module& module)
      : module_(module), order_(entry().instructions.size()), users_(hlo::users_of(entry())) {
    std::iota(order_.begin(), order_.end(), 0);
    position_ = order_;
  }

  const std::vector<hlo::InstructionId>& order() const { return order_; }
  hlo::InstructionId position(hlo::InstructionId id) const { return position_[std::size_t(id)]; }
  const std::vector<hlo::InstructionId>& users(hlo::InstructionId id) const { return users_[std::size_t(id)]; }

  bool is_read_from(hlo::InstructionId id, hlo::InstructionId reader) const {
    return std::ranges::any_of(users(id), [&](hlo::InstructionId user) { return position(user) >= position(reader); });
  }

  /// Puts `merged`, an instruction that is new and the last one, in the position of the last of `group`, in ascending
  /// positions; results of a member are its elements from `first_results` on. What reads a member and was before the
  /// last one follows the merged op. Returns what follows it for that.
  std::vector<hlo::InstructionId> replace(const std::vector<hlo::InstructionId>& group, hlo::InstructionId merged,
                                          const std::vector<std::size_t>& first_results) {
    users_.emplace_back();
    position_.push_back(position(group.back()));
    for (const hlo::InstructionId member : group) forget_reads(member);
    for (const hlo::InstructionId operand : entry()[merged].operands) users_[std::size_t(operand)].push_back(merged);
    const std::size_t first = std::size_t(position(group.front())), last = std::size_t(position(group.back()));
    for (std::size_t i = 0; i < group.size(); ++i) redirect(group[i], merged, std::int64_t(first_results[i]));
    std::vector<hlo::InstructionId> between, delayed;
    std::set<hlo::InstructionId> later{merged};
    for (std::size_t at = first; at <= last; ++at) {
      const hlo::InstructionId id = order_[at];
      const bool is_taken_apart = entry()[id].shape.is_tuple() && std::ranges::find(group, id) != group.end();
      if (is_taken_apart) continue;  // nothing reads it any more
      const bool waits = std::ranges::any_of(entry()[id].operands,
                                             [&](hlo::InstructionId operand) { return later.contains(operand); });
      if (waits) later.insert(id);
      (waits ? delayed : between).push_back(id);
    }
    between.push_back(merged);
    between.insert(between.end(), delayed.begin(), delayed.end());
    const auto from = order_.begin() + std::ptrdiff_t(first);
    order_.insert(order_.erase(from, from + std::ptrdiff_t(last - first + 1)), between.begin(), between.end());
    for (std::size_t at = first; at < order_.size(); ++at) position_[std::size_t(order_[at])] = hlo::InstructionId(at);
    return delayed;
  }

  /// The computation in its order, without what nothing reads any more.
  void finish() {
    hlo::Computation& computation = entry();
    std::vector<hlo::Instruction> sorted;
    sorted.reserve(order_.size());
    for (const hlo::InstructionId id : order_) {
      sorted.push_back(std::move(computation.instructions[std::size_t(id)]));
      for (hlo::InstructionId& operand : sorted.back().operands) operand = position(operand);
    }
    computation.instructions = std::move(sorted);
    computation.root = position(computation.root);
    for (hlo::InstructionId& parameter : computation.parameters) parameter = position(parameter);
  }

 private:
  void forget_reads(hlo::InstructionId reader) {
    for (const hlo::InstructionId operand : entry()[reader].operands) std::erase(users_[std::size_t(operand)], reader);
  }

  /// Makes the results of a member elements of the merged op's result.
  void redirect(hlo::InstructionId member, hlo::InstructionId merged, std::int64_t first_result) {
    if (entry()[member].shape.is_tuple()) {
      for (const hlo::InstructionId element : users(member)) {
        entry()[element].operands = {merged};
        entry()[element].index += first_result;
        users_[std::size_t(merged)].push_back(element);
      }
      users_[std::size_t(member)].clear();
      return;
    }
    hlo::Instruction element;
    element.opcode = hlo::Opcode::get_tuple_element;
    element.name = entry()[member].name;
    element.op_name = entry()[member].op_name;
    element.sharding = entry()[member].sharding;
    element.shape = entry()[member].shape;
    element.operands = {merged};
    element.index = first_result;
    entry()[member] = std::move(element);
    users_[std::size_t(merged)].push_back(member);
  }

  hlo::Computation& entry() { return module_.computations[std::size_t(module_.entry)]; }

  hlo::Module& module_;
  std::vector<hlo::InstructionId> order_;               ///< by position
  std::vector<hlo::InstructionId> position_;            ///< by instruction
  std::vector<std::vector<hlo::InstructionId>> users_;  ///< by instruction, in any order
};

/// Which candidates depend on which.
class CandidateDependences {
 public:
  /// Positions of `candidates` ascend.
  CandidateDependences(const hlo::Computation& computation, const MergedEntry& entry,
                       const std::vector<hlo::InstructionId>& candidates)
      : candidates_(candidates), words_((candidates.size() + word_bits - 1) / word_bits) {
    const hlo::InstructionId begin = entry.position(candidates.front()), end = entry.position(candidates.back()) + 1;
    std::vector<std::uint64_t> needed(std::size_t(end - begin) * words_);  // by position, a bit for each candidate
    std::size_t next = 0;
    for (hlo::InstructionId at = begin; at < end; ++at) {
      const hlo::InstructionId id = entry.order()[std::size_t(at)];
      const auto of = needed.begin() + std::ptrdiff_t(std::size_t(at - begin) * words_);
      for (const hlo::InstructionId operand : computation[id].operands) {
        if (entry.position(operand) < begin) continue;
        const auto from = needed.begin() + std::ptrdiff_t(std::size_t(entry.position(operand) - begin) * words_);
        for (std::size_t word = 0; word < words_; ++word) of[std::ptrdiff_t(word)] |= from[std::ptrdiff_t(word)];
      }
      if (candidates[next] != id) continue;
      needed_.insert(needed_.end(), of, of + std::ptrdiff_t(words_));
      scopes_.push_back(outermost_scope(computation[id].op_name));
      of[std::ptrdiff_t(next / word_bits)] |= std::uint64_t(1) << next % word_bits;
      ++next;
    }
  }

  /// Candidate number `first`, and those that follow in the same scope and do not depend on ops chosen before them.
  std::vector<hlo::InstructionId> independent(std::size_t first) const {
    std::vector<hlo::InstructionId> group;
    std::vector<std::uint64_t> chosen(words_);
    for (std::size_t i = first; i < candidates_.size(); ++i) {
      if (scopes_[i] != scopes_[first] || needs_one_of(i, chosen)) continue;
      group.push_back(candidates_[i]);
      chosen[i / word_bits] |= std::uint64_t(1) << i % word_bits;
    }
    return group;
  }

 private:
  static constexpr std::size_t word_bits = 64;

  bool needs_one_of(std::size_t candidate, const std::vector<std::uint64_t>& chosen) const {
    for (std::size_t word = 0; word < words_; ++word) {
      if ((needed_[candidate * words_ + word] & chosen[word]) != 0) return true;
    }
    return false;
  }

  const std::vector<hlo::InstructionId>& candidates_;
  std::size_t words_;                  ///< of a set of candidates
  std::vector<std::uint64_t> needed_;  ///< by candidate: those on which it depends
  std::vector<std::string_view> scopes_;
};

class Merger {
 public:
  Merger(hlo::Module module, base::Bytes most)
      : module_(std::move(module)), most_(most), first_body_(module_.computations.size()), merged_(module_) {
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry().instructions.size()); ++id) {
      if (gathers_results(entry(), id)) open_.insert(id);
    }
  }

  hlo::Module run() && {
    while (!open_.empty()) {
      const hlo::InstructionId reader =
          *std::ranges::min_element(open_, {}, [&](hlo::InstructionId id) { return merged_.position(id); });
      if (!merge_for(reader)) open_.erase(reader);
    }
    merged_.finish();
    move_bodies_before_entry();
    return std::move(module_);
  }

 private:
  hlo::Computation& entry() { return module_.computations[std::size_t(module_.entry)]; }

  /// Merges the first ops that `reader` waits for and that can be merged. Returns false if there are none.
  bool merge_for(hlo::InstructionId reader) {
    const std::vector<hlo::InstructionId> candidates = candidates_of(reader);
    if (candidates.size() < 2 || settled_[reader] == candidates) return false;
    const CandidateDependences dependences(entry(), merged_, candidates);
    for (std::size_t first = 0; first + 1 < candidates.size(); ++first) {
      const std::vector<hlo::InstructionId> group = dependences.independent(first);
      if (group.size() < 2) continue;
      merge(group);
      return true;
    }
    // A merge of others adds dependences and takes none away.
    settled_[reader] = candidates;
    return false;
  }

  /// Ops that may be merged because `reader` waits for them, in ascending positions.
  std::vector<hlo::InstructionId> candidates_of(hlo::InstructionId reader) {
    std::vector<hlo::InstructionId> found;
    for (hlo::InstructionId operand : entry()[reader].operands) {
      const bool is_element = entry()[operand].opcode == hlo::Opcode::get_tuple_element;
      const hlo::InstructionId op = is_element ? entry()[operand].operands[0] : operand;
      if (is_candidate(op, reader)) found.push_back(op);
    }
    std::ranges::sort(found, {}, [&](hlo::InstructionId id) { return merged_.position(id); });
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }

  bool is_candidate(hlo::InstructionId id, hlo::InstructionId reader) {
    const hlo::Computation& computation = entry();
    const hlo::Instruction& op = computation[id];
    if (op.opcode == hlo::Opcode::get_tuple_element || !is_small_loop_op(id)) return false;
    const bool is_taken_apart = std::ranges::all_of(merged_.users(id), [&](hlo::InstructionId user) {
      return computation[user].opcode == hlo::Opcode::get_tuple_element;
    });
    if (op.shape.is_tuple() && !is_taken_apart) return false;
    base::Bytes held;
    for (hlo::InstructionId operand : op.operands) {
      if (is_temporary_array(operand) && !merged_.is_read_from(operand, reader)) held += bytes_of(operand);
    }
    return held <= bytes_of(id);
  }

  bool is_small_loop_op(hlo::InstructionId id) {
    const auto [known, is_new] = small_loop_ops_.try_emplace(id);
    if (!is_new) return known->second;
    if (!is_loop_op(module_, entry()[id])) return false;
    base::Bytes moved = bytes_of(id);
    for (hlo::InstructionId operand : entry()[id].operands) moved += bytes_of(operand);
    return known->second = moved <= most_;
  }

  base::Bytes bytes_of(hlo::InstructionId id) {
    const auto [known, is_new] = bytes_.try_emplace(id);
    if (is_new) known->second = hlo::padded_bytes(entry()[id].shape);
    return known->second;
  }

  bool is_temporary_array(hlo::InstructionId id) {
    const hlo::Instruction& instruction = entry()[id];
    return instruction.opcode != hlo::Opcode::parameter && instruction.shape.rank() > 0;
  }

  void merge(const std::vector<hlo::InstructionId>& group) {
    MergedBody body(module_, entry());
    std::vector<std::size_t> first_results;
    for (hlo::InstructionId member : group) first_results.push_back(body.add(member));
    hlo::Instruction merged;
    merged.opcode = hlo::Opcode::fusion;
    merged.fusion_kind = hlo::FusionKind::loop;
    const hlo::InstructionId at = hlo::InstructionId(entry().instructions.size());
    merged.name = fmt::format("horizontal_fusion.{}", merges_++);
    merged.op_name = outermost_scope(entry()[group.front()].op_name);
    hlo::Computation finished = std::move(body).finish("fused_computation." + merged.name, merged.operands);
    merged.shape = finished[finished.root].shape;
    merged.called = {hlo::ComputationId(module_.computations.size())};
    entry().instructions.push_back(std::move(merged));
    module_.computations.push_back(std::move(finished));
    open_readers(at, merged_.replace(group, at, first_results));
  }

  /// Readers whose candidates may be others now: they read the merged op, or what reads the same values as it or as the
  /// ops that follow it now, or follow it themselves.
  void open_readers(hlo::InstructionId merged, const std::vector<hlo::InstructionId>& moved) {
    open_readers_of(merged);
    open_siblings(merged);
    for (const hlo::InstructionId id : moved) {
      if (gathers_results(entry(), id)) open_.insert(id);
      open_siblings(id);
    }
  }

  void open_siblings(hlo::InstructionId id) {
    for (const hlo::InstructionId operand : entry()[id].operands) {
      if (!is_temporary_array(operand)) continue;
      for (const hlo::InstructionId user : merged_.users(operand)) open_readers_of(user);
    }
  }

  void open_readers_of(hlo::InstructionId id) {
    for (const hlo::InstructionId user : merged_.users(id)) {
      if (gathers_results(entry(), user)) open_.insert(user);
      if (entry()[user].opcode == hlo::Opcode::get_tuple_element) open_readers_of(user);
    }
  }

  /// Computations are called by those behind them.
  void move_bodies_before_entry() {
    const std::size_t entry = std::size_t(module_.entry), bodies = module_.computations.size() - first_body_;
    const auto at = module_.computations.begin();
    std::rotate(at + module_.entry, at + std::ptrdiff_t(first_body_), module_.computations.end());
    for (hlo::Computation& computation : module_.computations) {
      for (hlo::Instruction& instruction : computation.instructions) {
        for (hlo::ComputationId& called : instruction.called) {
          if (std::size_t(called) < entry) continue;
          called += std::size_t(called) < first_body_ ? hlo::ComputationId(bodies)
                                                      : hlo::ComputationId(entry) - hlo::ComputationId(first_body_);
        }
      }
    }
    module_.entry += hlo::ComputationId(bodies);
  }

  hlo::Module module_;
  base::Bytes most_;
  std::size_t first_body_;  ///< bodies of merged ops are the computations from here on
  MergedEntry merged_;
  std::unordered_map<hlo::InstructionId, bool> small_loop_ops_;  ///< ops known to be so, or not
  std::unordered_map<hlo::InstructionId, base::Bytes> bytes_;    ///< of results that have been looked at
  std::set<hlo::InstructionId> open_;                            ///< readers to look at
  std::map<hlo::InstructionId, std::vector<hlo::InstructionId>>
      settled_;  ///< by reader: candidates that cannot be merged
  int merges_ = 0;
};

}  // namespace

hlo::Module fuse_horizontally(hlo::Module module, const TargetMachine& machine) {
  return Merger(std::move(module), small_traffic(machine)).run();
}

}  // namespace podsim::sw::compiler::fuse
