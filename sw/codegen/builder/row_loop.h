// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sw/codegen/builder/kernel_builder.h"

namespace podsim::sw::codegen::builder {

/// A sequence of rows of tiles in VMEM that a loop walks through; `pitch` is the number of VMEM rows from a row of
/// tiles to the next.
struct RowStream {
  registers::RowAddress first;
  std::int32_t pitch = 0;
};

/// The current row of tiles.
struct RowPosition {
  std::vector<registers::RowAddress> at;  ///< by stream
  registers::ScalarReg row;               ///< number of the row of tiles
};

/// Writes a pipelined loop over `row_tiles` rows of tiles, one per iteration. Different rows of tiles must access
/// different rows of the streams. The trip count is a constant even if a tile has fewer rows, since loops with a known
/// trip count overlap all of their iterations.
void write_row_loop(KernelBuilder& builder, std::int64_t row_tiles, std::span<const RowStream> streams,
                    const std::function<void(const RowPosition&)>& body);

/// Collects results of reductions over lanes in rows of 128 lanes. Each value is in all lanes of a sublane; it is
/// stored to the lane of its row.
class LaneResults {
 public:
  explicit LaneResults(KernelBuilder& builder);
  /// Stores the 8 values of the current row of tiles. `first` is the VMEM row for the results of rows of tiles 0 to 15.
  void store(KernelBuilder& builder, registers::RowAddress first, const RowPosition& position,
             registers::VectorReg value) const;

 private:
  registers::VectorReg diagonal_;  ///< lane - sublane
};

}  // namespace podsim::sw::codegen::builder
