// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/energy/energy_parameters.h"

#include "base/parameters/section.h"

namespace podsim::hw::parts::energy {

const base::parameters::Section<Parameters>& Parameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  constexpr double most_joules = 1e-6, most_watts = 1e3;
  const Joules event{most_joules};
  static const base::parameters::Section<Parameters> keys(
      "energy",
      {
          {"clock", &Parameters::clock, ClockRate{}, {watts}},
          {"voltage_exponent", &Parameters::voltage_exponent, Real{0, 3, "is an exponent between 0 and 3"}, {watts}},
          {"voltage_floor", &Parameters::voltage_floor, share(), {watts}},
          {"mxu_bf16", &Parameters::mxu_bf16, event, {watts}},
          {"mxu_s8", &Parameters::mxu_s8, event, {watts}},
          {"mxu_f8", &Parameters::mxu_f8, event, {watts}},
          {"vector_lane", &Parameters::vector_lane, event, {watts}},
          {"transcendental_lane", &Parameters::transcendental_lane, event, {watts}},
          {"cross_lane_lane", &Parameters::cross_lane_lane, event, {watts}},
          {"scalar_cycle", &Parameters::scalar_cycle, event, {watts}},
          {"unit_overhead", &Parameters::unit_overhead, Real{1, 100, "must be between 1 and 100"}, {watts}},
          {"sram_bit", &Parameters::sram_bit, event, {watts}},
          {"sram_bank", &Parameters::sram_bank, Size{base::Bytes(1LL << 40)}, {watts}},
          {"sram_exponent", &Parameters::sram_exponent, Real{0, 2, "is an exponent between 0 and 2"}, {watts}},
          {"hbm_bit", &Parameters::hbm_bit, event, {watts}},
          {"hbm_path_bit", &Parameters::hbm_path, event, {watts}},
          {"hbm_activate", &Parameters::hbm_activate, event, {watts}},
          {"hbm_standby", &Parameters::hbm_standby, Watts{most_watts}, {watts}},
          {"travel_bit", &Parameters::travel_bit, event, {watts}},
          {"link_bit", &Parameters::link_bit, event, {watts}},
          {"serdes_bit", &Parameters::serdes_bit, event, {watts}},
          {"pcie_bit", &Parameters::pcie_bit, event, {watts}},
          {"leakage_w_per_mm2", &Parameters::leakage, Real{0, 100, "must be between 0 and 100 W"}, {watts}},
          {"clock_w_per_mm2_ghz", &Parameters::clock_tree, Real{0, 100, "must be between 0 and 100 W"}, {watts}},
          {"gate_idle", &Parameters::gate_idle, Flag{}, {watts}},
          {"gated_share", &Parameters::gated_share, share(), {watts}},
      });
  return keys;
}

}  // namespace podsim::hw::parts::energy
