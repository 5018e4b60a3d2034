// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/weight_update_sharding.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/spmd/mesh/tile_split.h"
#include "hlo/spmd/propagate/propagation.h"

namespace podsim::hlo::spmd::propagate {
namespace {

/// Maximum ratio of the elements of all shards to those of the array: the shards of an uneven dimension are padded.
constexpr double max_elements = 1.25;

struct Candidate {
  mesh::AxisSharding sharding;
  bool even = false;
  bool in_a_row = false;  ///< the elements of a shard follow each other
};

/// True if another dimension than d is split further than `given`, unless it precedes d and is split to single
/// elements: shards split along d as well would then not be contiguous rows of the elements that replicas hold.
bool is_split_before(const hlo::Shape& local, const mesh::AxisSharding& given, const mesh::AxisSharding& sharding,
                     int d) {
  for (std::size_t other = 0; other < local.dimensions.size(); ++other) {
    const bool single = int(other) < d && local.dimensions[other] == 1;
    const bool further = sharding.dimensions[other].size() > given.dimensions[other].size();
    if (int(other) != d && !single && further) return true;
  }
  return false;
}

/// The best split along more sub-axes of an array that replicas hold with the sharding `given` and that has `present`.
std::optional<Candidate> best_split(const mesh::Mesh& mesh, const hlo::Shape& shape, const mesh::AxisSharding& given,
                                    const mesh::AxisSharding& present, const mesh::SubAxes& along) {
  const hlo::Shape now = mesh::local_shape(mesh, shape, present);
  std::optional<Candidate> best;
  for (int d = 0; d < shape.rank(); ++d) {
    if (is_split_before(now, given, present, d)) continue;
    const bool in_a_row =
        std::all_of(now.dimensions.begin(), now.dimensions.begin() + d, [](std::int64_t n) { return n == 1; });
    Candidate cut{present, false, in_a_row};
    mesh::SubAxes& sub_axes = cut.sharding.dimensions[std::size_t(d)];
    sub_axes.insert(sub_axes.end(), along.begin(), along.end());
    cut.even = shape.dimensions[std::size_t(d)] % mesh::shards(mesh, cut.sharding, d) == 0;
    const hlo::Shape after = mesh::local_shape(mesh, shape, cut.sharding);
    const bool divides = double(after.element_count() * mesh.size(along)) <= max_elements * double(now.element_count());
    const bool fits = hlo::padded_bytes(after) <= hlo::padded_bytes(now);
    if (divides && fits && (!best || (cut.even && !best->even))) best = std::move(cut);
  }
  return best;
}

/// The sub-axes of `over` that `present` does not use, grouped by mesh axis.
std::vector<mesh::SubAxes> free_axes(const mesh::Mesh& mesh, const mesh::AxisSharding& present,
                                     const mesh::SubAxes& over) {
  std::vector<mesh::SubAxes> axes(mesh.axes().size());
  for (mesh::SubAxis sub_axis : over) {
    if (!present.uses(sub_axis)) axes[std::size_t(mesh.axis_of(sub_axis))].push_back(sub_axis);
  }
  return axes;
}

/// A split into shards that follow each other in memory.
struct TileByTile {
  mesh::AxisSharding sharding;
  mesh::SubAxes in_memory;  ///< what numbers the shards: arrays of one order have their collectives combined
};

/// The split over all free sub-axes into shards that follow each other in memory, if there is one.
std::optional<TileByTile> tile_by_tile(const mesh::Mesh& mesh, const hlo::Shape& shape,
                                       const mesh::AxisSharding& present, const mesh::SubAxes& over) {
  mesh::SubAxes along;
  for (const mesh::SubAxes& axis : free_axes(mesh, present, over)) along.insert(along.end(), axis.begin(), axis.end());
  if (along.empty() || !mesh::is_even(mesh, shape, present)) return std::nullopt;
  std::optional<mesh::TileSplit> split = mesh::tile_split(mesh, mesh::local_shape(mesh, shape, present), along);
  if (!split) return std::nullopt;
  TileByTile cut{present, std::move(split->in_memory)};
  for (std::size_t i = 0; i < along.size(); ++i) {
    cut.sharding.dimensions[std::size_t(split->dimensions[i])].push_back(along[i]);
  }
  return cut;
}

/// Elements of the result that depend on a value, ascending. At most `most` are kept; `more` is set if there are
/// others. Results that depend on it only through a scalar of several tensors, such as the norm of all gradients, are
/// left out: sums over shards add up to it.
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

bool is_scalar(const hlo::Instruction& instruction) {
  return !instruction.shape.is_tuple() && instruction.shape.rank() == 0;
}

/// `passes(reach)` says whether a scalar with this reach passes it on to the arrays that it is computed from.
template <typename Passes>
std::vector<Reach> reach_of(const hlo::Computation& entry, const Passes& passes) {
  std::vector<Reach> reach(entry.instructions.size());
  const hlo::Instruction& root = entry[entry.root];
  for (std::size_t i = 0; i < root.operands.size(); ++i) {
    reach[std::size_t(root.operands[i])].add({.results = {std::int64_t(i)}});
  }
  for (hlo::InstructionId id = hlo::InstructionId(reach.size()) - 1; id >= 0; --id) {
    if (id == entry.root) continue;
    const Reach& own = reach[std::size_t(id)];
    const bool stops = is_scalar(entry[id]) && !passes(own);
    for (hlo::InstructionId operand : entry[id].operands) {
      if (!stops || is_scalar(entry[operand])) reach[std::size_t(operand)].add(own);
    }
  }
  return reach;
}

/// Values that go element by element into sums over all their elements and nowhere else, by instruction.
std::vector<bool> addends_of(const hlo::Computation& entry) {
  const std::vector<std::vector<hlo::InstructionId>> users = hlo::users_of(entry);
  std::vector<bool> addends(entry.instructions.size(), false);
  for (hlo::InstructionId id = hlo::InstructionId(addends.size()) - 1; id >= 0; --id) {
    addends[std::size_t(id)] =
        hlo::is_elementwise(entry[id].opcode) && id != entry.root && !users[std::size_t(id)].empty() &&
        std::ranges::all_of(users[std::size_t(id)], [&](hlo::InstructionId user) {
          return addends[std::size_t(user)] || (entry[user].opcode == hlo::Opcode::reduce && is_scalar(entry[user]));
        });
  }
  return addends;
}

/// Groups the results that replace a tensor and its slot variables. Only the update reads a slot variable, so the few
/// results that depend on it are all replacements, and belong to its tensor.
class TensorResults {
 public:
  TensorResults(const hlo::Computation& entry, std::span<const hlo::Donation> donations,
                const std::vector<Reach>& reach)
      : first_(entry[entry.root].operands.size()), replaces_(first_.size(), false) {
    for (std::size_t i = 0; i < first_.size(); ++i) first_[i] = std::int64_t(i);
    if (entry[entry.root].opcode != hlo::Opcode::tuple) return;
    for (const hlo::Donation& donation : donations) replaces_[std::size_t(donation.output)] = true;
    const auto is_other = [&](std::int64_t result) { return !replaces_[std::size_t(result)]; };
    for (const hlo::Donation& donation : donations) {
      const Reach& slot = reach[std::size_t(entry.parameters[std::size_t(donation.parameter)])];
      if (slot.more || std::ranges::any_of(slot.results, is_other)) continue;
      for (std::int64_t result : slot.results) join(donation.output, result);
    }
  }

