// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/reshard.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hlo/spmd/mesh/tile_split.h"
#include "hlo/spmd/reshard/reshard_plan.h"
#include "hlo/spmd/reshard/tile_rows.h"

namespace podsim::hlo::spmd::reshard {

namespace {

using Kind = ReshardStep::Kind;

/// Writes the steps of a plan.
class Resharder {
 public:
  Resharder(LocalProgram& program, const LocalValue& value) : program_(program), value_(value), id_(value.id) {}

  hlo::InstructionId run(std::span<const ReshardStep> steps) {
    while (!steps.empty()) {
      const std::size_t together = alike(steps);
      if (together > 1) {
        const bool scatters = steps.front().kind == Kind::reduce_scatter;
        scatters ? reduce_scatter(steps.first(together)) : all_gather(steps.first(together));
      } else {
        write(steps.front());
      }
      steps = steps.subspan(together);
    }
    return id_;
  }

 private:
  /// Number of leading steps that can be one reduce-scatter or one all-gather: steps of the same kind whose dimensions
  /// divide evenly. At least 1.
  std::size_t alike(std::span<const ReshardStep> steps) const {
    const Kind kind = steps.front().kind;
    if (kind != Kind::reduce_scatter && kind != Kind::all_gather) return 1;
    std::size_t count = 0;
    while (count < steps.size() && steps[count].kind == kind && divides(steps[count])) ++count;
    return std::max<std::size_t>(count, 1);
  }

  bool divides(const ReshardStep& step) const {
    const bool scatters = step.kind == Kind::reduce_scatter;
    const DimensionSplit &coarse = scatters ? step.before : step.after, &fine = scatters ? step.after : step.before;
    return shard(coarse, step.dimension) == mesh().size(step.sub_axes) * shard(fine, step.dimension);
  }

  /// Shapes for several steps in one collective: the dimensions are divided into blocks, and the block numbers, in the
  /// order of the steps, are moved in front of the elements of a block.
  struct Blocks {
    mesh::SubAxes sub_axes;
    std::vector<std::int64_t> apart;  ///< sizes with every dimension as its block numbers, then its elements in a block
    std::vector<std::int64_t> inside;  ///< sizes of a block
    std::vector<std::int64_t> order;   ///< transposition of `apart` that moves the block numbers to the front
  };

  Blocks blocks(std::span<const ReshardStep> steps, std::vector<std::int64_t> inside) const {
    Blocks blocks;
    blocks.inside = std::move(inside);
    std::vector<std::vector<std::int64_t>> numbers(blocks.inside.size());  ///< by dimension, its steps
    for (std::size_t i = 0; i < steps.size(); ++i) {
      blocks.sub_axes.insert(blocks.sub_axes.end(), steps[i].sub_axes.begin(), steps[i].sub_axes.end());
      numbers[std::size_t(steps[i].dimension)].push_back(std::int64_t(i));
    }
    blocks.order.resize(steps.size());
    for (std::size_t d = 0; d < numbers.size(); ++d) {
      for (const std::int64_t i : numbers[d]) {
        blocks.order[std::size_t(i)] = std::int64_t(blocks.apart.size());
        blocks.apart.push_back(mesh().size(steps[std::size_t(i)].sub_axes));
      }
      blocks.order.push_back(std::int64_t(blocks.apart.size()));
      blocks.apart.push_back(blocks.inside[d]);
    }
    return blocks;
  }

  /// Sizes of `count` blocks one after another.
  static std::vector<std::int64_t> in_a_row(const Blocks& blocks, std::int64_t count) {
    std::vector<std::int64_t> sizes{count};
    sizes.insert(sizes.end(), blocks.inside.begin(), blocks.inside.end());
    return sizes;
  }

  /// The steps as one split into shards that follow each other in memory, if they are one.
  std::optional<mesh::TileSplit> tile_split(std::span<const ReshardStep> steps, const hlo::Shape& whole) const {
    if (!program_.tile_by_tile()) return std::nullopt;
    std::vector<std::pair<mesh::SubAxis, int>> cuts;
    for (const ReshardStep& step : steps) {
      if (!std::ranges::is_sorted(step.sub_axes)) return std::nullopt;
      for (const mesh::SubAxis sub_axis : step.sub_axes) cuts.emplace_back(sub_axis, step.dimension);
    }
    std::ranges::sort(cuts);
    mesh::SubAxes sub_axes;
    std::vector<int> dimensions;
    for (const auto& [sub_axis, dimension] : cuts) {
      sub_axes.push_back(sub_axis);
      dimensions.push_back(dimension);
    }
    std::optional<mesh::TileSplit> split = mesh::tile_split(mesh(), whole, sub_axes);
    if (split && split->dimensions != dimensions) split.reset();
    return split;
  }

