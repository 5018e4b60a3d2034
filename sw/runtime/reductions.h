// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "noc/folded_topology.h"
#include "sw/compiler/program.h"
#include "sw/runtime/repetition.h"
#include "sw/runtime/simulation_options.h"

namespace podsim::sw::runtime {

/// Whether a run reduces anything.
inline bool reduces(const SimulationOptions& options) { return options.fold && options.detail != Detail::tile; }

/// Whether a run takes its collectives in parts of the slice: a long one (repeated_stretches.h), of a program that can.
bool takes_parts(const compiler::Program& program, int steps, std::size_t cores, const noc::FoldedTopology& topology,
                 const SimulationOptions& options);

/// What a run does not simulate because something else stands for it, and the error that each reduction may have:
///
///   chips     fold onto their representatives (pod/fold.h)                                 exact
///   all chips on request, fold onto one, whose collectives take the time that they take    no bound: within 2.5 % of
///             alone (fold_to_one of pod/fold.h)                                            whole steps (docs/speed.md)
///   permutes  take a modelled time where they alone prevent folding (pod/fold.h)           that of the model, for less
///                                                                                          than 1 % of collectives
///   requests  repeat the answer of an equal one on an idle slice (session/session.h)       exact
///   parts     of slices that do not fold, in long runs, take the times of parts in         0.2 % or 4 cycles of a
///             which a collective began alike (parts/parted_collectives.h)                  collective
///   loops     skip trips after one that all cores repeated (repeated_trips.h)              0.05 % or 4 cycles a trip
///   layers    likewise, also after one that all cores began as a known one                 0.05 % or 4 cycles a layer
///   layers    of long runs, that all cores executed elsewhere, take the mean of those      0.2 %: the standard error
///             (repeated_stretches.h)                                                       of the mean
///
/// The error is that of times. Executions, FLOPs and bytes of the HBM are exact; a link carries in a skipped trip what
/// it carried in the trip that stands for it. Parts also leave out what two collectives take of one chip at a time,
/// which no bound has: measured, less than 0.1 % of a step (docs/speed.md). A reduction that is used or refused is a
/// note of the result.
///
/// On a slice with faults chips do not fold and have no parts. SimulationOptions::estimates = false leaves out
/// permutes, parts and means. Detail tile, and SimulationOptions::fold = false, reduce nothing. Layers are simulated at
/// detail chip, and with a sink, whose waveforms show every one.
class Reductions {
 public:
  /// For a run of `steps` steps on `cores` simulated cores. The program outlives this.
  Reductions(const compiler::Program& program, base::Frequency clock, std::size_t cores, int steps,
             const SimulationOptions& options);

  /// A core begins an item. What it skips from there on; nothing if it executes the item.
  std::optional<Repetition::Skip> skip_now(const SimulatedCore& core, base::Cycles now, Observation& seen);
  /// An observed core has executed the item at which it is.
  void observed(const SimulatedCore& core, const ItemResult& item);
  /// Returns whether a core has skipped what it has done now; then it is moved behind it.
  bool trip_over(SimulatedCore& core, const hw::core::Core& hardware, const hw::CommandRecord& record,
                 Observation& seen);
  /// `steps` have ended.
  std::vector<std::string> notes(int steps) const;

 private:
  std::vector<std::unique_ptr<Repetition>> repetitions_;
};

}  // namespace podsim::sw::runtime