  /// True if all results in `reach` belong to the update of one tensor.
  bool are_of_one(const Reach& reach) const {
    return !reach.more && !reach.results.empty() && std::ranges::all_of(reach.results, [&](std::int64_t result) {
      return replaces_[std::size_t(result)] && first_[std::size_t(result)] == first_[std::size_t(reach.results[0])];
    });
  }
  /// True for one result of every tensor.
  bool stands_for_a_tensor(std::int64_t result) const { return first_[std::size_t(result)] == result; }
  /// True if all results in `reach` belong to the tensor of result `own`.
  bool are_of(std::int64_t own, const Reach& reach) const {
    return are_of_one(reach) && first_[std::size_t(reach.results[0])] == first_[std::size_t(own)];
  }

 private:
  void join(std::int64_t a, std::int64_t b) {
    const std::int64_t from = first_[std::size_t(b)], to = first_[std::size_t(a)];
    std::ranges::replace(first_, from, to);
  }

  std::vector<std::int64_t> first_;  ///< by result: the result that identifies its tensor
  std::vector<bool> replaces_;       ///< by result: it replaces a parameter
};

/// True if a value is made only of scalars and constants, by broadcasts and elementwise ops. Every reader can then
/// compute it in the sharding that it needs.
bool is_made_of_scalars(const hlo::Instruction& instruction, const std::vector<bool>& scalars) {
  const bool spreads = hlo::is_elementwise(instruction.opcode) || instruction.opcode == hlo::Opcode::broadcast ||
                       instruction.opcode == hlo::Opcode::reshape || instruction.opcode == hlo::Opcode::constant;
  if (!spreads) return !instruction.shape.is_tuple() && instruction.shape.rank() == 0;
  return std::ranges::all_of(instruction.operands,
                             [&](hlo::InstructionId operand) { return scalars[std::size_t(operand)]; });
}

bool narrows(const hlo::Instruction& instruction, const hlo::Shape& from) {
  return instruction.opcode == hlo::Opcode::convert &&
         hlo::byte_width(instruction.shape.element_type) < hlo::byte_width(from.element_type);
}

/// Bytes of an array in the order of dimensions that pads it least.
base::Bytes memory_of(hlo::Shape shape) {
  shape.minor_to_major = hlo::min_padded_order(shape);
  return hlo::padded_bytes(shape);
}

struct ShardedTensor {
  mesh::AxisSharding whole;  ///< its sharding without this
  std::int64_t result = 0;   ///< the result that replaces it
};

class Annotation {
 public:
  Annotation(hlo::Module module, const mesh::Mesh& mesh, const mesh::SubAxes& over,
             std::span<const mesh::ValueSharding> present, base::Bytes least, base::Bytes combined)
      : module_(std::move(module)),
        mesh_(mesh),
        over_(over),
        present_(present),
        least_(least),
        combined_(combined),
        entry_(entry()) {}

