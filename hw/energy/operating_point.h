// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/machine.h"

namespace podsim::hw::energy {

/// The clock of a core, and the voltage that it needs over that for which [energy] is stated.
///
/// V = max(voltage_floor, (f / clock) ^ voltage_exponent). An event on the die takes V^2 of its energy, what is clocked
/// f V^2, leakage V; HBM and links have supplies of their own.
struct OperatingPoint {
  double ghz = 0;
  double voltage = 1;

  explicit OperatingPoint(const Machine& machine);
  double event_scale() const { return voltage * voltage; }
};

}  // namespace podsim::hw::energy
