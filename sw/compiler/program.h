// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "hw/tile_op.h"
#include "sw/collectives/collective_kind.h"
#include "sw/compiler/op_work.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// A distinct op: equal work is compiled once and, at replay detail, simulated once.
struct CompiledOp {
  OpWork work;
  hw::TileOp tiles;
};

/// A collective of groups of cores of the slice.
struct CollectiveOp {
  CollectiveKind kind = CollectiveKind::all_reduce;
  ElementType element_type = ElementType::bf16;
  base::Bytes bytes;  ///< payload of one core (see CollectiveKind)
  int arrays = 0;     ///< combined into it
  /// Cores, numbered as in CollectiveGroups; of a collective-permute pairs of source and target. Empty: one group of
  /// all.
  std::vector<std::vector<std::int32_t>> groups = {};
  std::string axes = {};  ///< of the mesh that they join (spmd/mesh_collectives.h); empty: there is no mesh
  auto operator<=>(const CollectiveOp&) const = default;
};

/// Items that run several times: [first, end), the last of them the one that jumps back.
struct Loop {
  std::string name;  ///< of the while instruction
  std::string op_name;
  int first = 0, end = 0;
  std::int64_t trips = 1;
  bool trips_known = true;  ///< else one trip stands for however many there are
};

/// One step of the schedule.
struct ProgramItem {
  enum class Kind { op, collective, infeed, outfeed, repeat };
  Kind kind = Kind::op;
  int index = 0;  ///< into Program::ops, collectives, infeeds, outfeeds or loops
  /// `start` goes on beside the items that follow, up to the `done` that names it. Kinds op and collective.
  AsyncPhase phase = AsyncPhase::none;
  int started_by = -1;   ///< done: the item that started it
  std::string hlo_name;  ///< instruction of the fused module: "fusion.17"
  std::string op_name;   ///< where it comes from in the model: "layer2/block0/conv1"
  std::string category;  ///< XProf's
  std::string hlo_text;  ///< result and operand shapes, as XProf prints an op
  int cores = -1;        ///< into Program::core_sets: those that run it; -1: all
  double flops = 0;      ///< XLA's count
  base::Bytes bytes;     ///< operands and results, each once, padded
};

/// What goes between the host and each core at once.
struct HostTransfer {
  base::Bytes bytes;
  int tensors = 0;
};

/// The SPMD program of one step: the same for every core, whatever their number. Where cores take different branches
/// the items of all branches stand one after the other, each for the cores that take it.
struct Program {
  std::string name;
  std::vector<CompiledOp> ops;
  std::vector<CollectiveOp> collectives;
  std::vector<Loop> loops;
  std::vector<ProgramItem> items;
  std::vector<HostTransfer> infeeds, outfeeds;
  std::vector<std::vector<std::int32_t>> core_sets;  ///< of branches, rising; no two are equal
  double flops = 0;                                  ///< per core and step, XLA's count; the mean where cores differ
  double matmul_flops = 0;                           ///< of them, multiply-accumulates of convolutions and dots
  bool network_chose_branch = false;                 ///< the branch that is taken follows from the machine's [ici] too
  std::vector<std::string> warnings;                 ///< what the program does not say and was assumed
};

}  // namespace podsim::sw
