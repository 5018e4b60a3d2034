// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/parameters/section_of.h"
#include "base/units.h"

/// A level of on-chip memory in addition to HBM and VMEM, such as the CMEM of TPU v4.
namespace podsim::hw::parts::level {

/// [memory.NAME]. Data move between the level and VMEM, by the core's DMA engine. Reads and writes have a rate each and
/// do not disturb each other.
///
/// The cores of a chip divide a shared level evenly, its capacity and its rates, whether or not the others use it: all
/// run one program, and an op takes the same time whatever they do. A core alone has no more than its part.
struct Parameters {
  std::string name;
  base::Bytes capacity;                   ///< of the whole level
  bool shared = false;                    ///< by the cores of a chip; otherwise each core has one
  base::Bandwidth read_rate, write_rate;  ///< of the whole level
  base::Cycles latency;                   ///< descriptor issue to first byte's effect
  std::int64_t parts = 1;                 ///< of a shared level, one for each core: follows from [core]

  base::Bytes core_capacity() const { return base::Bytes(capacity.value() / parts); }
  base::Bandwidth core_read_rate() const { return read_rate * (1.0 / double(parts)); }
  base::Bandwidth core_write_rate() const { return write_rate * (1.0 / double(parts)); }

  /// The keys of [memory.NAME].
  static base::parameters::Section<Parameters> section(const std::string& name);
};

/// The levels that a configuration declares, in its order, with their names alone.
std::vector<Parameters> declared_levels(const base::Config& config);

/// Rejects names of other memories, more levels than `most`, and capacities of less than a byte for each core; sets the
/// parts of shared levels.
void complete(const base::Config& config, std::size_t most, std::int64_t cores, std::vector<Parameters>& levels);

}  // namespace podsim::hw::parts::level
