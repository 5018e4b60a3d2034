// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "hw/bundle/results/result_unit.h"
#include "hw/core_time.h"
#include "hw/isa/bundle.h"
#include "hw/trace.h"

namespace podsim::hw::bundle {

/// Waveform signals and timeline spans of a sequencer. Signals are under the scope of the core:
///
/// - `state`: "run", "branch", or the cause of a wait: "wait flag 3 >= 1 (load A)", "wait matrix unit 0 result"
/// - `pc`: address of the bundle that issued last
/// - `mark`: the text of the last mark
/// - `slots.NAME`: the operation that issues in a slot, in parentheses if its predicate is false
/// - `use.NAME`: share of cycles in which an operation issued in the slot, for every 64 cycles
/// - `vmem_bank_stalls`: cycles lost to VMEM banks so far
///
/// The timeline has the regions between marks, and all waits except branches. As time advances, the trace lets the
/// result units show their own signals. It exists only when a trace is written. Cycles passed to it never decrease.
class CoreTrace {
 public:
  /// Returns null if neither waveform nor timeline is requested.
  static std::unique_ptr<CoreTrace> make(const CoreTime& time, const Trace& trace);
  CoreTrace(const CoreTime& time, const Trace& trace);

  void add_unit(results::ResultUnit& unit) { units_.push_back(&unit); }

  /// Shows what happened before a cycle.
  void show_until(base::Cycles cycle);
  /// The sequencer waits from cycle `from`; `what` is the state to show.
  void wait(base::Cycles from, const std::string& what);
  /// A bundle issues. `texts` has the operation of each slot, empty for an empty slot.
  void issue(base::Cycles now, std::uint32_t address, const std::array<std::string, isa::slots>& texts);
  void mark(base::Cycles now, const std::string& text);
  void bank_stalls(base::Cycles now, base::Cycles total);
  /// Ends the trace with a last state.
  void finish(base::Cycles now, const std::string& state);

 private:
  static constexpr std::int64_t window = 64;

  void show_state(base::Cycles now, const std::string& state);
  void show_use(base::Cycles now);
  void end_region(base::Cycles now);

  const CoreTime& time_;
  base::trace::Probe<std::string> state_, mark_;
  base::trace::Probe<std::int64_t> pc_, bank_stalls_;
  std::array<base::trace::Probe<std::string>, isa::slots> slots_;
  std::array<base::trace::Probe<double>, isa::slots> use_;
  base::trace::Timeline* timeline_;
  base::trace::Timeline::Track regions_ = 0, waits_ = 0;
  std::vector<results::ResultUnit*> units_;

  base::Cycles shown_;                    ///< the units have shown all changes before this cycle
  std::array<int, isa::slots> issued_{};  ///< operations issued in the current window
  std::string region_, waiting_for_;
  base::Cycles region_begin_, wait_begin_;
};

}  // namespace podsim::hw::bundle