  /// Writes the steps as one collective over all blocks.
  void reduce_scatter(std::span<const ReshardStep> steps) {
    build::GraphBuilder& builder = program_.builder();
    std::vector<std::int64_t> inside = builder.shape(id_).dimensions;
    for (const ReshardStep& step : steps) inside[std::size_t(step.dimension)] /= mesh().size(step.sub_axes);
    if (const std::optional<mesh::TileSplit> split = tile_split(steps, builder.shape(id_))) {
      id_ = program_.reduce_scatter(as_rows(program_, id_, split->whole), split->in_memory, 0, value_.combiner);
      id_ = from_rows(program_, id_, split->shard, inside);
      return;
    }
    const Blocks parts = blocks(steps, std::move(inside));
    id_ = in_order(builder.reshape(id_, parts.apart), parts.order);
    id_ = builder.reshape(id_, in_a_row(parts, mesh().size(parts.sub_axes)));
    id_ = program_.reduce_scatter(id_, parts.sub_axes, 0, value_.combiner);
    id_ = builder.reshape(id_, parts.inside);
  }

  void all_gather(std::span<const ReshardStep> steps) {
    build::GraphBuilder& builder = program_.builder();
    std::vector<std::int64_t> sizes = builder.shape(id_).dimensions;
    hlo::Shape whole = builder.shape(id_);
    for (const ReshardStep& step : steps) whole.dimensions[std::size_t(step.dimension)] *= mesh().size(step.sub_axes);
    if (const std::optional<mesh::TileSplit> split = tile_split(steps, whole)) {
      id_ = program_.all_gather(as_rows(program_, id_, split->shard), split->in_memory, 0);
      id_ = from_rows(program_, id_, split->whole, whole.dimensions);
      return;
    }
    const Blocks parts = blocks(steps, sizes);
    id_ = program_.all_gather(builder.reshape(id_, in_a_row(parts, 1)), parts.sub_axes, 0);
    std::vector<std::int64_t> front, back(parts.order.size());
    for (std::size_t i = 0; i < parts.order.size(); ++i) {
      front.push_back(parts.apart[std::size_t(parts.order[i])]);
      back[std::size_t(parts.order[i])] = std::int64_t(i);
    }
    id_ = in_order(builder.reshape(id_, std::move(front)), back);
    for (const ReshardStep& step : steps) sizes[std::size_t(step.dimension)] *= mesh().size(step.sub_axes);
    id_ = builder.reshape(id_, std::move(sizes));
  }

  /// `id` transposed, unless only dimensions of one element would move.
  hlo::InstructionId in_order(hlo::InstructionId id, const std::vector<std::int64_t>& order) {
    const std::vector<std::int64_t>& sizes = program_.builder().shape(id).dimensions;
    std::vector<std::int64_t> longer;
    std::ranges::copy_if(order, std::back_inserter(longer), [&](std::int64_t d) { return sizes[std::size_t(d)] > 1; });
    return std::ranges::is_sorted(longer) ? id : program_.builder().transpose(id, order);
  }

  void write(const ReshardStep& step) {
    switch (step.kind) {
      case Kind::slice:
        return slice(step);
      case Kind::reduce_scatter:
        resize(step.dimension, mesh().size(step.sub_axes) * shard(step.after, step.dimension));
        id_ = program_.reduce_scatter(id_, step.sub_axes, step.dimension, value_.combiner);
        return;
      case Kind::all_reduce:
        id_ = program_.all_reduce(id_, step.sub_axes, value_.combiner);
        return;
      case Kind::all_to_all:
        resize(step.to, mesh().size(step.sub_axes) * shard(step.after, step.to));
        id_ = program_.all_to_all(id_, step.sub_axes, step.to, step.dimension);
        resize(step.dimension, shard(step.after, step.dimension));
        return;
      case Kind::permute:
        return permute(step);
      case Kind::all_gather:
        id_ = program_.all_gather(id_, step.sub_axes, step.dimension);
        resize(step.dimension, shard(step.after, step.dimension));
        return;
    }
  }

