// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"

namespace podsim::hw {

/// Cost of one run of an op, in cycles of the core clock. `cycles` is the sum of the six parts below it.
struct OpResult {
  base::Cycles cycles;      ///< first descriptor to last byte written
  base::Cycles start_up;    ///< waiting for the first tile's reads
  base::Cycles compute;     ///< a phase runs
  base::Cycles read_wait;   ///< waiting for later tiles' reads
  base::Cycles write_wait;  ///< waiting for a free output buffer or a free descriptor
  base::Cycles control;     ///< scalar code of tiles and transfers, while no other unit of the core works
  base::Cycles drain;       ///< waiting for the last writes after the last phase

  base::Cycles mxu_busy;  ///< summed over the matrix units, including load and drain
  base::Cycles vector_busy;
  base::Cycles cross_lane_busy;
  base::Cycles hbm_busy;  ///< data move on the HBM
  base::Bytes read_bytes;
  base::Bytes written_bytes;
  std::int64_t tiles = 0;

  bool operator==(const OpResult&) const = default;
};

}  // namespace podsim::hw
