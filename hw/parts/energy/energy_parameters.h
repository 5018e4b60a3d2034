// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters/section_of.h"
#include "base/units.h"

/// What events cost in joules and what a chip draws all the time, at the clock and voltage that the values are for.
namespace podsim::hw::parts::energy {

struct Parameters {                                 ///< [energy]; joules and watts
  base::Frequency clock;                            ///< of the core, at which the values hold
  double voltage_exponent = 0;                      ///< voltage grows with this power of the clock
  double voltage_floor = 0;                         ///< lowest voltage over that at `clock`
  double mxu_bf16 = 0, mxu_s8 = 0, mxu_f8 = 0;      ///< a multiply-add of a cell, arithmetic alone
  double vector_lane = 0, transcendental_lane = 0;  ///< an operation on a 32-bit element, arithmetic alone
  double cross_lane_lane = 0;                       ///< a 32-bit element through the cross-lane unit
  double scalar_cycle = 0;                          ///< a bundle fetched and its scalar slots executed
  double unit_overhead = 0;  ///< of MXU and vector unit with clock, registers, wires over arithmetic
  double sram_bit = 0;       ///< read or written in a bank of `sram_bank`
  base::Bytes sram_bank;     ///< for which `sram_bit` is stated
  double sram_exponent = 0;  ///< energy of a bit grows with this power of the bank's size
  double hbm_bit = 0;        ///< read or written: array, data path and pins
  double hbm_path = 0;       ///< a bit through controllers and across the chip, beyond travel
  double hbm_activate = 0;   ///< a row opened and closed
  double hbm_standby = 0;    ///< watts of a channel, refresh included
  double travel_bit = 0;     ///< between VMEM and the edge of the chip
  double link_bit = 0;       ///< through a router to the next chip
  double serdes_bit = 0;     ///< of the raw rate of a link, always on
  double pcie_bit = 0;       ///< to the host or from it
  double leakage = 0;        ///< W/mm2
  double clock_tree = 0;     ///< W/(mm2 GHz) of what is clocked and idle
  bool gate_idle = false;    ///< units that have nothing to do are switched off
  double gated_share = 0;    ///< of a unit's idle watts that gating leaves

  static const base::parameters::Section<Parameters>& section();
};

}  // namespace podsim::hw::parts::energy