  const mesh::Mesh& mesh() const { return program_.mesh(); }

  std::int64_t shard(const DimensionSplit& split, int d) const {
    const std::int64_t parts = mesh().size(split[std::size_t(d)]);
    return (value_.shape.dimensions[std::size_t(d)] + parts - 1) / parts;
  }

  /// Pads dimension `d` with elements that are never read, or slices it, to `size` elements.
  void resize(int d, std::int64_t size) {
    build::GraphBuilder& builder = program_.builder();
    const std::vector<std::int64_t> sizes = builder.shape(id_).dimensions;
    const std::int64_t now = sizes[std::size_t(d)];
    if (size > now) {
      std::vector<hlo::PadDimension> padding(sizes.size());
      padding[std::size_t(d)].high = size - now;
      id_ = builder.pad(id_, builder.constant(builder.type(id_), 0), std::move(padding));
    } else if (size < now) {
      std::vector<hlo::SliceDimension> kept;
      for (const std::int64_t whole : sizes) kept.push_back({0, whole, 1});
      kept[std::size_t(d)].limit = size;
      id_ = builder.slice(id_, std::move(kept));
    }
  }

  void slice(const ReshardStep& step) {
    std::vector<hlo::InstructionId> starts;
    std::vector<std::int64_t> sizes;
    for (int d = 0; d < value_.shape.rank(); ++d) {
      const mesh::SubAxes &before = step.before[std::size_t(d)], &after = step.after[std::size_t(d)];
      const mesh::SubAxes more(after.begin() + std::ptrdiff_t(before.size()), after.end());
      sizes.push_back(shard(step.after, d));
      resize(d, mesh().size(more) * sizes.back());
      starts.push_back(program_.times(program_.position(more), program_.s32(sizes.back())));
    }
    id_ = program_.builder().dynamic_slice(id_, starts, std::move(sizes));
  }

  void permute(const ReshardStep& step) {
    mesh::SubAxes from, to;
    for (std::size_t d = 0; d < step.before.size(); ++d) {
      if (step.before[d] == step.after[d]) continue;
      from.insert(from.end(), step.before[d].begin(), step.before[d].end());
      to.insert(to.end(), step.after[d].begin(), step.after[d].end());
    }
    id_ = program_.permute(id_, from, to);
  }

  LocalProgram& program_;
  const LocalValue& value_;
  hlo::InstructionId id_;
};

}  // namespace

LocalValue reshard(LocalProgram& program, const LocalValue& value, const mesh::AxisSharding& target) {
  LocalValue result{value.id, value.shape, target, {}, hlo::Opcode::add};
  if (value.sharding.manual && target.manual) return result;
  if (value.sharding.manual || (target.manual && !value.sharding.is_replicated())) {
    throw std::logic_error("values of the partitions' own are no shards of a whole one");
  }
  if (is_same_everywhere(program.builder(), value)) {
    const hlo::InstructionId scalar = program.builder()[value.id].operands[0];
    result.id = program.builder().broadcast(scalar, mesh::local_shape(program.mesh(), value.shape, target).dimensions);
    return result;
  }
  const mesh::AxisSharding whole = mesh::replicated(value.shape.rank());
  const std::vector<ReshardStep> steps =
      plan_reshard(program.mesh(), value.shape, value.sharding, value.unreduced, target.manual ? whole : target);
  result.id = Resharder(program, value).run(steps);
  return result;
}

bool is_same_everywhere(const build::GraphBuilder& builder, const LocalValue& value) {
  const hlo::Instruction& instruction = builder[value.id];
  return instruction.opcode == hlo::Opcode::broadcast && value.unreduced.empty() && !value.sharding.manual &&
         builder.shape(instruction.operands[0]).rank() == 0;
}

double reshard_bytes(const mesh::Mesh& mesh, const hlo::Shape& shape, const mesh::AxisSharding& from,
                     const mesh::SubAxes& unreduced, const mesh::AxisSharding& to) {
  if (from.manual || to.manual) return 0;
  const bool is_whole = std::ranges::all_of(from.dimensions, [](const mesh::SubAxes& split) { return split.empty(); });
  if (is_whole && unreduced.empty()) return 0;  // each partition has its shard
  double bytes = 0;
  for (const ReshardStep& step : plan_reshard(mesh, shape, from, unreduced, to)) bytes += step_bytes(mesh, shape, step);
  return bytes;
}

}  // namespace podsim::hlo::spmd::reshard
