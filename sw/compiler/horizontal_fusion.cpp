// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/horizontal_fusion.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sw/compiler/fusion_plan.h"
#include "sw/compiler/rebuild.h"

namespace podsim::sw {
namespace {

/// An op is small if its beginning and end take more than one part in so many.
constexpr double kSmall = 50;

base::Bytes small_traffic(const hw::Machine& machine) {
  const base::Duration latencies = (machine.dma.read_latency + machine.dma.write_latency) / machine.clock;
  return base::Bytes(std::int64_t(kSmall * (latencies * machine.hbm.stream_rate).si()));
}

std::string_view outermost_scope(std::string_view op_name) { return op_name.substr(0, op_name.find('/')); }

/// Instructions of a loop without matmuls, windows, look-ups and control.
bool is_loop_work(const Instruction& instruction) {
  return instruction.opcode == Opcode::reduce || is_fusible_producer(instruction);
}

bool is_loop_op(const Module& module, const Instruction& instruction) {
  if (instruction.phase != AsyncPhase::none) return false;
  if (instruction.opcode != Opcode::fusion) {
    return instruction.opcode == Opcode::reduce || is_elementwise(instruction.opcode);
  }
  return instruction.fusion_kind == FusionKind::loop &&
         std::ranges::all_of(module.computations[instruction.called.front()].instructions, [](const Instruction& i) {
           return is_loop_work(i) || i.opcode == Opcode::parameter || i.opcode == Opcode::tuple;
         });
}

/// Whether an instruction waits for several arrays, whoever computes them.
bool gathers_results(const Computation& entry, InstructionId id) {
  return id == entry.root ? entry[id].opcode == Opcode::tuple
                          : is_collective(entry[id].opcode) && entry[id].operands.size() > 1;
}

/// The body of a merged op while members are added.
class MergedBody {
 public:
  MergedBody(const Module& module, const Computation& entry) : module_(module), entry_(entry) {}

  /// Returns the number of its first result among those of the body.
  std::size_t add(InstructionId member) {
    const std::size_t first = results_.size();
    const Instruction& op = entry_[member];
    if (op.opcode != Opcode::fusion) {
      Instruction copy = op;
      for (InstructionId& operand : copy.operands) operand = parameter(operand);
      results_.push_back(append(std::move(copy)));
      return first;
    }
    const Computation& source = module_.computations[std::size_t(op.called.front())];
    std::vector<InstructionId> renamed;
    for (const Instruction& instruction : source.instructions) {
      Instruction copy = instruction;
      for (InstructionId& operand : copy.operands) operand = renamed[std::size_t(operand)];
      if (copy.opcode == Opcode::parameter) {
        renamed.push_back(parameter(op.operands[std::size_t(copy.index)]));
      } else {
        renamed.push_back(copy.opcode == Opcode::tuple ? -1 : append(std::move(copy)));
      }
    }
    const Instruction& root = source[source.root];
    const std::vector<InstructionId> roots =
        root.opcode == Opcode::tuple ? root.operands : std::vector<InstructionId>{source.root};
    for (InstructionId result : roots) results_.push_back(renamed[std::size_t(result)]);
    return first;
  }

  /// The body, whose result is a tuple; `operands` become what it reads, in the order of its parameters.
  Computation finish(std::string name, std::vector<InstructionId>& operands) && {
    Instruction tuple;
    tuple.opcode = Opcode::tuple;
    std::vector<Shape> shapes;
    for (InstructionId result : results_) shapes.push_back(body_[result].shape);
    tuple.shape = make_tuple_shape(std::move(shapes));
    tuple.operands = std::move(results_);
    body_.root = append(std::move(tuple));
    body_.name = std::move(name);
    operands = std::move(operands_);
    return std::move(body_);
  }

 private:
  InstructionId append(Instruction instruction) {
    instruction.name = fmt::format("{}.{}", to_string(instruction.opcode), body_.instructions.size());
    body_.instructions.push_back(std::move(instruction));
    return InstructionId(body_.instructions.size()) - 1;
  }

  InstructionId parameter(InstructionId operand) {
    const auto [known, added] = parameters_.try_emplace(operand, InstructionId(body_.instructions.size()));
    if (!added) return known->second;
    Instruction parameter;
    parameter.opcode = Opcode::parameter;
    parameter.shape = entry_[operand].shape;
    parameter.index = std::int64_t(operands_.size());
    operands_.push_back(operand);
    body_.parameters.push_back(known->second);
    return append(std::move(parameter));
  }

  const Module& module_;
  const Computation& entry_;
  Computation body_;
  std::map<InstructionId, InstructionId> parameters_;  ///< by operand
  std::vector<InstructionId> operands_, results_;
};

class Merger {
 public:
  Merger(Module module, base::Bytes most) : module_(std::move(module)), most_(most) {}

  Module run() && {
    while (merge_next()) {
    }
    return std::move(module_);
  }

 private:
  Computation& entry() { return module_.computations[std::size_t(module_.entry)]; }

  bool merge_next() {
    const Computation& computation = entry();
    users_ = users_of(computation);
    for (InstructionId id = 0; id < InstructionId(computation.instructions.size()); ++id) {
      if (!gathers_results(computation, id)) continue;
      const std::vector<InstructionId> candidates = candidates_of(id);
      for (std::size_t first = 0; first + 1 < candidates.size(); ++first) {
        const std::vector<InstructionId> group = independent(std::span(candidates).subspan(first));
        if (group.size() < 2) continue;
        merge(group);
        return true;
      }
    }
    return false;
  }