  UpdateSharding run(std::span<const hlo::Donation> donations) && {
    const hlo::Instruction root = entry_[entry_.root];
    const TensorResults results(entry_, donations, reach_of(entry_, [](const Reach&) { return false; }));
    const std::vector<Reach> reach = reach_of(entry_, [&](const Reach& own) { return results.are_of_one(own); });
    if (root.opcode == hlo::Opcode::tuple) {
      count_orders(donations, results);
      for (const hlo::Donation& donation : donations) {
        const hlo::InstructionId output = root.operands[std::size_t(donation.output)];
        const hlo::InstructionId parameter = entry_.parameters[std::size_t(donation.parameter)];
        if (entry_[parameter].shape.is_tuple() || entry_[parameter].shape != entry_[output].shape) continue;
        shard(parameter, output, donation.output);
      }
    }
    gather_for_readers(reach, results);
    return std::move(result_);
  }

 private:
  hlo::Computation& entry() { return module_.computations[std::size_t(module_.entry)]; }

  /// Sums up the gradients by the order in which tiles number their shards.
  void count_orders(std::span<const hlo::Donation> donations, const TensorResults& results) {
    constexpr std::int64_t gradient_width = 2;  // bytes; networks read weights in 16 bits
    for (const hlo::Donation& donation : donations) {
      const hlo::InstructionId parameter = entry_.parameters[std::size_t(donation.parameter)];
      const hlo::Shape& shape = entry_[parameter].shape;
      if (shape.is_tuple() || !results.stands_for_a_tensor(donation.output)) continue;
      const mesh::AxisSharding& whole = present_[std::size_t(parameter)].front();
      if (whole.manual || is_small(shape, whole)) continue;
      const std::optional<TileByTile> tiles = tile_by_tile(mesh_, shape, whole, over_);
      if (!tiles) continue;
      gradients_[tiles->in_memory] +=
          base::Bytes(gradient_width * mesh::local_shape(mesh_, shape, whole).element_count());
    }
  }

