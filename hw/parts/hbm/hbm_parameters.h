// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw::parts::hbm {

struct Parameters {  ///< [hbm]
  base::Bytes capacity_per_core;
  base::Bytes reserved_per_core;    ///< by the runtime; programs have the rest
  base::Bandwidth stream_rate;      ///< sustained, one core's half, contiguous reads only
  double write_cost = 1;            ///< cost of a contiguous byte written alone, relative to a byte read
  double turnaround = 0;            ///< extra cost per byte of the lesser direction of a read/write mix
  base::Bandwidth port_rate{1e30};  ///< of its port of the on-chip switch, in each direction: [switch]

  /// The rate of contiguous reads alone.
  base::Bandwidth read_rate() const { return std::min(stream_rate, port_rate); }
  /// The rate of contiguous writes alone.
  base::Bandwidth write_rate() const { return std::min(stream_rate / write_cost, port_rate); }
  /// The rate of each direction while contiguous reads and writes both move.
  base::Bandwidth mixed_rate() const { return std::min(stream_rate / (2 + turnaround), port_rate); }
  base::Bytes usable_per_core() const { return capacity_per_core - std::min(capacity_per_core, reserved_per_core); }

  static const base::parameters::Section<Parameters>& section();
};

}  // namespace podsim::hw::parts::hbm
