// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/horizontal_fusion.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
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

/// Which candidates depend on which.
class CandidateDependences {
 public:
  /// `candidates` ascend.
  CandidateDependences(const hlo::Computation& computation, const std::vector<hlo::InstructionId>& candidates)
      : candidates_(candidates), words_((candidates.size() + word_bits - 1) / word_bits) {
    const hlo::InstructionId begin = candidates.front(), end = candidates.back() + 1;
    std::vector<std::uint64_t> needed(std::size_t(end - begin) * words_);  // by instruction, a bit for each candidate
    std::size_t next = 0;
    for (hlo::InstructionId id = begin; id < end; ++id) {
      const auto of = needed.begin() + std::ptrdiff_t(std::size_t(id - begin) * words_);
      for (const hlo::InstructionId operand : computation[id].operands) {
        if (operand < begin) continue;
        const auto from = needed.begin() + std::ptrdiff_t(std::size_t(operand - begin) * words_);
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
  Merger(hlo::Module module, base::Bytes most) : module_(std::move(module)), most_(most) {}

  hlo::Module run() && {
    while (merge_next()) {
    }
    return std::move(module_);
  }

 private:
  hlo::Computation& entry() { return module_.computations[std::size_t(module_.entry)]; }

  bool merge_next() {
    const hlo::Computation& computation = entry();
    users_ = hlo::users_of(computation);
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(computation.instructions.size()); ++id) {
      if (!gathers_results(computation, id)) continue;
      const std::vector<hlo::InstructionId> candidates = candidates_of(id);
      if (candidates.size() < 2 || is_settled(id, candidates)) continue;
      const CandidateDependences dependences(computation, candidates);
      for (std::size_t first = 0; first + 1 < candidates.size(); ++first) {
        const std::vector<hlo::InstructionId> group = dependences.independent(first);
        if (group.size() < 2) continue;
        merge(group);
        return true;
      }
      settled_[computation[id].name] = names_of(candidates);
    }
    return false;
  }

  std::vector<std::string> names_of(const std::vector<hlo::InstructionId>& ids) {
    std::vector<std::string> names;
    for (const hlo::InstructionId id : ids) names.push_back(entry()[id].name);
    return names;
  }

  /// True if these candidates of a reader could not be merged before: a merge of others adds dependences and takes none
  /// away.
  bool is_settled(hlo::InstructionId reader, const std::vector<hlo::InstructionId>& candidates) {
    const auto at = settled_.find(entry()[reader].name);
    return at != settled_.end() && at->second == names_of(candidates);
  }

  /// Ops that may be merged because `reader` waits for them, in ascending order.
  std::vector<hlo::InstructionId> candidates_of(hlo::InstructionId reader) {
    std::vector<hlo::InstructionId> found;
    for (hlo::InstructionId operand : entry()[reader].operands) {
      const bool is_element = entry()[operand].opcode == hlo::Opcode::get_tuple_element;
      const hlo::InstructionId op = is_element ? entry()[operand].operands[0] : operand;
      if (is_candidate(op, reader)) found.push_back(op);
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }

  bool is_candidate(hlo::InstructionId id, hlo::InstructionId reader) {
    const hlo::Computation& computation = entry();
    const hlo::Instruction& op = computation[id];
    if (!is_loop_op(module_, op)) return false;
    const bool is_taken_apart = std::ranges::all_of(users_[std::size_t(id)], [&](hlo::InstructionId user) {
      return computation[user].opcode == hlo::Opcode::get_tuple_element;
    });
    if (op.shape.is_tuple() && !is_taken_apart) return false;
    base::Bytes read, held;
    for (hlo::InstructionId operand : op.operands) {
      const base::Bytes bytes = hlo::padded_bytes(computation[operand].shape);
      read += bytes;
      if (is_temporary_array(operand) && users_[std::size_t(operand)].back() < reader) held += bytes;
    }
    const base::Bytes written = hlo::padded_bytes(op.shape);
    return read + written <= most_ && held <= written;
  }

  bool is_temporary_array(hlo::InstructionId id) {
    const hlo::Instruction& instruction = entry()[id];
    return instruction.opcode != hlo::Opcode::parameter && instruction.shape.rank() > 0;
  }

  void merge(const std::vector<hlo::InstructionId>& group) {
    hlo::Computation& computation = entry();
    MergedBody body(module_, computation);
    std::vector<std::size_t> first_results;
    for (hlo::InstructionId member : group) first_results.push_back(body.add(member));
    hlo::Instruction merged;
    merged.opcode = hlo::Opcode::fusion;
    merged.fusion_kind = hlo::FusionKind::loop;
    const hlo::InstructionId at = hlo::InstructionId(computation.instructions.size());
    merged.name = fmt::format("horizontal_fusion.{}", merged_++);
    merged.op_name = outermost_scope(computation[group.front()].op_name);
    hlo::Computation finished = std::move(body).finish("fused_computation." + merged.name, merged.operands);
    merged.shape = finished[finished.root].shape;
    merged.called = {module_.entry};
    for (std::size_t i = 0; i < group.size(); ++i) redirect(group[i], at, std::int64_t(first_results[i]));
    computation.instructions.push_back(std::move(merged));
    computation = sorted_topologically(std::move(computation), order_with_last(group.back(), at));
    insert_before_entry(std::move(finished));
  }

  /// Makes the results of a member elements of the merged op's result.
  void redirect(hlo::InstructionId member, hlo::InstructionId merged, std::int64_t first_result) {
    hlo::Computation& computation = entry();
    if (computation[member].shape.is_tuple()) {
      for (hlo::InstructionId element : users_[std::size_t(member)]) {
        computation[element].operands = {merged};
        computation[element].index += first_result;
      }
      return;
    }
    hlo::Instruction element;
    element.opcode = hlo::Opcode::get_tuple_element;
    element.name = computation[member].name;
    element.op_name = computation[member].op_name;
    element.sharding = computation[member].sharding;
    element.shape = computation[member].shape;
    element.operands = {merged};
    element.index = first_result;
    computation[member] = std::move(element);
  }

  /// The current order, with the last instruction moved to the position of `at`.
  static std::vector<hlo::InstructionId> order_with_last(hlo::InstructionId at, hlo::InstructionId last) {
    std::vector<hlo::InstructionId> order;
    for (hlo::InstructionId id = 0; id < last; ++id) {
      if (id == at) order.push_back(last);
      order.push_back(id);
    }
    return order;
  }

  void insert_before_entry(hlo::Computation body) {
    const hlo::ComputationId at = module_.entry;
    for (hlo::Computation& computation : module_.computations) {
      for (hlo::Instruction& instruction : computation.instructions) {
        const bool is_new = instruction.opcode == hlo::Opcode::fusion && instruction.called.front() == at;
        for (hlo::ComputationId& called : instruction.called) called += called >= at && !is_new ? 1 : 0;
      }
    }
    module_.computations.insert(module_.computations.begin() + at, std::move(body));
    module_.entry = at + 1;
  }

  hlo::Module module_;
  base::Bytes most_;
  std::vector<std::vector<hlo::InstructionId>> users_;       ///< of the current entry
  std::map<std::string, std::vector<std::string>> settled_;  ///< by reader: candidates that cannot be merged
  int merged_ = 0;
};

}  // namespace

hlo::Module fuse_horizontally(hlo::Module module, const TargetMachine& machine) {
  return Merger(std::move(module), small_traffic(machine)).run();
}

}  // namespace podsim::sw::compiler::fuse
