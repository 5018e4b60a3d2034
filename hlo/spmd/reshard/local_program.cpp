// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/local_program.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "hlo/spmd/mesh/device_order.h"

namespace podsim::hlo::spmd::reshard {

namespace {

constexpr std::int64_t unnumbered_channel = 1;

hlo::Instruction collective(hlo::Opcode opcode, hlo::InstructionId value, hlo::Participants participants) {
  hlo::Instruction instruction;
  instruction.opcode = opcode;
  instruction.operands = {value};
  instruction.participants = std::move(participants);
  return instruction;
}

/// The sub-axes as digits of a partition's number, neighbours joined.
mesh::Digits digits_of(const mesh::Mesh& mesh, const mesh::SubAxes& sub_axes) {
  mesh::Digits digits;
  for (const mesh::SubAxis sub_axis : sub_axes) digits.push_back({mesh.size(sub_axis), mesh.stride(sub_axis)});
  return mesh::joined(digits);
}

/// The partition at `position` along the sub-axes that otherwise agrees with `partition`.
std::int64_t moved(const mesh::Mesh& mesh, std::int64_t partition, const mesh::SubAxes& sub_axes,
                   std::int64_t position) {
  std::int64_t number = partition;
  for (std::size_t i = sub_axes.size(); i-- > 0;) {
    const std::int64_t size = mesh.size(sub_axes[i]), stride = mesh.stride(sub_axes[i]);
    number += (position % size - partition / stride % size) * stride;
    position /= size;
  }
  return number;
}

mesh::SubAxes without(const mesh::SubAxes& sub_axes, const mesh::SubAxes& others) {
  mesh::SubAxes result;
  std::ranges::copy_if(sub_axes, std::back_inserter(result),
                       [&](mesh::SubAxis s) { return std::ranges::find(others, s) == others.end(); });
  return result;
}

}  // namespace

hlo::ComputationId LocalProgram::called(const hlo::Module& module, hlo::ComputationId id) {
  const auto [entry, is_new] = called_.try_emplace({&module, id}, -1);
  if (is_new) entry->second = builder_.copy_computation(module, id);
  return entry->second;
}

/// The channel id of an all-gather. A new id makes it a new instruction, since equal instructions are shared.
std::int64_t LocalProgram::channel_of(Gather gather) {
  const auto [entry, is_new] = gathers_.try_emplace(std::move(gather), LastGather{unnumbered_channel, now_, part_});
  LastGather& last = entry->second;
  const bool same_part = !part_.layer.empty() && part_ == last.part;
  if (!same_part && now_ - last.at > held_instructions) ++last.channel;
  last.at = now_;
  last.part = part_;
  return last.channel;
}

std::optional<std::int64_t> LocalProgram::known(hlo::InstructionId scalar) const {
  const hlo::Instruction& instruction = builder_[scalar];
  if (instruction.opcode != hlo::Opcode::constant || !instruction.literal) return std::nullopt;
  return std::int64_t(instruction.literal->values.front());
}

hlo::InstructionId LocalProgram::s32(std::int64_t value) {
  return builder_.constant(hlo::ElementType::s32, double(value));
}

hlo::InstructionId LocalProgram::plus(hlo::InstructionId x, hlo::InstructionId y) {
  const std::optional<std::int64_t> a = known(x), b = known(y);
  if (a && b) return s32(*a + *b);
  if (a == 0) return y;
  if (b == 0) return x;
  return builder_.add(x, y);
}

hlo::InstructionId LocalProgram::minus(hlo::InstructionId x, hlo::InstructionId y) {
  const std::optional<std::int64_t> a = known(x), b = known(y);
  if (a && b) return s32(*a - *b);
  if (b == 0) return x;
  return builder_.subtract(x, y);
}

hlo::InstructionId LocalProgram::times(hlo::InstructionId x, hlo::InstructionId y) {
  const std::optional<std::int64_t> a = known(x), b = known(y);
  if (a && b) return s32(*a * *b);
  if (a == 0 || b == 1) return x;
  if (b == 0 || a == 1) return y;
  return builder_.multiply(x, y);
}

hlo::InstructionId LocalProgram::position(const mesh::SubAxes& sub_axes) {
  hlo::InstructionId position = s32(0);
  for (const mesh::Digit& digit : digits_of(mesh_, sub_axes)) {
    hlo::InstructionId place = builder_.convert(builder_.partition_id(), hlo::ElementType::s32);
    if (digit.stride > 1) place = builder_.divide(place, s32(digit.stride));
    if (digit.size * digit.stride < mesh_.partitions()) {
      place = builder_.binary(hlo::Opcode::remainder, place, s32(digit.size));
    }
    position = plus(times(position, s32(digit.size)), place);
  }
  return position;
}

hlo::InstructionId LocalProgram::offset(const hlo::Shape& shape, const mesh::AxisSharding& sharding, int dimension) {
  const std::int64_t step = mesh::local_shape(mesh_, shape, sharding).dimensions[std::size_t(dimension)];
  return times(position(sharding.dimensions[std::size_t(dimension)]), s32(step));
}

LocalValue LocalProgram::masked(const LocalValue& value, hlo::InstructionId fill, std::span<const int> dimensions) {
  hlo::InstructionId inside = -1;
  const hlo::Shape local = mesh::local_shape(mesh_, value.shape, value.sharding);
  for (const int d : dimensions) {
    const std::int64_t size = value.shape.dimensions[std::size_t(d)];
    if (size % mesh::shards(mesh_, value.sharding, d) == 0) continue;
    const hlo::InstructionId rest = minus(s32(size), offset(value.shape, value.sharding, d));
    const hlo::InstructionId index = builder_.iota(hlo::make_shape(hlo::ElementType::s32, local.dimensions), d);
    const hlo::InstructionId below =
        builder_.compare(index, builder_.broadcast(rest, local.dimensions), hlo::ComparisonDirection::lt);
    inside = inside < 0 ? below : builder_.logical_and(inside, below);
  }
  if (inside < 0) return value;
  LocalValue result = value;
  result.id = builder_.select(inside, value.id, builder_.broadcast(fill, local.dimensions));
  return result;
}

LocalValue LocalProgram::masked(const LocalValue& value, hlo::InstructionId fill) {
  std::vector<int> all(std::size_t(value.shape.rank()));
  std::iota(all.begin(), all.end(), 0);
  return masked(value, fill, all);
}

hlo::Participants LocalProgram::groups(const mesh::SubAxes& sub_axes) const {
  mesh::Digits digits;
  for (const mesh::SubAxis sub_axis : mesh_.all()) {
    if (std::ranges::find(sub_axes, sub_axis) == sub_axes.end()) {
      digits.push_back({mesh_.size(sub_axis), mesh_.stride(sub_axis)});
    }
  }
  for (const mesh::SubAxis sub_axis : sub_axes) digits.push_back({mesh_.size(sub_axis), mesh_.stride(sub_axis)});
  digits = mesh::joined(digits);
  mesh::Digits sorted = digits;
  std::ranges::sort(sorted, std::ranges::greater(), &mesh::Digit::stride);
  hlo::IotaGroups groups;
  groups.size = mesh_.size(sub_axes);
  groups.count = mesh_.partitions() / groups.size;
  for (const mesh::Digit& digit : sorted) groups.iota.push_back(digit.size);
  if (groups.iota.empty()) groups.iota.push_back(1);
  if (sorted != digits) {
    for (const mesh::Digit& digit : digits) {
      groups.permutation.push_back(int(std::ranges::find(sorted, digit) - sorted.begin()));
    }
  }
  hlo::Participants participants;
  participants.iota = std::move(groups);
  participants.channel_id = unnumbered_channel;
  participants.use_global_device_ids = true;
  return participants;
}

hlo::InstructionId LocalProgram::all_reduce(hlo::InstructionId value, const mesh::SubAxes& sub_axes,
                                            hlo::Opcode combiner) {
  if (sub_axes.empty()) return value;
  hlo::Instruction instruction = collective(hlo::Opcode::all_reduce, value, groups(sub_axes));
  instruction.called = {builder_.combiner(combiner, builder_.type(value))};
  return builder_.add(std::move(instruction));
}

hlo::InstructionId LocalProgram::all_gather(hlo::InstructionId value, const mesh::SubAxes& sub_axes, int dimension) {
  if (sub_axes.empty()) return value;
  hlo::Instruction instruction = collective(hlo::Opcode::all_gather, value, groups(sub_axes));
  instruction.participants.edit().channel_id = channel_of({value, sub_axes, dimension});
  instruction.dimensions = {dimension};
  instruction.shape = hlo::make_shape(builder_.type(value), builder_.shape(value).dimensions);
  instruction.shape.dimensions[std::size_t(dimension)] *= mesh_.size(sub_axes);
  return builder_.add(std::move(instruction));
}

hlo::InstructionId LocalProgram::reduce_scatter(hlo::InstructionId value, const mesh::SubAxes& sub_axes, int dimension,
                                                hlo::Opcode combiner) {
  if (sub_axes.empty()) return value;
  hlo::Instruction instruction = collective(hlo::Opcode::reduce_scatter, value, groups(sub_axes));
  instruction.dimensions = {dimension};
  instruction.called = {builder_.combiner(combiner, builder_.type(value))};
  instruction.shape = hlo::make_shape(builder_.type(value), builder_.shape(value).dimensions);
  std::int64_t& size = instruction.shape.dimensions[std::size_t(dimension)];
  if (size % mesh_.size(sub_axes) != 0) throw std::logic_error("a reduce-scatter of a dimension that does not divide");
  size /= mesh_.size(sub_axes);
  return builder_.add(std::move(instruction));
}

hlo::InstructionId LocalProgram::all_to_all(hlo::InstructionId value, const mesh::SubAxes& sub_axes, int split,
                                            int join) {
  if (sub_axes.empty()) return value;
  const std::int64_t parts = mesh_.size(sub_axes);
  std::vector<std::int64_t> sizes = builder_.shape(value).dimensions;
  if (sizes[std::size_t(split)] % parts != 0) throw std::logic_error("an all-to-all of blocks that are not equal");
  const auto exchange = [&](hlo::InstructionId blocks) {
    hlo::Instruction instruction = collective(hlo::Opcode::all_to_all, blocks, groups(sub_axes));
    instruction.participants.edit().use_global_device_ids = false;
    instruction.dimensions = {split};
    return builder_.add(std::move(instruction));
  };
  if (split == join) return exchange(value);
  // The block number becomes a separate dimension, which is exchanged and then moved in front of the joined one.
  sizes[std::size_t(split)] /= parts;
  std::vector<std::int64_t> blocks = sizes;
  blocks.insert(blocks.begin() + split, parts);
  const hlo::InstructionId received = exchange(builder_.reshape(value, blocks));
  std::vector<std::int64_t> order;
  for (int d = 0; d < int(sizes.size()); ++d) {
    if (d == join) order.push_back(split);
    order.push_back(d < split ? d : d + 1);
  }
  sizes[std::size_t(join)] *= parts;
  const hlo::InstructionId moved = std::ranges::is_sorted(order) ? received : builder_.transpose(received, order);
  return builder_.reshape(moved, sizes);
}

hlo::InstructionId LocalProgram::pairwise(hlo::InstructionId value,
                                          std::vector<std::pair<std::int64_t, std::int64_t>> pairs) {
  hlo::Participants participants;
  participants.source_target_pairs = std::move(pairs);
  participants.channel_id = unnumbered_channel;
  return builder_.add(collective(hlo::Opcode::collective_permute, value, std::move(participants)));
}

hlo::InstructionId LocalProgram::shift(hlo::InstructionId value, const mesh::SubAxes& sub_axes, std::int64_t distance,
                                       bool wrap) {
  const std::int64_t count = mesh_.size(sub_axes);
  if (distance == 0 || (wrap && distance % count == 0)) return value;
  if (!wrap && std::abs(distance) >= count) return builder_.full_like(value, 0);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t partition = 0; partition < mesh_.partitions(); ++partition) {
    const std::int64_t target = mesh_.position(partition, sub_axes) + distance;
    if (!wrap && (target < 0 || target >= count)) continue;
    pairs.emplace_back(partition, moved(mesh_, partition, sub_axes, (target % count + count) % count));
  }
  return pairwise(value, std::move(pairs));
}

hlo::InstructionId LocalProgram::permute(hlo::InstructionId value, const mesh::SubAxes& from, const mesh::SubAxes& to) {
  const mesh::SubAxes left = without(from, to), entered = without(to, from);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  bool moves = false;
  for (std::int64_t partition = 0; partition < mesh_.partitions(); ++partition) {
    const std::int64_t exchanged = moved(mesh_, partition, left, mesh_.position(partition, entered));
    const std::int64_t target = moved(mesh_, exchanged, to, mesh_.position(partition, from));
    moves = moves || target != partition;
    pairs.emplace_back(partition, target);
  }
  return moves ? pairwise(value, std::move(pairs)) : value;
}

void number_channels(hlo::Module& module) {
  std::int64_t channel = 0;
  for (hlo::Computation& computation : module.computations) {
    for (hlo::Instruction& instruction : computation.instructions) {
      const bool pairs_up = instruction.opcode == hlo::Opcode::send || instruction.opcode == hlo::Opcode::recv;
      if (!hlo::is_collective(instruction.opcode) || pairs_up || !instruction.participants->channel_id) continue;
      instruction.participants.edit().channel_id = ++channel;
    }
  }
}

}  // namespace podsim::hlo::spmd::reshard
