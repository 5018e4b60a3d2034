// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw {

/// Cost of code that the tile level does not model, derived from bundle-level runs; machine-wide.
struct TileLevelParameters {      ///< [tile_level]
  base::Cycles tile;              ///< scalar code per tile
  base::Cycles transfer;          ///< scalar code per descriptor
  base::Cycles vector_loop;       ///< start and end of a software-pipelined vector loop
  base::Cycles matrix_phase;      ///< per matrix phase, beyond its first weight load and last result
  base::Cycles cross_lane_phase;  ///< per phase of cross-lane work

  static const base::parameters::Section<TileLevelParameters>& section();
};

}  // namespace podsim::hw
