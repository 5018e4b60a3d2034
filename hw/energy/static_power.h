// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/core_units.h"
#include "hw/energy/part_values.h"
#include "hw/machine.h"

namespace podsim::hw::energy {

/// Share of a time in which a unit works.
template <class Unit>
struct BusyShare {
  double value = 1;
};
using BusyShares = CoreUnits::Per<BusyShare>;

/// Watts that the parts of a chip draw whatever it does: for each mm2 (chip_area.h) leakage and clock, for each channel
/// of the HBM standby and refresh, for each link its SerDes at the raw rate. With [energy] gate_idle a unit draws
/// gated_share of that while it does not work.
PartValues static_watts(const Machine& machine, const BusyShares& busy = {});
/// The watts among these that the die does not take: standby and refresh of the HBM, SerDes of the links.
PartValues supply_watts(const Machine& machine);
/// The watts of a chip whose units do nothing.
double idle_watts(const Machine& machine);

}  // namespace podsim::hw::energy
