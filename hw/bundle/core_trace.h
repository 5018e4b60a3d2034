// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "hw/bundle/result_unit.h"
#include "hw/core_time.h"
#include "hw/isa/bundle.h"
#include "hw/trace.h"

namespace podsim::hw {

/// What a sequencer shows of itself, under the scope of its core:
///
/// - `state`: "run", "branch", or what it waits for: "wait flag 3 >= 1 (load A)", "wait mxu0 result"
/// - `pc`: address of the bundle that issued last
/// - `mark`: the text of the last mark
/// - `slots.NAME`: the operation that issues in a slot, in parentheses if its predicate keeps it from being performed
/// - `use.NAME`: share of the last 64 cycles in which an operation issued in the slot
/// - `vmem_bank_stalls`: cycles lost to banks of VMEM so far
///
/// On a timeline it has the regions between marks, and everything it waited for but branches. Units show their own rows
/// as it goes. It exists only when someone looks; cycles passed to it never decrease.
class CoreTrace {
 public:
  /// Nothing when no output is wanted.
  static std::unique_ptr<CoreTrace> make(const CoreTime& time, const Trace& trace);
  CoreTrace(const CoreTime& time, const Trace& trace);

  void add_unit(ResultUnit& unit) { units_.push_back(&unit); }

  /// Shows what happened before a cycle.
  void show_until(base::Cycles cycle);
  /// From `from` on the sequencer waits.
  void wait(base::Cycles from, const std::string& what);
  /// A bundle issues; `texts` are those of its slots, empty where there is nothing.
  void issue(base::Cycles now, std::uint32_t address, const std::array<std::string, isa::slots>& texts);
  void mark(base::Cycles now, const std::string& text);
  void bank_stalls(base::Cycles now, base::Cycles total);
  /// The end, with a last state.
  void finish(base::Cycles now, const std::string& state);

 private:
  static constexpr std::int64_t window = 64;

  void show_state(base::Cycles now, const std::string& state);
  void show_use(base::Cycles now);
  void end_region(base::Cycles now);

  const CoreTime& time_;
  base::Probe<std::string> state_, mark_;
  base::Probe<std::int64_t> pc_, bank_stalls_;
  std::array<base::Probe<std::string>, isa::slots> slots_;
  std::array<base::Probe<double>, isa::slots> use_;
  base::Timeline* timeline_;
  base::Timeline::Track regions_ = 0, waits_ = 0;
  std::vector<ResultUnit*> units_;

  base::Cycles shown_;                    ///< units have shown what happened before
  std::array<int, isa::slots> issued_{};  ///< in the window that is open
  std::string region_, waiting_for_;
  base::Cycles region_begin_, wait_begin_;
};

}  // namespace podsim::hw
