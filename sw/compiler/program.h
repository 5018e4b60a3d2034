// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "hlo/graph.h"
#include "hw/tile_op.h"
#include "sw/collectives/collective_kind.h"
#include "sw/compiler/tiles/op_work.h"

/// The result of the compiler: the ops, collectives and host transfers of one step, and the order in which every core
/// executes them. lower() (lowering.h) makes it from a fused module, sw/runtime executes it. FLOPs and bytes are those
/// of one core.
namespace podsim::sw::compiler {

/// A distinct op. Equal work is compiled once and, at replay detail, simulated once.
struct CompiledOp {
  tiles::OpWork work;
  hw::TileOp tiles;
};

/// A collective over groups of cores of the slice.
struct CollectiveOp {
  collectives::CollectiveKind kind = collectives::CollectiveKind::all_reduce;
  hlo::ElementType element_type = hlo::ElementType::bf16;
  base::Bytes bytes;  ///< payload of one core (see CollectiveKind)
  int arrays = 0;     ///< number of arrays combined into it
  /// Groups of ranks, numbered as in CollectiveGroups; for a collective-permute, pairs of source and target. Empty: one
  /// group of all cores.
  std::vector<std::vector<std::int32_t>> groups = {};
  std::string axes = {};  ///< mesh axes that the groups join (sw/placement/mesh_collectives.h); empty without a mesh
  auto operator<=>(const CollectiveOp&) const = default;
};

/// Items [first, end) that run several times. The last one jumps back to the first.
struct Loop {
  std::string name;  ///< of the while instruction
  std::string op_name;
  int first = 0, end = 0;
  std::int64_t trips = 1;
  bool trips_known = true;  ///< if false, one trip represents an unknown number
};

/// An item of the schedule.
struct ProgramItem {
  enum class Kind { op, collective, infeed, outfeed, repeat };
  Kind kind = Kind::op;
  int index = 0;  ///< into Program::ops, collectives, infeeds, outfeeds or loops
  /// A `start` runs concurrently with the following items up to the `done` that names it. For kinds op and collective.
  hlo::AsyncPhase phase = hlo::AsyncPhase::none;
  int started_by = -1;            ///< of a done: the item that started it
  std::string hlo_name;           ///< instruction of the fused module, "fusion.17"
  std::string op_name;            ///< origin in the model, "layer2/block0/conv1"
  std::string category;           ///< category in XProf
  std::string hlo_text;           ///< result and operand shapes, as XProf prints an op
  int cores = -1;                 ///< index into Program::core_sets of the cores that run it; -1: all
  std::vector<int> sources = {};  ///< items of the same computation whose results it reads, ascending
  std::string products;           ///< how they are computed, "f32 in 6 passes" (tiles/product_arithmetic.h)
  double flops = 0;               ///< XLA's count
  double matmul_flops = 0;        ///< the part of them in convolutions and dots, as bf16 products of the same time
  base::Bytes bytes;              ///< operands and results: padded, of a collective without padding
};

/// A transfer between the host and each core.
struct HostTransfer {
  base::Bytes bytes;
  int tensors = 0;
  bool in_place = false;  ///< the host's data arrive where the program reads them: the core waits and copies nothing
};

/// The SPMD program of one step, the same for all cores and any number of them. If cores take different branches, the
/// items of all branches follow one another, each with the set of cores that take it.
struct Program {
  std::string name;
  std::vector<CompiledOp> ops;
  std::vector<CollectiveOp> collectives;
  std::vector<Loop> loops;
  std::vector<ProgramItem> items;
  std::vector<HostTransfer> infeeds, outfeeds;
  std::vector<std::vector<std::int32_t>> core_sets;  ///< cores of branches, in ascending order; no two sets are equal
  double flops = 0;                                  ///< XLA's count per core and step; the mean if cores differ
  double matmul_flops = 0;            ///< the part of `flops` in multiply-accumulates of convolutions and dots
  bool network_chose_branch = false;  ///< the choice of a branch depends on the machine's [ici] keys
  std::vector<std::string> warnings;  ///< assumptions about information missing in the module

  /// How often a step executes an item: the trips of the loops around it, multiplied.
  std::int64_t executions(int item) const {
    std::int64_t times = 1;
    for (const Loop& loop : loops) {
      if (loop.first <= item && item < loop.end) times *= loop.trips;
    }
    return times;
  }
};

}  // namespace podsim::sw::compiler
