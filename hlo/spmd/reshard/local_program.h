// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/spmd/mesh/axis_sharding.h"
#include "hlo/transform/rematerialize.h"

/// The program of one partition while it is being written. Values may depend on a partition's number, but all
/// partitions run the same program.
namespace podsim::hlo::spmd::reshard {

/// A value of the whole program, as a partition holds it.
struct LocalValue {
  hlo::InstructionId id = -1;  ///< in the local program, with shape local_shape(mesh, shape, sharding)
  hlo::Shape shape;            ///< shape of the whole value
  mesh::AxisSharding sharding;
  /// Partitions along these sub-axes hold addends, to be combined by `combiner`. No dimension is split over them.
  mesh::SubAxes unreduced;
  hlo::Opcode combiner = hlo::Opcode::add;  ///< add, multiply, minimum, maximum, logical_and, logical_or
};

class LocalProgram {
 public:
  /// With `tile_by_tile`, shards that follow each other in memory are scattered and gathered as they lie (tile_rows.h).
  LocalProgram(build::GraphBuilder& builder, const mesh::Mesh& mesh, bool tile_by_tile = false)
      : builder_(builder), mesh_(mesh), tile_by_tile_(tile_by_tile) {}

  build::GraphBuilder& builder() { return builder_; }
  const mesh::Mesh& mesh() const { return mesh_; }
  bool tile_by_tile() const { return tile_by_tile_; }

  /// Sets the instruction of the original program that is being written, by number and op_name. Equal all-gathers
  /// become one instruction only within the same part of a layer, or if the second follows the last use of the first
  /// within held_instructions: a gathered value is large and is gathered again rather than kept for long, as weights
  /// are for the forward and the backward pass (GSPMD, Xu et al. 2021, section 4.1).
  void advance_to(hlo::InstructionId instruction, std::string_view op_name) {
    now_ = instruction;
    part_ = transform::layer_part(op_name);
  }
  static constexpr int held_instructions = 100;

  /// A copy of another module's computation in this one, made on first use.
  hlo::ComputationId called(const hlo::Module& module, hlo::ComputationId id);

  // The following return s32 scalars; arithmetic on constants is folded.

  /// The position of this partition along the combined sub-axes; 0 if there are none.
  hlo::InstructionId position(const mesh::SubAxes& sub_axes);
  /// Index in the whole array of the first element of this partition's shard along `dimension`.
  hlo::InstructionId offset(const hlo::Shape& shape, const mesh::AxisSharding& sharding, int dimension);
  hlo::InstructionId s32(std::int64_t value);
  hlo::InstructionId plus(hlo::InstructionId x, hlo::InstructionId y);
  hlo::InstructionId minus(hlo::InstructionId x, hlo::InstructionId y);
  hlo::InstructionId times(hlo::InstructionId x, hlo::InstructionId y);

  /// `value` with elements beyond the end of the array along the given dimensions replaced by `fill` (a scalar of its
  /// type); `value` itself if all of them divide evenly.
  LocalValue masked(const LocalValue& value, hlo::InstructionId fill, std::span<const int> dimensions);
  /// As above, for all dimensions.
  LocalValue masked(const LocalValue& value, hlo::InstructionId fill);

  // Collectives among the partitions that differ only along `sub_axes`, in the order of their positions. Without
  // sub-axes they return the value itself. Dimensions that they split must divide evenly.

  hlo::InstructionId all_reduce(hlo::InstructionId value, const mesh::SubAxes& sub_axes, hlo::Opcode combiner);
  hlo::InstructionId all_gather(hlo::InstructionId value, const mesh::SubAxes& sub_axes, int dimension);
  hlo::InstructionId reduce_scatter(hlo::InstructionId value, const mesh::SubAxes& sub_axes, int dimension,
                                    hlo::Opcode combiner);
  /// Divides dimension `split` into one block for each position, sends block i to position i, and concatenates the
  /// received blocks along `join` in the order of their senders.
  hlo::InstructionId all_to_all(hlo::InstructionId value, const mesh::SubAxes& sub_axes, int split, int join);
  /// Sends each partition's value `distance` positions up along the sub-axes (down if negative). With `wrap` it goes
  /// around the end; otherwise partitions that receive no value have zeros.
  hlo::InstructionId shift(hlo::InstructionId value, const mesh::SubAxes& sub_axes, std::int64_t distance, bool wrap);
  /// Sends each partition's value to a partition whose position along `to` is the sender's along `from`; both have the
  /// same number of positions. A value split over `from` is then split over `to`.
  hlo::InstructionId permute(hlo::InstructionId value, const mesh::SubAxes& from, const mesh::SubAxes& to);

  hlo::Participants groups(const mesh::SubAxes& sub_axes) const;

 private:
  /// The value of an s32 scalar if it is a constant.
  std::optional<std::int64_t> known(hlo::InstructionId scalar) const;
  hlo::InstructionId pairwise(hlo::InstructionId value, std::vector<std::pair<std::int64_t, std::int64_t>> pairs);

  struct Gather {
    hlo::InstructionId value;
    mesh::SubAxes sub_axes;
    int dimension;
    auto operator<=>(const Gather&) const = default;
  };
  struct LastGather {
    std::int64_t channel;
    hlo::InstructionId at;
    transform::LayerPart part;
  };
  std::int64_t channel_of(Gather gather);

  build::GraphBuilder& builder_;
  const mesh::Mesh& mesh_;
  bool tile_by_tile_;
  hlo::InstructionId now_ = 0;
  transform::LayerPart part_;
  std::map<Gather, LastGather> gathers_;
  std::map<std::pair<const hlo::Module*, hlo::ComputationId>, hlo::ComputationId> called_;
};

/// Gives every collective that has a channel id a separate one. While a program is written, collectives that may become
/// one instruction have the same id. Collectives among replicas have none.
void number_channels(hlo::Module& module);

}  // namespace podsim::hlo::spmd::reshard
