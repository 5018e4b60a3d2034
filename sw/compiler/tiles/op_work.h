// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "hlo/graph.h"
#include "hw/memory_levels.h"
#include "hw/tile_op.h"
#include "sw/compiler/tiles/indexed_rows.h"
#include "sw/compiler/tiles/matmul_problem.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler::tiles {

/// Work of one op of the fused program on the core, before tiling: totals over the whole op.
///
/// Traffic is classified by the loop that it follows when the op is tiled: the rows streamed through the MXU, the lanes
/// of the stationary operand, or the output (epilogue operands, and all reads of an op without a matmul). Arrays below
/// compiler.small_operand, such as per-channel vectors, are read once, before the rest. The exception is an op without
/// a matmul that has compiler.min_tile of them or more: they are its data then. Arrays move from and to the memory
/// that their memory space names (hw/memory_levels.h). Those placed in VMEM, or in a memory that is no level of the
/// machine (SMEM), need no transfers; they cost only register loads and stores.
struct OpWork {
  std::optional<MatmulProblem> matmul;         ///< the last matmul
  std::vector<MatmulProblem> earlier_matmuls;  ///< matmuls before it, whose results stay in VMEM

  hw::LevelBytes row_bytes;
  hw::LevelBytes lane_bytes;
  hw::LevelBytes output_side_bytes;
  hw::LevelBytes small_bytes;
  hw::LevelBytes written_bytes;

  bool sums_in_result = false;  ///< the result is f32, so that partial sums are in its block (tile_blocks.h)

  hw::VectorWork row_prologue;   ///< on the streamed operand; repeated for every tile that reads it
  hw::VectorWork lane_prologue;  ///< on the stationary operand; repeated for every tile that reads it
  hw::VectorWork epilogue;       ///< on the output; all vector work of an op without a matmul
  /// On the stationary operand: rows that are collected into weight tiles, while the MXU works.
  hw::VectorWork collected;
  std::int64_t lane_moves = 0;  ///< operations of the cross-lane unit, concurrent with the rest of the work

  /// Cross-lane operations in a matmul's prologues and epilogue: row statistics that move between lanes and sublanes.
  /// They are exposed and repeated like the vector work that waits for them.
  std::int64_t row_relayouts = 0;
  std::int64_t lane_relayouts = 0;
  std::int64_t output_relayouts = 0;

  std::int64_t passes = 1;       ///< number of equal passes of the vector and cross-lane work over the data in VMEM
  std::int64_t loops = 1;        ///< consecutive loops over unrelated arrays
  std::int64_t loop_arrays = 0;  ///< arrays that these loops, except one, read and write
  std::int64_t serial_transfers = 0;  ///< DMAs that another one, or the end of the op, waits for

  IndexedRows gathered;  ///< read concurrently with the other traffic; scalar code finds the rows
  IndexedRows updated;   ///< read, combined with the data of an op without a matmul, and written back
  hw::LevelBytes
      table_bytes;  ///< a new table, whose first values are read again after they are written, before the updates

  /// The part of output_side_bytes in arrays whose layout tiles hold elements of up to sharing_products products of a
  /// batch, each of which reads the whole tiles.
  hw::LevelBytes shared_side_bytes;
  std::int64_t sharing_products = 1;

  auto operator<=>(const OpWork&) const = default;
  /// Bytes that the whole op reads and stores, by memory.
  hw::LevelBytes read_bytes() const {
    return row_bytes + lane_bytes + output_side_bytes + small_bytes + table_bytes + gathered.at_level() +
           updated.at_level();
  }
  hw::LevelBytes stored_bytes() const { return written_bytes + updated.at_level(); }
};

/// Returns the work of an instruction of a fused entry computation: a fusion or a bare instruction.
OpWork op_work(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id,
               const TargetMachine& machine);

}  // namespace podsim::sw::compiler::tiles
