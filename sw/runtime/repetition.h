// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "hw/command.h"
#include "hw/core/core.h"
#include "sw/runtime/observation.h"
#include "sw/runtime/run_result.h"
#include "sw/runtime/simulated_core.h"

namespace podsim::sw::runtime {

/// Items that are executed several times, of which a core may skip some: it waits as long as they would take. A
/// reduction of a run in time (reductions.h says with what error); all cores skip the same items. `seen` is the
/// observation of the run, the same in all calls.
class Repetition {
 public:
  /// What a core does in place of the items that it skips.
  struct Skip {
    base::Cycles duration;
    std::string verdict = {};  ///< not empty: the run cannot proceed, since the items do not end
  };

  virtual ~Repetition() = default;
  /// A core begins an item at `now`. Called for every item that it reaches, before skip_now().
  virtual void begins(const SimulatedCore& /*core*/, base::Cycles /*now*/, Observation& /*seen*/) {}
  /// What the core skips from this item on; nothing if it executes the item.
  virtual std::optional<Skip> skip_now(const SimulatedCore& core, base::Cycles now, Observation& seen) = 0;
  /// An observed core has executed the item at which it is.
  virtual void observed(const SimulatedCore& /*core*/, const ItemResult& /*item*/) {}
  /// A core has executed a command. If that was a skip of this repetition, moves the core behind the skipped items and
  /// adds them to what has been seen; else returns false.
  virtual bool trip_over(SimulatedCore& core, const hw::core::Core& hardware, const hw::CommandRecord& record,
                         Observation& seen) = 0;
  /// What was skipped, for the reports. `steps` have ended.
  virtual std::vector<std::string> notes(int steps) const = 0;
};

}  // namespace podsim::sw::runtime
