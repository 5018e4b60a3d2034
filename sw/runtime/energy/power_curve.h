// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/units.h"
#include "sw/runtime/energy/run_energy.h"
#include "sw/runtime/run_result.h"

namespace podsim::sw::runtime::energy {

/// Watts of a chip whose cores all do what the reported core does, from `begin` to the next sample.
struct PowerSample {
  base::Time begin;  ///< after the step began
  double watts = 0;
};

/// The power of a chip in the last step, or of a part of it. An item takes its energy evenly while the core executes
/// it, one that is asynchronous from its start to the end of its done; trips that were skipped because they repeat
/// follow the one that they repeat item by item. The integral is the energy of the core's items times the cores, and
/// what is always drawn. The last sample, at the end of the step, holds what is always drawn.
std::vector<PowerSample> power_curve(const TargetMachine& machine, const StepEnergy& energy, const RunResult& result,
                                     std::string_view part = "");

/// Means of a curve over `bins` equal parts of the step.
std::vector<double> mean_watts(const std::vector<PowerSample>& curve, int bins);

}  // namespace podsim::sw::runtime::energy
