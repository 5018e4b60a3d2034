// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sw/ir/build/graph_builder.h"
#include "sw/ir/transform/rematerialize.h"
#include "sw/spmd/mesh/axis_sharding.h"

/// The program of one partition while it is being written. Values may depend on a partition's number, but all
/// partitions run the same program.
namespace podsim::sw::spmd::reshard {

/// A value of the whole program, as a partition holds it.
struct LocalValue {
  ir::InstructionId id = -1;  ///< in the local program, with shape local_shape(mesh, shape, sharding)
  ir::Shape shape;            ///< shape of the whole value
  mesh::AxisSharding sharding;
  /// Partitions along these sub-axes hold addends, to be combined by `combiner`. No dimension is split over them.
  mesh::SubAxes unreduced;
  ir::Opcode combiner = ir::Opcode::add;  ///< add, multiply, minimum, maximum, logical_and, logical_or
};

class LocalProgram {
 public:
  /// With `tile_by_tile`, shards that follow each other in memory are scattered and gathered as they lie (tile_rows.h).
  LocalProgram(ir::build::GraphBuilder& builder, const mesh::Mesh& mesh, bool tile_by_tile = false)
      : builder_(builder), mesh_(mesh), tile_by_tile_(tile_by_tile) {}

  ir::build::GraphBuilder& builder() { return builder_; }
  const mesh::Mesh& mesh() const { return mesh_; }
  bool tile_by_tile() const { return tile_by_tile_; }

  /// Sets the instruction of the original program that is being written, by number and op_name. Equal all-gathers
  /// become one instruction only within the same part of a layer, or if the second follows the last use of the first
  /// within held_instructions: a gathered value is large and is gathered again rather than kept for long, as weights
  /// are for the forward and the backward pass (GSPMD, Xu et al. 2021, section 4.1).
  void advance_to(ir::InstructionId instruction, std::string_view op_name) {
    now_ = instruction;
    part_ = ir::transform::layer_part(op_name);
  }
  static constexpr int held_instructions = 100;

  /// A copy of another module's computation in this one, made on first use.
  ir::ComputationId called(const ir::Module& module, ir::ComputationId id);

  // The following return s32 scalars; arithmetic on constants is folded.

  /// The position of this partition along the combined sub-axes; 0 if there are none.
  ir::InstructionId position(const mesh::SubAxes& sub_axes);
  /// Index in the whole array of the first element of this partition's shard along `dimension`.
  ir::InstructionId offset(const ir::Shape& shape, const mesh::AxisSharding& sharding, int dimension);
  ir::InstructionId s32(std::int64_t value);
  ir::InstructionId plus(ir::InstructionId x, ir::InstructionId y);
  ir::InstructionId minus(ir::InstructionId x, ir::InstructionId y);
  ir::InstructionId times(ir::InstructionId x, ir::InstructionId y);

  /// `value` with elements beyond the end of the array along the given dimensions replaced by `fill` (a scalar of its
  /// type); `value` itself if all of them divide evenly.
  LocalValue masked(const LocalValue& value, ir::InstructionId fill, std::span<const int> dimensions);
  /// As above, for all dimensions.
  LocalValue masked(const LocalValue& value, ir::InstructionId fill);

  // Collectives among the partitions that differ only along `sub_axes`, in the order of their positions. Without
  // sub-axes they return the value itself. Dimensions that they split must divide evenly.

  ir::InstructionId all_reduce(ir::InstructionId value, const mesh::SubAxes& sub_axes, ir::Opcode combiner);
  ir::InstructionId all_gather(ir::InstructionId value, const mesh::SubAxes& sub_axes, int dimension);
  ir::InstructionId reduce_scatter(ir::InstructionId value, const mesh::SubAxes& sub_axes, int dimension,
                                   ir::Opcode combiner);
  /// Divides dimension `split` into one block for each position, sends block i to position i, and concatenates the
  /// received blocks along `join` in the order of their senders.
  ir::InstructionId all_to_all(ir::InstructionId value, const mesh::SubAxes& sub_axes, int split, int join);
  /// Sends each partition's value `distance` positions up along the sub-axes (down if negative). With `wrap` it goes
  /// around the end; otherwise partitions that receive no value have zeros.
  ir::InstructionId shift(ir::InstructionId value, const mesh::SubAxes& sub_axes, std::int64_t distance, bool wrap);
  /// Sends each partition's value to a partition whose position along `to` is the sender's along `from`; both have the
  /// same number of positions. A value split over `from` is then split over `to`.
  ir::InstructionId permute(ir::InstructionId value, const mesh::SubAxes& from, const mesh::SubAxes& to);

  ir::Participants groups(const mesh::SubAxes& sub_axes) const;

 private:
  /// The value of an s32 scalar if it is a constant.
  std::optional<std::int64_t> known(ir::InstructionId scalar) const;
  ir::InstructionId pairwise(ir::InstructionId value, std::vector<std::pair<std::int64_t, std::int64_t>> pairs);

  struct Gather {
    ir::InstructionId value;
    mesh::SubAxes sub_axes;
    int dimension;
    auto operator<=>(const Gather&) const = default;
  };
  struct LastGather {
    std::int64_t channel;
    ir::InstructionId at;
    ir::transform::LayerPart part;
  };
  std::int64_t channel_of(Gather gather);

  ir::build::GraphBuilder& builder_;
  const mesh::Mesh& mesh_;
  bool tile_by_tile_;
  ir::InstructionId now_ = 0;
  ir::transform::LayerPart part_;
  std::map<Gather, LastGather> gathers_;
  std::map<std::pair<const ir::Module*, ir::ComputationId>, ir::ComputationId> called_;
};

/// Gives every collective that has a channel id a separate one. While a program is written, collectives that may become
/// one instruction have the same id. Collectives among replicas have none.
void number_channels(ir::Module& module);

}  // namespace podsim::sw::spmd::reshard