  bool is_small(const hlo::Shape& shape, const mesh::AxisSharding& whole) const {
    return hlo::logical_bytes(mesh::local_shape(mesh_, shape, whole)) < least_;
  }

  mesh::AxisSharding sharding_of(const hlo::Shape& shape, const mesh::AxisSharding& whole) {
    in_tiles_ = false;
    if (is_small(shape, whole)) return whole;
    if (std::optional<TileByTile> tiles = tile_by_tile(mesh_, shape, whole, over_)) {
      const auto gradients = gradients_.find(tiles->in_memory);
      if (gradients != gradients_.end() && gradients->second >= combined_) {
        result_.tile_by_tile = true;
        in_tiles_ = true;
        return std::move(tiles->sharding);
      }
    }
    return shard_for_update(mesh_, shape, whole, over_);
  }

  void shard(hlo::InstructionId parameter, hlo::InstructionId output, std::int64_t result) {
    const hlo::Shape& shape = entry_[parameter].shape;
    const mesh::AxisSharding& whole = present_[std::size_t(parameter)].front();
    if (whole.manual) return;
    const mesh::AxisSharding sharding = sharding_of(shape, whole);
    result_.memory.whole += memory_of(mesh::local_shape(mesh_, shape, whole));
    result_.memory.sharded += memory_of(mesh::local_shape(mesh_, shape, sharding));
    if (sharding == whole) {
      ++result_.shards.whole;
      return;
    }
    ++(in_tiles_ ? result_.shards.of_tiles : result_.shards.of_rows);
    sharded_.emplace(parameter, ShardedTensor{whole, result});
    const auto annotation = std::make_shared<const hlo::Sharding>(mesh::to_hlo(mesh_, sharding));
    entry_[parameter].sharding = annotation;
    entry_[output].sharding = annotation;
  }

  /// Rewrites the entry, with a custom call "Sharding" after each tensor that the network reads whole.
  void gather_for_readers(const std::vector<Reach>& reach, const TensorResults& results) {
    std::vector<hlo::InstructionId> renumbered, gathered(entry_.instructions.size(), -1);
    std::vector<hlo::Instruction> written;
    std::map<hlo::InstructionId, ShardedTensor> narrow;  // conversions of sharded tensors
    const std::vector<bool> addends = addends_of(entry_);
    std::vector<bool> scalars;  // by instruction: updates of different shardings may share it
    const auto append = [&written](hlo::Instruction instruction) {
      written.push_back(std::move(instruction));
      return hlo::InstructionId(written.size()) - 1;
    };
    const auto whole = [&](hlo::InstructionId id, const mesh::AxisSharding& sharding) {
      hlo::InstructionId& at = gathered[std::size_t(id)];
      if (at < 0) at = append(sharding_call(entry_[id], renumbered[std::size_t(id)], sharding));
      return at;
    };
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry_.instructions.size()); ++id) {
      hlo::Instruction instruction = entry_[id];
      for (hlo::InstructionId& operand : instruction.operands) {
        const auto tensor = sharded_.find(operand);
        const auto converted = narrow.find(operand);
        const ShardedTensor* read = tensor != sharded_.end()    ? &tensor->second
                                    : converted != narrow.end() ? &converted->second
                                                                : nullptr;
        const bool reads_shard =
            read != nullptr && (results.are_of(read->result, reach[std::size_t(id)]) || addends[std::size_t(id)]);
        if (read == nullptr || id == entry_.root || reads_shard) {
          operand = renumbered[std::size_t(operand)];
        } else if (tensor != sharded_.end() && narrows(instruction, entry_[operand].shape)) {
          narrow.emplace(id, *read);
          instruction.sharding = entry_[operand].sharding;
          operand = renumbered[std::size_t(operand)];
        } else {
          operand = whole(operand, read->whole);
        }
      }
      scalars.push_back(is_made_of_scalars(entry_[id], scalars));
      const bool is_of_network =
          !scalars.back() && !results.are_of_one(reach[std::size_t(id)]) && !addends[std::size_t(id)];
      if (is_of_network && !narrow.contains(id) && !sharded_.contains(id)) keep(instruction, present_[std::size_t(id)]);
      renumbered.push_back(append(std::move(instruction)));
    }
    entry_.instructions = std::move(written);
    entry_.root = renumbered[std::size_t(entry_.root)];
    for (hlo::InstructionId& parameter : entry_.parameters) parameter = renumbered[std::size_t(parameter)];
    result_.module = std::move(module_);
  }

