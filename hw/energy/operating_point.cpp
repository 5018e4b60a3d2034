// SPDX-License-Identifier: Apache-2.0
#include "hw/energy/operating_point.h"

#include <algorithm>
#include <cmath>

namespace podsim::hw::energy {

OperatingPoint::OperatingPoint(const Machine& machine)
    : ghz(machine.clock.si() * 1e-9),
      voltage(std::max(machine.energy.voltage_floor,
                       std::pow(machine.clock / machine.energy.clock, machine.energy.voltage_exponent))) {}

}  // namespace podsim::hw::energy
