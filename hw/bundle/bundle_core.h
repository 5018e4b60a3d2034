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
#include "hw/bundle/scoreboard.h"

namespace podsim::hw {

/// The sequencer of a core: issues bundles in order, one per cycle unless it has to wait.
///
/// A bundle issues in the first cycle in which nothing that it needs is missing: pushes accepted, results there, the
/// flag high enough, room for the descriptor, VMEM banks, stores seen. What it waited for longest is the reason of all
/// cycles of the wait, the first of them in the order of Stall if equally long. Then every slot reads, then every slot
/// writes. Operations whose predicate does not hold do nothing, and nothing is asked of their operands.
///
/// Runs ahead of simulated time: only DMA completions change what a core can see, so it performs all bundles before the
/// next event that the simulation has in store, and sleeps until that event. Before it starts a DMA or changes a flag
/// it lets simulated time catch up. Results and times do not depend on how far ahead it ran.
class BundleCore : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(BundleCore);
  BundleCore(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, const CoreParts& parts,
             const BundleRunOptions& options);

  /// To be bound before the simulation starts; matrix units may be fewer than there are numbers for.
  using UnitPort = sc_core::sc_port<ResultUnit, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  sc_core::sc_vector<UnitPort> units{"units", isa::result_units};

  /// Why the run cannot go on; empty if it reached its halt.
  const std::string& verdict() const { return verdict_; }
  base::Cycles cycles() const { return issue_.now; }
  std::int64_t bundles() const { return bundles_; }
  const std::array<std::int64_t, isa::slots>& slot_use() const { return slot_use_; }
  const std::array<base::Cycles, stall_reasons>& stalls() const { return stalls_; }

 private:
  void start_of_simulation() override;
  void run();
  void find_horizon();
  void give_way(base::Cycles cycle);

  void prepare(const DecodedBundle& bundle);
  bool choose_operations(const DecodedBundle& bundle);
  bool wait_outside(const DecodedBundle& bundle);
  bool wait_for_flag(const Operation& operation);
  bool sleep(Stall reason, const Operation& operation);
  void wait_for_units(const DecodedBundle& bundle);
  void ask_unit(const Operation& operation);
  VectorAccess access_of(const Operation& operation) const;
  void consider(Stall reason, const Operation* operation, base::Cycles cycle);
  bool dma_takes_cycle();
  std::string wait_text() const;

  void issue(const DecodedBundle& bundle);
  void record(const DecodedBundle& bundle);
  void show_issue(const DecodedBundle& bundle);
  void go_on(std::uint32_t next, bool branched);
  bool fail(const std::string& what);
  void finish(const char* state);

  const CoreTime& time_;
  const BundleRunOptions& options_;
  base::Cycles branch_penalty_;
  CoreParts parts_;
  ResultUnits unit_{};
  Scoreboard scoreboard_;
  HazardText text_;
  IssueCheck check_;
  BundleExecution execution_;

  Issue issue_;
  base::Cycles horizon_;  ///< the cycle of the next event of the simulation
  bool finished_ = false;
  std::string verdict_;

  base::Cycles earliest_;               ///< the first cycle in which the bundle could have issued
  base::Cycles penalty_;                ///< cycles lost before that to a branch
  base::Cycles ready_;                  ///< when it can issue, as far as is known
  Stall reason_ = Stall::branch;        ///< what it waited for longest
  const Operation* waiting_ = nullptr;  ///< the operation that did
  bool prepared_ = false;               ///< it issues in the cycle of issue_
  bool port_checked_ = false;           ///< DMA has had its chance to take a cycle from it

  std::int64_t bundles_ = 0;
  std::array<std::int64_t, isa::slots> slot_use_{};
  std::array<base::Cycles, stall_reasons> stalls_{};
};

}  // namespace podsim::hw
