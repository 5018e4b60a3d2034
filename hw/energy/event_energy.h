// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/activity.h"
#include "hw/energy/part_values.h"
#include "hw/machine.h"

namespace podsim::hw::energy {

/// Joules of what was counted, by part:
///
///   units    the unit's joules(): of MXU and vector unit arithmetic * unit_overhead
///   vmem     bits * sram_bit * (VMEM of a lane / sram_bank) ^ sram_exponent
///   levels   likewise, with the capacity of a lane
///   hbm      bits * (hbm_bit + hbm_path_bit) + rows * hbm_activate; transfers open every row that they touch once
///   wires    bits between HBM or levels and anything * travel_bit; a message and a host's batch cross to the HBM once
///   ici      bits times the links that they take * link_bit
///   host     bits * pcie_bit
///
/// What is on the die scales with the square of the voltage (operating_point.h).
PartValues event_joules(const Machine& machine, const Activity& activity);
/// The same of all parts together.
double event_total(const Machine& machine, const Activity& activity);

/// Joules of a FLOP of a bf16 product, and of a byte of a stream between HBM and VMEM: the roofs of FLOPs per joule.
double flop_joules(const Machine& machine);
double hbm_byte_joules(const Machine& machine);

/// Joules of a bit read or written in a memory of `capacity` on the chip that consists of a bank for each lane.
double sram_joules(const Machine& machine, base::Bytes capacity);

}  // namespace podsim::hw::energy
