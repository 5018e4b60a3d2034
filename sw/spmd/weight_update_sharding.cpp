// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/weight_update_sharding.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/spmd/propagation.h"

namespace podsim::sw {
namespace {

/// Of what a cut could save at the best, the part that it must.
constexpr double least_saving = 1 / 1.25;

struct Cut {
  AxisSharding sharding;
  bool even = false;
};

/// Whether another dimension is cut, and not to single elements in front of d: shards cut along d too would be no rows
/// of elements.
bool is_cut_before(const Shape& local, const AxisSharding& sharding, int d) {
  for (int other = 0; other < local.rank(); ++other) {
    const bool single = other < d && local.dimensions[std::size_t(other)] == 1;
    if (other != d && !single && !sharding.dimensions[std::size_t(other)].empty()) return true;
  }
  return false;
}

std::optional<Cut> best_cut(const Mesh& mesh, const Shape& shape, const AxisSharding& present, const SubAxes& along) {
  const std::int64_t before = padded_bytes(local_shape(mesh, shape, present)).value();
  std::optional<Cut> best;
  const Shape now = local_shape(mesh, shape, present);
  for (int d = 0; d < shape.rank(); ++d) {
    if (is_cut_before(now, present, d)) continue;
    Cut cut{present, false};
    SubAxes& sub_axes = cut.sharding.dimensions[std::size_t(d)];
    sub_axes.insert(sub_axes.end(), along.begin(), along.end());
    cut.even = shape.dimensions[std::size_t(d)] % shards(mesh, cut.sharding, d) == 0;
    const std::int64_t after = padded_bytes(local_shape(mesh, shape, cut.sharding)).value();
    const bool saves = double(after * mesh.size(along)) * least_saving <= double(before);
    if (saves && (!best || (cut.even && !best->even))) best = std::move(cut);
  }
  return best;
}

/// The sub-axes of `over` that cut nothing yet, those of one axis together.
std::vector<SubAxes> free_axes(const Mesh& mesh, const AxisSharding& present, const SubAxes& over) {
  std::vector<SubAxes> axes(mesh.axes().size());
  for (SubAxis sub_axis : over) {
    if (!present.uses(sub_axis)) axes[std::size_t(mesh.axis_of(sub_axis))].push_back(sub_axis);
  }
  return axes;
}

/// Elements of the result that depend on a value, rising; cut short beyond `most`.
struct Reach {
  static constexpr std::size_t most = 8;
  std::vector<std::int64_t> results;
  bool more = false;

  void add(const Reach& other) {
    std::vector<std::int64_t> both;
    std::ranges::set_union(results, other.results, std::back_inserter(both));
    more = more || other.more || both.size() > most;
    if (both.size() > most) both.resize(most);
    results = std::move(both);
  }
};

std::vector<Reach> reach_of(const Computation& entry) {
  std::vector<Reach> reach(entry.instructions.size());
  const Instruction& root = entry[entry.root];
  for (std::size_t i = 0; i < root.operands.size(); ++i) {
    reach[std::size_t(root.operands[i])].add({{std::int64_t(i)}, false});
  }
  for (InstructionId id = InstructionId(reach.size()) - 1; id >= 0; --id) {
    if (id == entry.root) continue;
    for (InstructionId operand : entry[id].operands) reach[std::size_t(operand)].add(reach[std::size_t(id)]);
  }
  return reach;
}

/// Results that belong together: what replaces a tensor and its slot variables. A slot variable is read by the update
/// alone, and few results depend on it, all of them replacing ones: those of its tensor.
class TensorResults {
 public:
  TensorResults(const Computation& entry, std::span<const Donation> donations, const std::vector<Reach>& reach)
      : first_(entry[entry.root].operands.size()), replaces_(first_.size(), false) {
    for (std::size_t i = 0; i < first_.size(); ++i) first_[i] = std::int64_t(i);
    if (entry[entry.root].opcode != Opcode::tuple) return;
    for (const Donation& donation : donations) replaces_[std::size_t(donation.output)] = true;
    const auto is_other = [&](std::int64_t result) { return !replaces_[std::size_t(result)]; };
    for (const Donation& donation : donations) {
      const Reach& slot = reach[std::size_t(entry.parameters[std::size_t(donation.parameter)])];
      if (slot.more || std::ranges::any_of(slot.results, is_other)) continue;
      for (std::int64_t result : slot.results) join(donation.output, result);
    }
  }

