// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "hw/bundle/bundle_execution.h"
#include "hw/bundle/bundle_run.h"
#include "hw/bundle/core_parts.h"
#include "hw/bundle/hazard_text.h"
#include "hw/bundle/issue.h"
#include "hw/bundle/issue_check.h"
#include "hw/bundle/vector/scoreboard.h"

namespace podsim::hw::bundle {

/// The sequencer of a core: issues bundles in order, one per cycle unless it has to wait.
///
/// A bundle issues in the first cycle in which everything it needs is available: room for its pushes, results for its
/// pops, the value of the sync flag, a slot for the DMA descriptor, the VMEM banks, and for a fence the stores. All
/// cycles of a wait count towards the longest cause; ties go to the earlier `Stall` enumerator. When the bundle issues,
/// every slot reads before any slot writes. Operations whose predicate is false do nothing, and their operands are not
/// checked.
///
/// The core runs ahead of simulated time. Only DMA completions change what it can see, so it performs all bundles
/// before the next pending event of the simulation, then sleeps until that event. Before it starts a DMA or changes a
/// flag it lets simulated time catch up. Results and times do not depend on how far ahead it ran.
class BundleCore : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(BundleCore);
  BundleCore(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, const CoreParts& parts,
             const BundleRunOptions& options);

  /// Bind these before the simulation starts. A machine may have fewer matrix units than the instruction set has
  /// numbers for; the ports of absent units stay unbound.
  using UnitPort = sc_core::sc_port<results::ResultUnit, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  sc_core::sc_vector<UnitPort> units{"units", isa::result_units};

  /// Message with which the run failed; empty if the program reached its halt.
  const std::string& verdict() const { return verdict_; }
  /// Bundle and cycle of a run that the user has interrupted; empty otherwise.
  const std::string& interrupted_at() const { return interrupted_at_; }
  base::Cycles cycles() const { return issue_.now; }
  std::int64_t bundles() const { return bundles_; }
  const std::array<std::int64_t, isa::slots>& slot_use() const { return slot_use_; }
  const OpcodeCounts& performed() const { return performed_; }
  const std::array<base::Cycles, stall_reasons>& stalls() const { return stalls_; }

 private:
  void start_of_simulation() override;
  void run();
  void find_horizon();
  void yield_until(base::Cycles cycle);

  void prepare(const vector::DecodedBundle& bundle);
  bool choose_operations(const vector::DecodedBundle& bundle);
  bool wait_outside(const vector::DecodedBundle& bundle);
  bool wait_for_flag(const vector::Operation& operation);
  bool sleep(Stall reason, const vector::Operation& operation);
  void wait_for_units(const vector::DecodedBundle& bundle);
  void ask_unit(const vector::Operation& operation);
  VectorAccess access_of(const vector::Operation& operation) const;
  void consider(Stall reason, const vector::Operation* operation, base::Cycles cycle);
  bool dma_takes_cycle();
  std::string wait_text() const;

  void issue(const vector::DecodedBundle& bundle);
  void record(const vector::DecodedBundle& bundle);
  void show_issue(const vector::DecodedBundle& bundle);
  void go_on(std::uint32_t next, bool branched);
  bool fail(const std::string& what);
  void finish(const char* state);

  const CoreTime& time_;
  const BundleRunOptions& options_;
  base::Cycles branch_penalty_;
  CoreParts parts_;
  ResultUnits unit_{};
  vector::Scoreboard scoreboard_;
  HazardText text_;
  IssueCheck check_;
  BundleExecution execution_;

  Issue issue_;
  base::Cycles horizon_;  ///< cycle of the simulation's next pending event
  bool finished_ = false;
  std::string verdict_, interrupted_at_;

  base::Cycles earliest_;                       ///< first cycle in which the bundle could have issued
  base::Cycles penalty_;                        ///< cycles lost to a branch before `earliest_`
  base::Cycles ready_;                          ///< earliest issue cycle found so far
  Stall reason_ = Stall::branch;                ///< cause of the longest wait
  const vector::Operation* waiting_ = nullptr;  ///< operation that waited longest
  bool prepared_ = false;                       ///< the bundle issues in cycle issue_.now
  bool port_checked_ = false;                   ///< DMA has had its chance to take a cycle from this bundle

  std::int64_t bundles_ = 0;
  std::array<std::int64_t, isa::slots> slot_use_{};
  OpcodeCounts performed_{};
  std::array<base::Cycles, stall_reasons> stalls_{};
};

}  // namespace podsim::hw::bundle
