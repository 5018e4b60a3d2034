// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "hlo/devices/device_program.h"
#include "sw/driver/compile.h"
#include "sw/operators/operator_graph.h"
#include "sw/operators/schedule_estimate.h"

namespace podsim::sw::operators {

/// A way to share the operations of a program out to devices.
struct OperatorDivision {
  std::string name;                     ///< "METIS alone", "one device", "METIS, refined"
  std::vector<int> device = {};         ///< by cluster
  OperatorSchedule schedule = {};       ///< estimated
  std::optional<base::Time> step = {};  ///< simulated; std::nullopt: not, since others have shorter estimates
};

struct OperatorSearch {
  driver::Step step;                         ///< of the fastest
  std::vector<OperatorDivision> tried = {};  ///< shortest estimate first
  std::size_t chosen = 0;                    ///< into `tried`
  std::int64_t operations = 0, clusters = 0;
  std::int64_t estimates = 0;  ///< schedules that were estimated
  double work_s = 0;           ///< of all operations of a replica, one after another
  const OperatorDivision& best() const { return tried[chosen]; }
};

struct SearchLimits {
  std::int64_t estimates = 12'000;  ///< of the schedules from each start
  int simulated = 4;                ///< refined divisions
};

/// The plan of a division: its devices and the order of its estimated schedule.
hlo::devices::DevicePlan plan_of(const OperatorGraph& graph, const OperatorDivision& division, std::int64_t replicas);

/// The program of all devices of a division, scheduled and with combined collectives. `fused` has a collective for each
/// array.
hlo::Module module_of(const hlo::Module& fused, const OperatorGraph& graph, const OperatorDivision& division,
                      const DeviceSet& set, base::Bytes combine);

/// Shares the operations of a fused program out to the devices of each replica, so that the simulated step is shortest
/// among: all on one device; METIS's parts (metis.h); and the refinements (division.h) of these parts, of parts with
/// more imbalance, of an earliest-end division and of one device, the best of them by estimate. The step is the second
/// of two at detail replay. So it is never longer than METIS's.
///
/// `name` is that of the program in messages. Throws as operator_graph() and driver::compile() do; divisions that need
/// more memory than a core has are left out while another fits.
OperatorSearch search_operators(const std::string& name, const hlo::Module& fused, const driver::Target& target,
                                const driver::Choices& choices, const DeviceSet& set, const SearchLimits& limits = {});

}  // namespace podsim::sw::operators