  /// Annotates a value outside of the update with its present sharding, so that it does not follow its neighbours.
  void keep(hlo::Instruction& instruction, const mesh::ValueSharding& sharding) const {
    if (instruction.opcode == hlo::Opcode::tuple || sharding.empty()) return;
    instruction.sharding = std::make_shared<const hlo::Sharding>(mesh::to_hlo(mesh_, instruction.shape, sharding));
  }

  hlo::Instruction sharding_call(const hlo::Instruction& of, hlo::InstructionId operand,
                                 const mesh::AxisSharding& sharding) const {
    hlo::Instruction call;
    call.opcode = hlo::Opcode::custom_call;
    call.target = "Sharding";
    call.name = of.name + ".gathered";
    call.op_name = of.op_name;
    call.shape = of.shape;
    call.operands = {operand};
    call.sharding = std::make_shared<const hlo::Sharding>(mesh::to_hlo(mesh_, sharding));
    return call;
  }

  hlo::Module module_;
  const mesh::Mesh& mesh_;
  const mesh::SubAxes& over_;
  std::span<const mesh::ValueSharding> present_;
  base::Bytes least_, combined_;
  hlo::Computation& entry_;
  std::map<mesh::SubAxes, base::Bytes> gradients_;       ///< by the order that numbers shards in memory
  std::map<hlo::InstructionId, ShardedTensor> sharded_;  ///< by parameter
  bool in_tiles_ = false;                                ///< of the sharding that was made last
  UpdateSharding result_;
};

hlo::Sharding manual_for(const hlo::Shape& shape) {
  hlo::Sharding manual;
  manual.kind = hlo::Sharding::Kind::manual;
  if (!shape.is_tuple()) return manual;
  hlo::Sharding sharding;
  sharding.kind = hlo::Sharding::Kind::tuple;
  sharding.elements.assign(mesh::leaf_shapes(shape).size(), manual);
  return sharding;
}

}  // namespace

mesh::AxisSharding shard_for_update(const mesh::Mesh& mesh, const hlo::Shape& shape, const mesh::AxisSharding& present,
                                    const mesh::SubAxes& over) {
  mesh::AxisSharding sharding = present;
  for (const mesh::SubAxes& axis : free_axes(mesh, present, over)) {
    std::optional<Candidate> whole = best_split(mesh, shape, present, sharding, axis);
    if (whole && whole->in_a_row) {
      sharding = std::move(whole->sharding);
      continue;
    }
    for (mesh::SubAxis sub_axis : axis) {
      if (std::optional<Candidate> cut = best_split(mesh, shape, present, sharding, {sub_axis}))
        sharding = std::move(cut->sharding);
    }
  }
  return sharding;
}

UpdateSharding shard_weight_update(hlo::Module module, const mesh::Mesh& mesh, const mesh::SubAxes& over,
                                   std::span<const hlo::Donation> donations,
                                   std::span<const mesh::ValueSharding> present, base::Bytes combined,
                                   base::Bytes least) {
  return Annotation(std::move(module), mesh, over, present, least, combined).run(donations);
}

UpdateSharding shard_weight_update(hlo::Module module, const mesh::Mesh& mesh,
                                   std::span<const hlo::Donation> donations) {
  const ModuleShardings present = propagate(module, mesh);
  const std::vector<mesh::ValueSharding>& of_entry = present.values[std::size_t(module.entry)];
  return shard_weight_update(std::move(module), mesh, mesh.all(), donations, of_entry, base::Bytes(0));
}

void make_infeeds_manual(hlo::Module& module) {
  for (hlo::Instruction& instruction : module.computations[std::size_t(module.entry)].instructions) {
    if (instruction.opcode != hlo::Opcode::infeed) continue;
    instruction.sharding = std::make_shared<const hlo::Sharding>(manual_for(instruction.shape));
  }
}

}  // namespace podsim::hlo::spmd::propagate
