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
  std::vector<OperatorDivision> tried = {};  ///< in the order of their starts
  std::size_t chosen = 0;                    ///< into `tried`
  std::int64_t operations = 0, clusters = 0;
  std::int64_t estimates = 0, simulations = 0;  ///< schedules that were estimated, steps that were simulated
  double work_s = 0;                            ///< of all operations of a replica, one after another
  const OperatorDivision& best() const { return tried[chosen]; }
};

/// How long a search looks. Numbers of schedules and steps are those of programs with up to 500 operations; larger ones
/// have fewer, as their operations are more.
struct SearchLimits {
  std::int64_t refined = 6'000;    ///< estimated schedules of the refinement of a start
  std::int64_t annealed = 12'000;  ///< of the annealing of the best of them
  int simulated = 12;              ///< simulated steps that refine it further
};

/// The plan of a division: its devices and the order of its estimated schedule.
hlo::devices::DevicePlan plan_of(const OperatorGraph& graph, const OperatorDivision& division, std::int64_t replicas);

/// The program of all devices of a division, scheduled and with combined collectives. `fused` has a collective for each
/// array.
hlo::Module module_of(const hlo::Module& fused, const OperatorGraph& graph, const OperatorDivision& division,
                      const DeviceSet& set, base::Bytes combine);

/// Shares the operations of a fused program out to the devices of each replica, so that the simulated step is shortest.
///
///   starts    METIS's parts (metis.h), parts with more imbalance, an earliest-end division, all on one device
///   refined   each start by moves that shorten the estimated schedule (division.h); the best also by annealing
///   simulated the step of one device, of METIS's parts as they are, of the refined divisions with the shortest
///             estimates; then of divisions that short annealings make of the fastest one so far, which is replaced by
///             one that is faster
///
/// A step is the second of two at detail replay. The fastest is never slower than METIS's parts or one device.
///
/// `name` is that of the program in messages. Throws as operator_graph() and driver::compile() do; divisions that need
/// more memory than a core has are left out while another fits.
OperatorSearch search_operators(const std::string& name, const hlo::Module& fused, const driver::Target& target,
                                const driver::Choices& choices, const DeviceSet& set, const SearchLimits& limits = {});

}  // namespace podsim::sw::operators