  /// Whether what these results depend on is of the update of one tensor alone.
  bool are_of_one(const Reach& reach) const {
    return !reach.more && !reach.results.empty() && std::ranges::all_of(reach.results, [&](std::int64_t result) {
      return replaces_[std::size_t(result)] && first_[std::size_t(result)] == first_[std::size_t(reach.results[0])];
    });
  }
  /// Of the one that result `own` belongs to.
  bool are_of(std::int64_t own, const Reach& reach) const {
    return are_of_one(reach) && first_[std::size_t(reach.results[0])] == first_[std::size_t(own)];
  }

 private:
  void join(std::int64_t a, std::int64_t b) {
    const std::int64_t from = first_[std::size_t(b)], to = first_[std::size_t(a)];
    std::ranges::replace(first_, from, to);
  }

  std::vector<std::int64_t> first_;  ///< by result: the one that names its tensor
  std::vector<bool> replaces_;       ///< by result
};

/// Whether a value is spread out of scalars alone, which every reader makes as it needs it.
bool is_made_of_scalars(const Instruction& instruction, const std::vector<bool>& scalars) {
  const bool spreads = is_elementwise(instruction.opcode) || instruction.opcode == Opcode::broadcast ||
                       instruction.opcode == Opcode::reshape || instruction.opcode == Opcode::constant;
  if (!spreads) return !instruction.shape.is_tuple() && instruction.shape.rank() == 0;
  return std::ranges::all_of(instruction.operands,
                             [&](InstructionId operand) { return scalars[std::size_t(operand)]; });
}

bool narrows(const Instruction& instruction, const Shape& from) {
  return instruction.opcode == Opcode::convert &&
         byte_width(instruction.shape.element_type) < byte_width(from.element_type);
}

struct CutTensor {
  AxisSharding whole;       ///< what it would be
  std::int64_t result = 0;  ///< that replaces it
};

class Annotation {
 public:
  Annotation(Module module, const Mesh& mesh, const SubAxes& over, std::span<const ValueSharding> present,
             base::Bytes least)
      : module_(std::move(module)), mesh_(mesh), over_(over), present_(present), least_(least), entry_(entry()) {}

  UpdateSharding run(std::span<const Donation> donations) && {
    const Instruction root = entry_[entry_.root];
    const std::vector<Reach> reach = reach_of(entry_);
    if (root.opcode == Opcode::tuple) {
      for (const Donation& donation : donations) {
        const InstructionId output = root.operands[std::size_t(donation.output)];
        const InstructionId parameter = entry_.parameters[std::size_t(donation.parameter)];
        if (entry_[parameter].shape.is_tuple() || entry_[parameter].shape != entry_[output].shape) continue;
        cut(parameter, output, donation.output);
      }
    }
    gather_for_readers(reach, TensorResults(entry_, donations, reach));
    return std::move(result_);
  }

 private:
  Computation& entry() { return module_.computations[std::size_t(module_.entry)]; }

  void cut(InstructionId parameter, InstructionId output, std::int64_t result) {
    const Shape& shape = entry_[parameter].shape;
    const AxisSharding& whole = present_[std::size_t(parameter)].front();
    if (whole.manual) return;
    const base::Bytes bytes = padded_bytes(local_shape(mesh_, shape, whole));
    const AxisSharding sharding = bytes < least_ ? whole : cut_for_update(mesh_, shape, whole, over_);
    result_.memory.whole += bytes;
    result_.memory.cut += padded_bytes(local_shape(mesh_, shape, sharding));
    if (sharding == whole) return;
    cut_.emplace(parameter, CutTensor{whole, result});
    const auto annotation = std::make_shared<const Sharding>(to_hlo(mesh_, sharding));
    entry_[parameter].sharding = annotation;
    entry_[output].sharding = annotation;
  }

