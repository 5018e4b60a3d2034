// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "hw/bundle/bundle_dma.h"
#include "hw/bundle/bundle_run.h"
#include "hw/bundle/core_trace.h"
#include "hw/bundle/hazard_text.h"
#include "hw/bundle/result_unit.h"
#include "hw/bundle/scalar_unit.h"
#include "hw/bundle/scoreboard.h"
#include "hw/bundle/vector_datapath.h"

namespace podsim::hw {

/// What a core's sequencer works with. All of it outlives the sequencer.
struct BundleCoreParts {
  InstructionMemory& instructions;
  ScalarUnit& scalar;
  VectorDatapath* data;  ///< null in runs without data
  VmemGuard& vmem;
  VmemPorts& ports;
  SyncFlags& flags;
  BundleDma& dma;
  CoreTrace* trace;  ///< null when nobody looks
};

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
  BundleCore(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, const isa::Program& program,
             const BundleCoreParts& parts, const BundleRunOptions& options);

  /// To be bound before the simulation starts; matrix units may be fewer than there are numbers for.
  using UnitPort = sc_core::sc_port<ResultUnit, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  sc_core::sc_vector<UnitPort> units{"units", isa::result_units};

  /// Why the run cannot go on; empty if it reached its halt.
  const std::string& verdict() const { return verdict_; }
  base::Cycles cycles() const { return now_; }
  std::int64_t bundles() const { return bundles_; }
  const std::array<std::int64_t, isa::slots>& slot_use() const { return slot_use_; }
  const std::array<base::Cycles, stall_reasons>& stalls() const { return stalls_; }

 private:
  /// A vector load or store of the bundle at pc_.
  struct Access {
    RowSet rows;
    std::int64_t cycles = 0;  ///< that it holds the banks; 0: there is none
  };

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
  void wait_for_banks();
  bool dma_takes_cycle();
  void consider(Stall reason, const Operation* operation, base::Cycles cycle);
  Access access_of(const Operation& operation) const;
  bool performed(std::size_t index) const { return (performed_ >> index & 1) != 0; }

  void issue(const DecodedBundle& bundle);
  bool possible(const Operation& operation);
  bool operands_ready(const Operation& operation);
  bool vmem_accessible(const Operation& operation);
  bool smem_accessible(const Operation& operation, std::uint32_t first, std::uint32_t count);
  bool flag_exists(const Operation& operation);
  void record(const DecodedBundle& bundle);
  void show_issue(const DecodedBundle& bundle);
  std::string wait_text() const;
  void perform(const DecodedBundle& bundle);
  void perform(const Operation& operation);
  void push(const Operation& operation);
  void perform_misc(const Operation& operation);
  void start_dma(const Operation& operation);
  void go_on();
  bool fail(const std::string& what);

  const CoreTime& time_;
  const isa::Program& program_;
  const BundleRunOptions& options_;
  base::Cycles branch_penalty_;
  BundleCoreParts parts_;
  HazardText text_;
  Scoreboard scoreboard_;
  std::array<ResultUnit*, isa::result_units> unit_{};

  base::Cycles now_;      ///< the cycle that the sequencer stands in
  base::Cycles horizon_;  ///< that of the next event of the simulation
  std::uint32_t pc_ = 0;
  bool finished_ = false;
  std::string verdict_;

  // The bundle at pc_.
  base::Cycles earliest_;               ///< the first cycle in which it could have issued
  base::Cycles penalty_;                ///< cycles lost before that to a branch
  bool prepared_ = false;               ///< it issues in cycle now_
  bool port_checked_ = false;           ///< DMA has had its chance to take a cycle from it
  std::uint32_t performed_ = 0;         ///< bit i: operation i is performed
  base::Cycles ready_;                  ///< when it can issue, as far as is known
  Stall reason_ = Stall::branch;        ///< what it waited for longest
  const Operation* waiting_ = nullptr;  ///< the operation that did
  Access load_, store_;
  std::uint32_t next_ = 0;  ///< address of the bundle after it
  bool branched_ = false;

  std::int64_t bundles_ = 0;
  std::array<std::int64_t, isa::slots> slot_use_{};
  std::array<base::Cycles, stall_reasons> stalls_{};
};

}  // namespace podsim::hw
