// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/group_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "hlo/device_groups.h"
#include "hlo/rules/shape_rules.h"

namespace podsim::hlo::rules {

namespace {

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

void require_that(bool holds, const std::function<std::string()>& rule) {
  if (!holds) throw std::logic_error(rule());
}

bool needs_equal_groups(Opcode opcode) {
  return opcode == Opcode::all_gather || opcode == Opcode::reduce_scatter || opcode == Opcode::all_to_all;
}

/// The size of every group, after checks of their members; nullopt if they differ.
std::optional<std::int64_t> group_size(const Instruction& instruction, std::int64_t replicas, std::int64_t partitions) {
  const Participants& participants = instruction.participants;
  const std::int64_t ids = participants.use_global_device_ids ? replicas * partitions
                           : participants.channel_id          ? partitions
                                                              : replicas;
  if (participants.iota) {
    const std::int64_t named = product(participants.iota->iota);
    require_that(named <= ids, [&] { return fmt::format("names device {}, but there are only {}", named - 1, ids); });
    return participants.iota->size;
  }
  if (participants.groups.empty()) return ids;
  device_groups(instruction, replicas, partitions);
  const std::size_t size = participants.groups.front().size();
  const bool same = std::ranges::all_of(participants.groups, [&](const auto& group) { return group.size() == size; });
  return same ? std::optional(std::int64_t(size)) : std::nullopt;
}

const Shape& part(const Shape& shape, std::size_t k) { return shape.is_tuple() ? shape.tuple_shapes.at(k) : shape; }

/// Requires that `whole` is `size` times `piece` along the dimension of the collective.
void require_pieces(const Instruction& instruction, const Shape& whole, const Shape& piece, std::int64_t size) {
  const auto d = std::size_t(instruction.dimensions.at(0));
  require_that(whole.dimensions.at(d) == piece.dimensions.at(d) * size, [&] {
    return fmt::format("has {} along dimension {} of the whole and {} of a part, its groups have {} devices",
                       whole.dimensions[d], d, piece.dimensions[d], size);
  });
}

/// The tiles of a value's sharding along a dimension; 1 if it is whole there or if nothing is said of it.
std::int64_t tiles(const Instruction& instruction, std::size_t dimension) {
  const Sharding* sharding = instruction.sharding.get();
  if (sharding == nullptr || sharding->kind != Sharding::Kind::tiled) return 1;
  return dimension < std::size_t(sharding->rank()) ? sharding->tiles[dimension] : 1;
}

}  // namespace

void verify_groups(const Instruction& instruction, const Computation& computation, std::int64_t replicas,
                   std::int64_t partitions) {
  if (instruction.phase == AsyncPhase::done || instruction.phase == AsyncPhase::update) return;
  if (instruction.opcode == Opcode::collective_permute) {
    device_pairs(instruction, replicas, partitions);
    return;
  }
  if (instruction.opcode == Opcode::send || instruction.opcode == Opcode::recv) return;
  const Participants& participants = instruction.participants;
  if (!participants.iota && participants.groups.empty() && replicas * partitions == 1) return;
  const std::optional<std::int64_t> size = group_size(instruction, replicas, partitions);
  if (!needs_equal_groups(instruction.opcode)) return;
  require(size.has_value(), "has groups of different sizes");
  if (instruction.opcode == Opcode::all_to_all && instruction.shape.is_tuple()) {
    require_that(std::int64_t(instruction.operands.size()) == *size, [&] {
      return fmt::format("has {} operands, for the devices of a group of {}", instruction.operands.size(), *size);
    });
    return;
  }
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    const Shape &operand = computation[instruction.operands[k]].shape, &result = part(instruction.shape, k);
    if (instruction.opcode == Opcode::all_to_all) {
      const std::int64_t along = operand.dimensions.at(std::size_t(instruction.dimensions.at(0)));
      require_that(along % *size == 0,
                   [&] { return fmt::format("divides {} among the {} devices of a group", along, *size); });
    } else {
      const bool gathers = instruction.opcode == Opcode::all_gather;
      require_pieces(instruction, gathers ? result : operand, gathers ? operand : result, *size);
    }
  }
}

void verify_shard_shape(const Instruction& instruction, const Computation& computation) {
  const bool to_shard = instruction.target == "SPMDFullToShardShape";
  if (instruction.opcode != Opcode::custom_call || (!to_shard && instruction.target != "SPMDShardToFullShape")) return;
  require(instruction.operands.size() == 1, "takes one operand");
  const Instruction& operand = computation[instruction.operands[0]];
  require(!operand.shape.is_tuple() && !instruction.shape.is_tuple(), "takes and gives one array");
  require(operand.shape.element_type == instruction.shape.element_type, "keeps the element type");
  require_that(operand.shape.rank() == instruction.shape.rank(), [&] {
    return fmt::format("{} and {} differ in their number of dimensions", to_string(operand.shape),
                       to_string(instruction.shape));
  });
  const Instruction &full = to_shard ? operand : instruction, &shard = to_shard ? instruction : operand;
  if (full.sharding == nullptr) return;
  for (std::size_t d = 0; d < full.shape.dimensions.size(); ++d) {
    const std::int64_t whole = full.shape.dimensions[d], piece = shard.shape.dimensions[d];
    const std::int64_t of_whole = tiles(full, d), of_piece = tiles(shard, d);
    require_that((whole + of_whole - 1) / of_whole == (piece + of_piece - 1) / of_piece, [&] {
      return fmt::format("dimension {} has {} in a shard, and {} in the whole, which is cut into {}", d, piece, whole,
                         of_whole);
    });
  }
}

}  // namespace podsim::hlo::rules
