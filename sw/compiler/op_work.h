// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/compiler/indexed_rows.h"
#include "sw/compiler/matmul_problem.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// What one op of the fused program asks of the core, before it is cut into tiles: totals over the whole op.
///
/// Traffic is sorted by what it moves with when the op is cut: with the rows streamed through the MXU, with the lanes
/// of the stationary operand, or with the output (epilogue operands, and everything an op without a matmul reads).
/// Arrays below 64 KiB, such as per-channel vectors, are read once, before the rest, unless an op without a matmul has
/// compiler.least_tile of them or more: they are its data then. Arrays that are placed in VMEM (or SMEM) are loaded and
/// stored there and move nothing.
struct OpWork {
  std::optional<MatmulProblem> matmul;         ///< the last one
  std::vector<MatmulProblem> earlier_matmuls;  ///< those before it, whose results stay in VMEM

  base::Bytes row_bytes;
  base::Bytes lane_bytes;
  base::Bytes output_side_bytes;
  base::Bytes small_bytes;
  base::Bytes written_bytes;

  hw::VectorWork row_prologue;      ///< on the streamed operand, repeated for every tile that reads it
  hw::VectorWork lane_prologue;     ///< on the stationary operand, likewise
  hw::VectorWork epilogue;          ///< on the output; all the work of an op without a matmul
  std::int64_t cross_lane_ops = 0;  ///< beside the rest of the work

  /// Cross-lane operations of a matmul's prologues and epilogue: statistics of rows that move between lanes and
  /// sublanes. As exposed as the vector work that waits for them, and repeated with it.
  std::int64_t row_relayouts = 0;
  std::int64_t lane_relayouts = 0;
  std::int64_t output_relayouts = 0;

  std::int64_t passes = 1;            ///< the vector and cross-lane work are so many equal passes over the data in VMEM
  std::int64_t loops = 1;             ///< in a row, over arrays that have nothing to do with each other
  std::int64_t loop_arrays = 0;       ///< that all of these but one read and write
  std::int64_t serial_transfers = 0;  ///< DMAs that wait for each other, beyond the first

  IndexedRows gathered;  ///< read beside the others; scalar code finds them
  IndexedRows updated;   ///< read, combined with what an op without a matmul has, and written back

  auto operator<=>(const OpWork&) const = default;
  base::Bytes read_bytes() const {
    return row_bytes + lane_bytes + output_side_bytes + small_bytes + gathered.bytes() + updated.bytes();
  }
  base::Bytes stored_bytes() const { return written_bytes + updated.bytes(); }
};

/// The op behind an instruction of a fused entry computation: a fusion or a bare instruction.
OpWork op_work(const Module& module, const Computation& computation, InstructionId id, const hw::Machine& machine);

/// Whether an instruction of an executed computation takes time on the core as a tile op; what only names a value does
/// not, collectives, host transfers and control flow are something else.
bool is_core_op(const Instruction& instruction);

/// XProf's category: "convolution fusion", "gather fusion", "data formatting", "non-fusion elementwise", an opcode ...
std::string category_of(const Module& module, const Instruction& instruction);

}  // namespace podsim::sw