  /// Ops that may be merged because `reader` waits for them, rising.
  std::vector<InstructionId> candidates_of(InstructionId reader) {
    std::vector<InstructionId> found;
    for (InstructionId operand : entry()[reader].operands) {
      const bool is_element = entry()[operand].opcode == Opcode::get_tuple_element;
      const InstructionId op = is_element ? entry()[operand].operands[0] : operand;
      if (is_candidate(op, reader)) found.push_back(op);
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }

  bool is_candidate(InstructionId id, InstructionId reader) {
    const Computation& computation = entry();
    const Instruction& op = computation[id];
    if (!is_loop_op(module_, op)) return false;
    const bool is_taken_apart = std::ranges::all_of(users_[std::size_t(id)], [&](InstructionId user) {
      return computation[user].opcode == Opcode::get_tuple_element;
    });
    if (op.shape.is_tuple() && !is_taken_apart) return false;
    base::Bytes read, held;
    for (InstructionId operand : op.operands) {
      const base::Bytes bytes = padded_bytes(computation[operand].shape);
      read += bytes;
      if (is_temporary_array(operand) && users_[std::size_t(operand)].back() < reader) held += bytes;
    }
    const base::Bytes written = padded_bytes(op.shape);
    return read + written <= most_ && held <= written;
  }

  bool is_temporary_array(InstructionId id) {
    const Instruction& instruction = entry()[id];
    return instruction.opcode != Opcode::parameter && instruction.shape.rank() > 0;
  }

  /// The first of `candidates` and those that follow which need none of those before them.
  std::vector<InstructionId> independent(std::span<const InstructionId> candidates) {
    const Computation& computation = entry();
    const std::string_view scope = outermost_scope(computation[candidates.front()].op_name);
    std::vector<bool> needs(computation.instructions.size(), false);
    std::vector<InstructionId> group;
    std::size_t next = 0;
    for (InstructionId id = candidates.front(); id <= candidates.back(); ++id) {
      const bool depends = std::ranges::any_of(
          computation[id].operands, [&](InstructionId operand) { return bool(needs[std::size_t(operand)]); });
      const bool is_candidate = candidates[next] == id;
      if (is_candidate) ++next;
      const bool joins = is_candidate && !depends && outermost_scope(computation[id].op_name) == scope;
      if (joins) group.push_back(id);
      needs[std::size_t(id)] = depends || joins;
    }
    return group;
  }

  void merge(const std::vector<InstructionId>& group) {
    Computation& computation = entry();
    MergedBody body(module_, computation);
    std::vector<std::size_t> first_results;
    for (InstructionId member : group) first_results.push_back(body.add(member));
    Instruction merged;
    merged.opcode = Opcode::fusion;
    merged.fusion_kind = FusionKind::loop;
    const InstructionId at = InstructionId(computation.instructions.size());
    merged.name = fmt::format("horizontal_fusion.{}", merged_++);
    merged.op_name = outermost_scope(computation[group.front()].op_name);
    Computation finished = std::move(body).finish("fused_computation." + merged.name, merged.operands);
    merged.shape = finished[finished.root].shape;
    merged.called = {module_.entry};
    for (std::size_t i = 0; i < group.size(); ++i) redirect(group[i], at, std::int64_t(first_results[i]));
    computation.instructions.push_back(std::move(merged));
    computation = sorted_topologically(std::move(computation), order_with_last(group.back(), at));
    insert_before_entry(std::move(finished));
  }

  /// The elements of a member's result become elements of the merged op's.
  void redirect(InstructionId member, InstructionId merged, std::int64_t first_result) {
    Computation& computation = entry();
    if (computation[member].shape.is_tuple()) {
      for (InstructionId element : users_[std::size_t(member)]) {
        computation[element].operands = {merged};
        computation[element].index += first_result;
      }
      return;
    }
    Instruction element;
    element.opcode = Opcode::get_tuple_element;
    element.name = computation[member].name;
    element.op_name = computation[member].op_name;
    element.sharding = computation[member].sharding;
    element.shape = computation[member].shape;
    element.operands = {merged};
    element.index = first_result;
    computation[member] = std::move(element);
  }

  /// The present order, with the last instruction where `at` is.
  static std::vector<InstructionId> order_with_last(InstructionId at, InstructionId last) {
    std::vector<InstructionId> order;
    for (InstructionId id = 0; id < last; ++id) {
      if (id == at) order.push_back(last);
      order.push_back(id);
    }
    return order;
  }

  void insert_before_entry(Computation body) {
    const ComputationId at = module_.entry;
    for (Computation& computation : module_.computations) {
      for (Instruction& instruction : computation.instructions) {
        const bool is_new = instruction.opcode == Opcode::fusion && instruction.called.front() == at;
        for (ComputationId& called : instruction.called) called += called >= at && !is_new ? 1 : 0;
      }
    }
    module_.computations.insert(module_.computations.begin() + at, std::move(body));
    module_.entry = at + 1;
  }

  Module module_;
  base::Bytes most_;
  std::vector<std::vector<InstructionId>> users_;  ///< of the entry as it is
  int merged_ = 0;
};

}  // namespace

Module fuse_horizontally(Module module, const hw::Machine& machine) {
  return Merger(std::move(module), small_traffic(machine)).run();
}

}  // namespace podsim::sw
