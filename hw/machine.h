// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/parameters/key_level.h"
#include "base/parameters/section_of.h"
#include "base/units.h"
#include "hw/core_units.h"
#include "hw/parts/dma/dma_parameters.h"
#include "hw/parts/energy/area_parameters.h"
#include "hw/parts/energy/energy_parameters.h"
#include "hw/parts/energy/site_parameters.h"
#include "hw/parts/hbm/dram_parameters.h"
#include "hw/parts/hbm/hbm_parameters.h"
#include "hw/parts/host/host_parameters.h"
#include "hw/parts/level/level_parameters.h"
#include "hw/tile_level_parameters.h"
#include "noc/ici/ici_parameters.h"

/// The resolved machine: the values of a machine file, typed and checked, as the models use them. read_machine()
/// converts a configuration and throws base::InputError for values out of range. `podsim describe` prints the values
/// with their evidence.
namespace podsim::hw {

struct PodParameters {                   ///< [pod]
  std::vector<std::int64_t> dimensions;  ///< chips per dimension of a full pod: {32, 32}
  std::int64_t host_chips = 1;           ///< chips that a host has
  std::int64_t pods = 0;                 ///< at most this many are joined, along the first dimension

  static const base::parameters::Section<PodParameters>& section();
};

/// The resolved machine. Durations of units that run on the core clock are in its cycles, rounded up; a file may state
/// them in ns.
struct Machine : CoreUnits::Parameters {
  static constexpr std::size_t max_levels = 2;  ///< of memory in addition to HBM and VMEM

  std::string name;
  base::Frequency clock;  ///< [core] clock
  std::int64_t cores_per_chip = 0;
  base::Bytes vmem;
  std::int64_t sync_flags = 0;
  std::int64_t instruction_memory = 0;  ///< bundles
  parts::dma::Parameters dma;
  parts::hbm::Parameters hbm;
  parts::hbm::DramParameters dram;               ///< the same memory at bank level
  std::vector<parts::level::Parameters> levels;  ///< on-chip memories in addition to VMEM (hw/memory_levels.h)
  noc::ici::SwitchParameters chip_switch;
  noc::ici::IciParameters ici;
  parts::host::Parameters host;
  TileLevelParameters tile_level;
  PodParameters pod;
  parts::energy::Parameters energy;
  parts::energy::AreaParameters area;
  parts::energy::SiteParameters site;

  /// The keys of [core].
  static const base::parameters::Section<Machine>& core_section();

  base::Clock core_clock() const { return base::Clock(clock); }
  /// Peak rate of one core in bf16, a multiply-add counted as two operations, per second.
  double peak_flops_per_core() const;
};

/// Every key of a machine's hardware and the levels at which it acts.
std::vector<base::parameters::KeyUse> machine_keys();

/// Reads the resolved configuration. InputError for a value out of its range, at the location that set it.
Machine read_machine(const base::Config& config);

}  // namespace podsim::hw
