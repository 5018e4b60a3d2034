// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/by_position.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace podsim::hlo::spmd::reshard {

namespace {

/// The starts of a slice along one dimension: zero for all others.
std::vector<hlo::InstructionId> starts_along(LocalProgram& program, int rank, int dimension, hlo::InstructionId start) {
  std::vector<hlo::InstructionId> starts(std::size_t(rank), program.s32(0));
  starts[std::size_t(dimension)] = start;
  return starts;
}

bool is_linear(const std::vector<std::int64_t>& values) {
  for (std::size_t i = 2; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != values[1] - values[0]) return false;
  }
  return true;
}

/// The pairs (source, target) of partitions, sorted.
std::vector<std::pair<std::int64_t, std::int64_t>> position_pairs(const mesh::Mesh& mesh, const mesh::SubAxes& sub_axes,
                                                                  const std::vector<std::int64_t>& sources) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t target = 0; target < mesh.partitions(); ++target) {
    const std::int64_t at = mesh.position(target, sub_axes);
    if (sources[std::size_t(at)] < 0) continue;
    // Digit by digit from the fastest: a different digit of the position changes the partition's number by its stride.
    std::int64_t source = target, from = sources[std::size_t(at)], to = at;
    for (auto s = sub_axes.rbegin(); s != sub_axes.rend(); ++s) {
      source += (from % mesh.size(*s) - to % mesh.size(*s)) * mesh.stride(*s);
      from /= mesh.size(*s);
      to /= mesh.size(*s);
    }
    pairs.emplace_back(source, target);
  }
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace

hlo::InstructionId by_position(LocalProgram& program, const mesh::SubAxes& sub_axes,
                               const std::vector<std::int64_t>& values) {
  build::GraphBuilder& b = program.builder();
  const std::int64_t step = values.size() > 1 ? values[1] - values[0] : 0;
  if (is_linear(values)) {
    if (step == 0) return program.s32(values[0]);
    hlo::InstructionId value = program.position(sub_axes);
    if (step != 1) value = b.multiply(value, program.s32(step));
    return values[0] == 0 ? value : b.add(value, program.s32(values[0]));
  }
  const hlo::InstructionId table =
      b.constant(hlo::Literal{hlo::make_shape(hlo::ElementType::s32, {std::int64_t(values.size())}),
                              std::vector<double>(values.begin(), values.end()),
                              {}});
  return b.reshape(b.dynamic_slice(table, {program.position(sub_axes)}, {1}), {});
}

hlo::InstructionId slice_from(LocalProgram& program, hlo::InstructionId value, int dimension, hlo::InstructionId start,
                              std::int64_t size) {
  std::vector<std::int64_t> sizes = program.builder().shape(value).dimensions;
  sizes[std::size_t(dimension)] = size;
  const int rank = int(sizes.size());
  return program.builder().dynamic_slice(value, starts_along(program, rank, dimension, start), std::move(sizes));
}

hlo::InstructionId slice_by_position(LocalProgram& program, hlo::InstructionId value, int dimension,
                                     const mesh::SubAxes& sub_axes, const std::vector<std::int64_t>& starts,
                                     std::int64_t size) {
  if (std::ranges::adjacent_find(starts, std::ranges::not_equal_to{}) == starts.end()) {
    return slice_of(program, value, dimension, starts[0], size);
  }
  return slice_from(program, value, dimension, by_position(program, sub_axes, starts), size);
}

hlo::InstructionId update_from(LocalProgram& program, hlo::InstructionId value, hlo::InstructionId update,
                               int dimension, hlo::InstructionId start) {
  const int rank = program.builder().shape(value).rank();
  return program.builder().dynamic_update_slice(value, update, starts_along(program, rank, dimension, start));
}

hlo::InstructionId slice_of(LocalProgram& program, hlo::InstructionId value, int dimension, std::int64_t first,
                            std::int64_t size) {
  const std::vector<std::int64_t>& sizes = program.builder().shape(value).dimensions;
  if (first == 0 && size == sizes[std::size_t(dimension)]) return value;
  std::vector<hlo::SliceDimension> slice;
  for (const std::int64_t all : sizes) slice.push_back({0, all, 1});
  slice[std::size_t(dimension)] = {first, first + size, 1};
  return program.builder().slice(value, std::move(slice));
}

hlo::InstructionId pad_ends(LocalProgram& program, hlo::InstructionId value, int dimension, std::int64_t low,
                            std::int64_t high, hlo::InstructionId fill) {
  if (low == 0 && high == 0) return value;
  std::vector<hlo::PadDimension> padding(std::size_t(program.builder().shape(value).rank()));
  padding[std::size_t(dimension)] = {low, high, 0};
  return program.builder().pad(value, fill, std::move(padding));
}

hlo::InstructionId range_mask(LocalProgram& program, const std::vector<std::int64_t>& sizes, int dimension,
                              hlo::InstructionId start, std::int64_t first, std::int64_t limit) {
  build::GraphBuilder& b = program.builder();
  const hlo::Shape line = hlo::make_shape(hlo::ElementType::s32, {sizes[std::size_t(dimension)]});
  const auto all = [&](hlo::InstructionId scalar) { return b.broadcast(scalar, line.dimensions); };
  const hlo::InstructionId index = b.add(b.iota(line, 0), all(start));
  const hlo::InstructionId is_inside =
      b.logical_and(b.compare(index, all(program.s32(first)), hlo::ComparisonDirection::ge),
                    b.compare(index, all(program.s32(limit)), hlo::ComparisonDirection::lt));
  return b.broadcast(is_inside, sizes, {dimension});
}

hlo::InstructionId keep_range(LocalProgram& program, hlo::InstructionId value, int dimension, hlo::InstructionId start,
                              std::int64_t first, std::int64_t limit, hlo::InstructionId fill) {
  build::GraphBuilder& b = program.builder();
  const std::vector<std::int64_t> sizes = b.shape(value).dimensions;
  return b.select(range_mask(program, sizes, dimension, start, first, limit), value, b.broadcast(fill, sizes));
}

hlo::InstructionId start_permute(LocalProgram& program, hlo::InstructionId value, const mesh::SubAxes& sub_axes,
                                 const std::vector<std::int64_t>& sources) {
  hlo::Instruction permute;
  permute.opcode = hlo::Opcode::collective_permute;
  permute.phase = hlo::AsyncPhase::start;
  permute.operands = {value};
  permute.participants.edit().source_target_pairs = position_pairs(program.mesh(), sub_axes, sources);
  permute.participants.edit().channel_id = 1;
  return program.builder().add(std::move(permute));
}

hlo::InstructionId finish_permute(LocalProgram& program, hlo::InstructionId started) {
  hlo::Instruction permute;
  permute.opcode = hlo::Opcode::collective_permute;
  permute.phase = hlo::AsyncPhase::done;
  permute.operands = {started};
  return program.builder().add(std::move(permute));
}

}  // namespace podsim::hlo::spmd::reshard
