// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/trace/timeline.h"
#include "base/units.h"
#include "hw/command.h"
#include "noc/folded_topology.h"
#include "noc/ici/links.h"
#include "sw/compiler/program.h"
#include "sw/runtime/link_bytes.h"
#include "sw/runtime/op_records.h"
#include "sw/runtime/run_result.h"
#include "sw/runtime/simulated_core.h"
#include "sw/runtime/stages.h"
#include "sw/runtime/step_observer.h"
#include "sw/runtime/waits/running_collectives.h"
#include "sw/runtime/waits/waits.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime {

/// Observes the cores of the first chip and of the slowest one, then the first core of each other stage, and the links
/// in the steps of the first core.
class Observation {
 public:
  /// What the observed cores execute, and where what they do is known from. All of it outlives the observation.
  struct Subjects {
    const compiler::Program& program;
    const TargetMachine& machine;
    const noc::FoldedTopology& topology;
    const noc::ici::Links& links;
    OpRecords& records;
    const waits::Waits& waits;
    const waits::RunningCollectives& collectives;
    bool names_waits;  ///< cores come to collectives at different times, or are compared with such
  };

  struct Steps {
    base::Time begin = {};      ///< of the first
    std::string name = "step";  ///< in the timeline
  };

  /// Ops through the parts of a chip (chip_parts.h) take longer than their records anyway: with `through_parts` none is
  /// attributed to contention. `timeline` is of the first core; it may be null.
  Observation(const Subjects& subjects, bool through_parts, base::trace::Timeline* timeline, const Steps& steps);

  /// Decides whether a simulated core is observed; asked for each once, chip by chip. Its number in the slice.
  int observe(std::int32_t number, bool on_observed_chip);
  /// A core, which is observed, has executed the item at which it is.
  ItemResult item_ended(const SimulatedCore& core, const hw::CommandRecord& record, base::Time begin, base::Time end);
  /// Writes what an observed core has skipped on the timeline.
  void skipped(const SimulatedCore& core, const std::string& what, base::Time begin, base::Time end);
  /// A core has ended a step.
  void step_ended(const SimulatedCore& core, base::Time end);

  StepObserver& of(const SimulatedCore& core) { return observers_[std::size_t(core.observer)]; }
  LinkBytes& links() { return links_; }
  /// The items of the last step of the first core.
  const std::vector<ItemResult>& first_core_items() const { return observers_.front().step().items; }
  const Stages& stages() const { return stages_; }
  /// The items of the last step of the core that is observed of a stage.
  const std::vector<ItemResult>& items_of_stage(std::size_t stage) const {
    return observers_[std::size_t(stage_observers_[stage])].step().items;
  }
  /// The core whose step the result shows, and its items.
  std::int32_t reported_core() const { return numbers_[critical()]; }
  const std::vector<ItemResult>& reported_items() const { return observers_[critical()].step().items; }
  /// The parts of the last step: times, items, loops, contention, link bytes, stages.
  RunResult result() const;

 private:
  Bound bound_of(const compiler::ProgramItem& item, const hw::OpResult& cost) const;
  void attribute_contention(const SimulatedCore& core, const hw::OpResult& cost, ItemResult& item) const;
  void write(const compiler::ProgramItem& item, Bound bound, base::Time begin, base::Time end);
  std::size_t critical() const;
  std::vector<StageResult> stage_results(base::Time step) const;
  void name_waits(std::int32_t core, std::vector<ItemResult>& items) const;
  base::Time waiting_time(const std::vector<ItemResult>& items, std::int32_t core) const;
  base::Time transfer_time(const ItemResult& item, std::int32_t core) const;
  const compiler::ProgramItem& item_of(const ItemResult& result) const;

  Subjects subjects_;
  bool through_parts_;
  base::trace::Timeline* timeline_;
  Stages stages_;
  LinkBytes links_;
  std::vector<StepObserver> observers_;
  std::vector<std::int32_t> numbers_;  ///< in the slice, by observer
  std::vector<int> stage_observers_;   ///< index into observers_, by stage
  Steps steps_;
  base::Time step_began_;  ///< on the first core
};

}  // namespace podsim::sw::runtime
