// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sw/graph/graph_builder.h"
#include "sw/graph/rematerialize.h"
#include "sw/spmd/axis_sharding.h"

/// The program of one partition while it is being written. What a partition does may depend on its number, never the
/// program's text: one program for any number of partitions.
namespace podsim::sw {

/// A value of the whole program as a partition holds it.
struct LocalValue {
  InstructionId id = -1;  ///< in the local program, of local_shape(mesh, shape, sharding)
  Shape shape;            ///< of the whole value
  AxisSharding sharding;
  /// Partitions along these sub-axes hold addends (or what `combiner` combines); they cut no dimension.
  SubAxes unreduced;
  Opcode combiner = Opcode::add;  ///< add, multiply, minimum, maximum, logical_and, logical_or
};

class LocalProgram {
 public:
  LocalProgram(GraphBuilder& builder, const Mesh& mesh) : builder_(builder), mesh_(mesh) {}

  GraphBuilder& builder() { return builder_; }
  const Mesh& mesh() const { return mesh_; }

  /// How far the program that is partitioned has been written: the number and op_name of an instruction. Equal
  /// all-gathers are one only in the same part of a layer or where not many instructions lie between: a gathered value
  /// is large and is made again rather than kept for long, as weights are for the forward and the backward pass (GSPMD,
  /// Xu et al. 2021, section 4.1).
  void advance_to(InstructionId instruction, std::string_view op_name) {
    now_ = instruction;
    part_ = layer_part(op_name);
  }
  static constexpr int held_instructions = 100;

  /// A computation of another module in this one, copied once.
  ComputationId called(const Module& module, ComputationId id);

  /// s32 scalars; what is known is computed at once. The position of this partition along sub-axes taken together, 0
  /// for none.
  InstructionId position(const SubAxes& sub_axes);
  /// Index in the whole array of the first element of this partition's shard along dimension d.
  InstructionId offset(const Shape& shape, const AxisSharding& sharding, int dimension);
  InstructionId s32(std::int64_t value);
  InstructionId plus(InstructionId x, InstructionId y);
  InstructionId minus(InstructionId x, InstructionId y);
  InstructionId times(InstructionId x, InstructionId y);

  /// `value` with `fill` (a scalar of its type) for what lies beyond the array along the given dimensions; itself where
  /// all of them divide.
  LocalValue masked(const LocalValue& value, InstructionId fill, std::span<const int> dimensions);
  /// Along all of its dimensions.
  LocalValue masked(const LocalValue& value, InstructionId fill);

  /// Collectives among the partitions that differ along `sub_axes` only, in the order of their position; of no
  /// sub-axes the value itself. Sizes that are cut divide.
  InstructionId all_reduce(InstructionId value, const SubAxes& sub_axes, Opcode combiner);
  InstructionId all_gather(InstructionId value, const SubAxes& sub_axes, int dimension);
  InstructionId reduce_scatter(InstructionId value, const SubAxes& sub_axes, int dimension, Opcode combiner);
  /// The value's `split` dimension is cut into as many blocks as there are partitions, block i goes to the i-th, and
  /// what arrives is joined along `join` in the order of the senders.
  InstructionId all_to_all(InstructionId value, const SubAxes& sub_axes, int split, int join);
  /// Everybody's value goes `distance` positions up along the sub-axes (down if negative); around the end if `wrap`,
  /// else partitions that get nothing have zeros.
  InstructionId shift(InstructionId value, const SubAxes& sub_axes, std::int64_t distance, bool wrap);
  /// Everybody's value goes to a partition whose position along `to` is the sender's along `from`, two lists of the
  /// same total size: what was cut along `from` is then cut along `to`.
  InstructionId permute(InstructionId value, const SubAxes& from, const SubAxes& to);

  Participants groups(const SubAxes& sub_axes) const;

 private:
  /// The constant that an s32 scalar is.
  std::optional<std::int64_t> known(InstructionId scalar) const;
  InstructionId pairwise(InstructionId value, std::vector<std::pair<std::int64_t, std::int64_t>> pairs);

  struct Gather {
    InstructionId value;
    SubAxes sub_axes;
    int dimension;
    auto operator<=>(const Gather&) const = default;
  };
  struct LastGather {
    std::int64_t channel;
    InstructionId at;
    LayerPart part;
  };
  std::int64_t channel_of(Gather gather);

  GraphBuilder& builder_;
  const Mesh& mesh_;
  InstructionId now_ = 0;
  LayerPart part_;
  std::map<Gather, LastGather> gathers_;
  std::map<std::pair<const Module*, ComputationId>, ComputationId> called_;
};

/// Gives every collective that has a channel one of its own. While a program is written all have the same one, so that
/// equal collectives are found equal. Those among replicas have none.
void number_channels(Module& module);

}  // namespace podsim::sw
