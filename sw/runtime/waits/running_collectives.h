// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "noc/ici/links.h"
#include "sw/runtime/parts/parted_collectives.h"
#include "sw/runtime/pod/collective_schedules.h"
#include "sw/runtime/waits/arrival_times.h"
#include "sw/runtime/waits/waits.h"

namespace podsim::sw::collectives::engine {
class CollectiveEngine;
class CollectiveRun;
}  // namespace podsim::sw::collectives::engine

namespace podsim::sw::runtime::waits {

/// The collectives of a program while its cores execute them: the engine's run of every execution, or all of them in
/// parts of the slice (parts/parted_collectives.h).
class RunningCollectives {
 public:
  /// Tells `waits` when a collective is over for a core. All arguments outlive this, which outlives the collectives in
  /// progress.
  RunningCollectives(collectives::engine::CollectiveEngine& engine, const pod::CollectiveSchedules& schedules,
                     Waits& waits, std::int64_t cores_per_chip)
      : engine_(engine), schedules_(schedules), waits_(waits), cores_per_chip_(std::size_t(cores_per_chip)) {}

  /// From now on every collective follows its order, by index into Program::collectives, on the links of the engine's
  /// fabric too.
  void follow(const pod::CollectiveOrders& orders, noc::ici::Links& links) {
    orders_ = &orders;
    links_ = &links;
  }

  /// From now on collectives are taken in parts.
  void take_in_parts(std::unique_ptr<parts::PartedCollectives> parted) { parted_ = std::move(parted); }
  /// A core, numbered chip by chip, has reached an execution of a collective of the program, or starts it
  /// asynchronously.
  void start(std::size_t core, std::uint64_t execution, int collective);
  /// The times of an execution; nothing if it was not simulated or is not finished.
  std::optional<ExecutionTimes> finished(std::uint64_t execution) const;
  /// What was not simulated, for the reports.
  std::vector<std::string> notes() const;

 private:
  collectives::engine::CollectiveRun& run_of(std::uint64_t execution, int collective);

  collectives::engine::CollectiveEngine& engine_;
  const pod::CollectiveSchedules& schedules_;
  Waits& waits_;
  std::size_t cores_per_chip_;
  const pod::CollectiveOrders* orders_ = nullptr;
  noc::ici::Links* links_ = nullptr;
  std::map<std::uint64_t, collectives::engine::CollectiveRun*> runs_;  ///< by execution id
  std::unique_ptr<parts::PartedCollectives> parted_;                   ///< null: the engine runs all
};

}  // namespace podsim::sw::runtime::waits
