// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "hw/machine.h"
#include "noc/chip_speed.h"

/// A slow chip in cycles of its own clock, in which all but its HBM is that of a healthy one.
namespace podsim::hw::timing {

/// Cycles of a slow clock in cycles of the healthy one, rounded up; `clock` is its fraction of the healthy rate.
base::Cycles slowed(base::Cycles slow_cycles, double clock);
/// Cycles of the healthy clock in cycles of a slow one, rounded up.
base::Cycles in_slow_cycles(base::Cycles cycles, double clock);

/// The HBM of a slow chip, with its port of the switch, which has the chip's clock.
parts::hbm::Parameters at_speed(const parts::hbm::Parameters& healthy, const noc::ChipSpeed& speed);

/// The machine as a slow chip's ops see it in cycles of its clock: its HBM has hbm / clock of the rate, contiguous or
/// not.
Machine in_cycles_of(const Machine& healthy, const noc::ChipSpeed& speed);

}  // namespace podsim::hw::timing
