// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/energy/area_parameters.h"

#include "base/parameters/section.h"

namespace podsim::hw::parts::energy {

const base::parameters::Section<AreaParameters>& AreaParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  const Real part{0, 1e4, "must be between 0 and 10000 mm2"};
  static const base::parameters::Section<AreaParameters> keys(
      "area",
      {
          {"mxu_cell_mm2", &AreaParameters::mxu_cell, part, {watts}},
          {"vector_alu_mm2", &AreaParameters::vector_alu, part, {watts}},
          {"cross_lane_mm2", &AreaParameters::cross_lane, part, {watts}},
          {"scalar_mm2", &AreaParameters::scalar, part, {watts}},
          {"sram_mib_mm2", &AreaParameters::sram_mib, part, {watts}},
          {"hbm_channel_mm2", &AreaParameters::hbm_channel, part, {watts}},
          {"link_gbps_mm2", &AreaParameters::link_gbps, part, {watts}},
          {"pcie_mm2", &AreaParameters::pcie, part, {watts}},
          {"other_mm2", &AreaParameters::other, part, {watts}},
          {"chip_dollars", &AreaParameters::chip_dollars, Real{0, 1e9, "must be between 0 and a billion"}, {watts}},
      });
  return keys;
}

}  // namespace podsim::hw::parts::energy
