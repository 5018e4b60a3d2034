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
  ScalarReg row;               ///< number of the row of tiles
};

/// Writes a pipelined loop over rows of tiles, one in an iteration. Different rows touch different rows of the streams.
/// Their number is known here, whatever a tile has of them, as loops of known length overlap all of their iterations.
void write_row_loop(KernelBuilder& builder, std::int64_t row_tiles, std::span<const RowStream> streams,
                    const std::function<void(const RowPlace&)>& body);

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