  /// Rewrites the entry with a "Sharding" behind what is to be whole for the network.
  void gather_for_readers(const std::vector<Reach>& reach, const TensorResults& results) {
    std::vector<InstructionId> renumbered, gathered(entry_.instructions.size(), -1);
    std::vector<Instruction> written;
    std::map<InstructionId, CutTensor> narrow;  // conversions of cut tensors
    std::vector<bool> scalars;                  // by instruction: shared by updates of any shardings
    const auto append = [&written](Instruction instruction) {
      written.push_back(std::move(instruction));
      return InstructionId(written.size()) - 1;
    };
    const auto whole = [&](InstructionId id, const AxisSharding& sharding) {
      InstructionId& at = gathered[std::size_t(id)];
      if (at < 0) at = append(sharding_call(entry_[id], renumbered[std::size_t(id)], sharding));
      return at;
    };
    for (InstructionId id = 0; id < InstructionId(entry_.instructions.size()); ++id) {
      Instruction instruction = entry_[id];
      for (InstructionId& operand : instruction.operands) {
        const auto tensor = cut_.find(operand);
        const auto converted = narrow.find(operand);
        const CutTensor* read = tensor != cut_.end()        ? &tensor->second
                                : converted != narrow.end() ? &converted->second
                                                            : nullptr;
        if (read == nullptr || id == entry_.root || results.are_of(read->result, reach[std::size_t(id)])) {
          operand = renumbered[std::size_t(operand)];
        } else if (tensor != cut_.end() && narrows(instruction, entry_[operand].shape)) {
          narrow.emplace(id, *read);
          instruction.sharding = entry_[operand].sharding;
          operand = renumbered[std::size_t(operand)];
        } else {
          operand = whole(operand, read->whole);
        }
      }
      scalars.push_back(is_made_of_scalars(entry_[id], scalars));
      const bool is_of_network = !scalars.back() && !results.are_of_one(reach[std::size_t(id)]);
      if (is_of_network && !narrow.contains(id) && !cut_.contains(id)) keep(instruction, present_[std::size_t(id)]);
      renumbered.push_back(append(std::move(instruction)));
    }
    entry_.instructions = std::move(written);
    entry_.root = renumbered[std::size_t(entry_.root)];
    for (InstructionId& parameter : entry_.parameters) parameter = renumbered[std::size_t(parameter)];
    result_.module = std::move(module_);
  }

  /// What is not of the update stays as it lies without this, whatever its neighbours do.
  void keep(Instruction& instruction, const ValueSharding& sharding) const {
    if (instruction.opcode == Opcode::tuple || sharding.empty()) return;
    instruction.sharding = std::make_shared<const Sharding>(to_hlo(mesh_, instruction.shape, sharding));
  }

  Instruction sharding_call(const Instruction& of, InstructionId operand, const AxisSharding& sharding) const {
    Instruction call;
    call.opcode = Opcode::custom_call;
    call.target = "Sharding";
    call.name = of.name + ".gathered";
    call.op_name = of.op_name;
    call.shape = of.shape;
    call.operands = {operand};
    call.sharding = std::make_shared<const Sharding>(to_hlo(mesh_, sharding));
    return call;
  }

  Module module_;
  const Mesh& mesh_;
  const SubAxes& over_;
  std::span<const ValueSharding> present_;
  base::Bytes least_;
  Computation& entry_;
  std::map<InstructionId, CutTensor> cut_;  ///< parameters
  UpdateSharding result_;
};

Sharding manual_for(const Shape& shape) {
  Sharding sharding;
  sharding.kind = shape.is_tuple() ? Sharding::Kind::tuple : Sharding::Kind::manual;
  for (const Shape& element : shape.tuple_shapes) sharding.elements.push_back(manual_for(element));
  return sharding;
}

}  // namespace

AxisSharding cut_for_update(const Mesh& mesh, const Shape& shape, const AxisSharding& present, const SubAxes& over) {
  AxisSharding sharding = present;
  for (const SubAxes& axis : free_axes(mesh, present, over)) {
    if (std::optional<Cut> whole = best_cut(mesh, shape, sharding, axis)) {
      sharding = std::move(whole->sharding);
      continue;
    }
    for (SubAxis sub_axis : axis) {
      if (std::optional<Cut> cut = best_cut(mesh, shape, sharding, {sub_axis})) sharding = std::move(cut->sharding);
    }
  }
  return sharding;
}

UpdateSharding shard_weight_update(Module module, const Mesh& mesh, const SubAxes& over,
                                   std::span<const Donation> donations, std::span<const ValueSharding> present,
                                   base::Bytes least) {
  return Annotation(std::move(module), mesh, over, present, least).run(donations);
}

UpdateSharding shard_weight_update(Module module, const Mesh& mesh, std::span<const Donation> donations) {
  const ModuleShardings present = propagate(module, mesh);
  const std::vector<ValueSharding>& of_entry = present.values[std::size_t(module.entry)];
  return shard_weight_update(std::move(module), mesh, mesh.all(), donations, of_entry);
}

void make_infeeds_manual(Module& module) {
  for (Instruction& instruction : module.computations[std::size_t(module.entry)].instructions) {
    if (instruction.opcode != Opcode::infeed) continue;
    instruction.sharding = std::make_shared<const Sharding>(manual_for(instruction.shape));
  }
}

}  // namespace podsim::sw
