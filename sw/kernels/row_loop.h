// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sw/kernels/kernel_builder.h"

namespace podsim::sw {

/// What a loop over rows of tiles walks through in VMEM: VMEM rows from one row of tiles to the next.
struct RowStream {
  RowAddress first;
  std::int32_t pitch = 0;
};

/// The row of tiles at hand.
struct RowPlace {
  std::vector<RowAddress> at;  ///< by stream
  ScalarReg iteration_row;     ///< number of the iteration's first row of tiles
  int number = 0;              ///< of the row in the iteration
};

/// Rows of tiles in an iteration that each take so many registers: about eight registers together, so that the branch
/// costs a register a cycle; fewer where there are not so many rows. A power of two, at most 16.
std::int64_t rows_per_iteration(std::int64_t registers_per_row, std::int64_t row_tiles);

/// Writes a pipelined loop over rows of tiles, `unroll` in an iteration; what is there is rounded up to whole
/// iterations. Different rows of tiles touch different rows of the streams.
void write_row_loop(KernelBuilder& builder, ScalarOperand row_tiles, std::int64_t unroll,
                    std::span<const RowStream> streams, const std::function<void(const RowPlace&)>& body);

/// n rounded up to multiples of a power of two, in multiples.
ScalarOperand divide_round_up(KernelBuilder& builder, ScalarOperand n, std::int64_t power_of_two);

/// Puts a value of each of 8 rows, the same in all lanes, to the 8 lanes of theirs in a row of 128 lanes.
class LaneResults {
 public:
  explicit LaneResults(KernelBuilder& builder);
  /// `first`: VMEM row of the results of rows of tiles 0 to 15 of the loop.
  void store(KernelBuilder& builder, RowAddress first, const RowPlace& place, VectorReg value) const;

 private:
  VectorReg diagonal_;  ///< lane - sublane
};

}  // namespace podsim::sw
