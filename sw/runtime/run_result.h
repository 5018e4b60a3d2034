// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "base/units.h"
#include "hw/activity.h"
#include "hw/op_result.h"

/// Results of a run, for the reports. Times are those of the reported core. The observed cores are those of the first
/// chip, with faults those of the slowest one, and the first core of each other stage; the reported core is, of the
/// observed ones with the longest step, the one that waits least for others in collectives. The program is SPMD, so
/// where all cores wait for each other, its step is the step of all cores.
namespace podsim::sw::runtime {

/// What an op, or most of a step, waits for: a unit of the core, another resource, or `others`, which are cores that
/// reach a collective later.
class Bound {
 public:
  static const Bound hbm, ici, others, host, latency, declared_level;
  template <class Unit>
  static constexpr Bound unit() {
    return Bound(int(hw::CoreUnits::index<Unit>));
  }
  auto operator<=>(const Bound&) const = default;
  /// "MXU", "HBM", ...
  std::string name() const;

 private:
  explicit constexpr Bound(int number) : number_(number) {}
  int number_;  ///< that of a unit in CoreUnits; others follow
};
inline constexpr Bound Bound::hbm{int(hw::CoreUnits::size)}, Bound::ici{int(hw::CoreUnits::size) + 1},
    Bound::others{int(hw::CoreUnits::size) + 2}, Bound::host{int(hw::CoreUnits::size) + 3},
    Bound::latency{int(hw::CoreUnits::size) + 4}, Bound::declared_level{int(hw::CoreUnits::size) + 5};
inline std::string to_string(Bound bound) { return bound.name(); }

/// An execution of an item of the program, or several equal ones, in the order of the schedule.
struct ItemResult {
  int item = 0;         ///< index into Program::items
  base::Time duration;  ///< in the last simulated step; for an asynchronous item, the time that the core waited for it
  hw::OpResult cost;    ///< of a core op; zero for other items
  Bound bound = Bound::latency;
  std::uint64_t execution = 0;  ///< execution id (program_cursor.h); a done has that of its start
  std::int64_t times = 1;       ///< more than 1 if trips of a loop were skipped because they repeat the one before
  base::Time contended{};       ///< the part of an op's duration in which concurrent transfers had the HBM
  int beside = -1;              ///< item that started those transfers; -1: the collectives of other cores
  /// What all executions take beyond that. Trips that are skipped take whole cycles, and a little more or less than the
  /// one that they repeat; the difference counts for the longest item of a trip.
  base::Time rest{};
  base::Time total() const { return duration * times + rest; }
};

/// What ops waited for the HBM because of one asynchronous item, or of other cores, in the last step.
struct ContentionResult {
  int beside = -1;  ///< index into Program::items, of the item's start; -1: collectives of other cores
  base::Time time;
};

/// A loop of the program in the last step.
struct LoopResult {
  int loop = 0;            ///< index into Program::loops
  std::int64_t trips = 0;  ///< made in the step; summed over the entries of an inner loop
  base::Time duration;     ///< sum over all trips
};

struct CollectiveResult {
  std::string kind;
  std::string element_type;
  base::Bytes bytes;
  std::int64_t count = 0;  ///< executions in a step; several within loops
  base::Time time;         ///< sum over all executions, each from the last core in to the last core out
  base::Time exposed;      ///< time of the reported core in them, including the wait for later cores
  std::int64_t group_size = 0;
  std::string algorithm;
  bool folded = false;
  std::string axes = {};  ///< mesh axes that its groups join (CollectiveOp::axes)
};

/// Cores that take the same branches of the program, such as those of a pipeline stage, represented by the first of
/// them, with the parts of its last step. `step` is the longest step of the run.
struct StageResult {
  std::int32_t first_core = 0;  ///< number in the slice
  std::int64_t cores = 0;
  base::Time step{}, compute{}, collective{}, infeed{};
  base::Time transfer{};  ///< the part of `collective` after the cores that it waits for have arrived
  /// Fraction of the step in which it does not compute.
  double idle() const { return step.value() > 0 ? 1 - double(compute.value()) / double(step.value()) : 0; }
  /// Time waiting for other cores to arrive; for a pipeline stage, the bubble.
  base::Time waiting() const { return collective - transfer; }
};

/// The costliest ops of a step, simulated with the HBM bank by bank (bank_check.h).
struct BankCheck {
  struct Op {
    int item = 0;            ///< index of the first of them in Program::items
    std::int64_t count = 0;  ///< number of equal items in the step
    base::Time streams;      ///< duration of one in the run
    base::Time banks;        ///< duration of one over banks
  };
  std::vector<Op> ops;   ///< costliest first; empty if not requested
  base::Time step_time;  ///< step time if those ops took their time over banks
};

/// Ops of the last step that ran through the parts of the first chip (chip_parts.h), as its first core saw them.
struct PartsResult {
  /// All executions of equal ops.
  struct Op {
    int item = 0;  ///< index of the first of them in Program::items
    std::int64_t count = 0;
    base::Time streams{};  ///< sum over all, over streams
    base::Time parts{};    ///< sum over all, through the parts
  };
  std::vector<Op> ops;  ///< those that the parts change most in the step first; empty at other details
};

/// What is done in the last step (run_activity.h).
struct StepActivity {
  hw::Activity core;   ///< by the reported core
  hw::Activity slice;  ///< by all cores of the slice
  /// By the reported core in one execution of an item, by index into Program::items; `core` is the sum over all
  /// executions.
  std::map<int, hw::Activity> items;
};

struct RunResult {
  int steps = 0;  ///< completed
  std::vector<base::Time> step_times;
  base::Time step_time;  ///< of the last step, which is the steady state
  std::vector<ItemResult> items;
  std::vector<LoopResult> loops;
  std::vector<ContentionResult> contention;  ///< in the order of the schedule
  StepActivity activity;
  /// `other` includes outfeed.
  base::Time compute, collective, infeed, other;  ///< parts of the last step, with step_time as their sum
  base::Time waiting;  ///< for cores that come later, a part of `collective`; only if follows_orders()
  /// Bytes on every link of the slice in the last step, by LinkId; expanded if the slice is folded.
  std::vector<base::Bytes> link_bytes;
  double ici_utilization = 0;  ///< of the busiest link: payload over its capacity in the last step
  std::vector<CollectiveResult> collectives;
  std::vector<StageResult> stages;  ///< in the order of their first cores; empty if all cores take the same branches
  std::vector<std::string> real_chips;  ///< names such as "(0,0)" of the chips at tile detail
  std::int32_t reported_core = 0;       ///< its number in the slice
  std::int64_t simulated_chips = 0;     ///< elaborated modules; fewer than the slice has if chips are folded
  BankCheck banks;
  PartsResult parts;
  std::vector<std::string> notes;  ///< messages about exact reductions that were used or refused
  base::StatisticSet statistics;   ///< see run_statistics.h
  bool partial = false;            ///< interrupted before all steps were done
};

}  // namespace podsim::sw::runtime
