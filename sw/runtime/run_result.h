// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "base/units.h"
#include "hw/op_result.h"

/// What a run found out, for the reports. Times are of one core, of the first chip or the first that takes its
/// branches: of those whose step takes longest the one that waits least for the others in collectives. The program is
/// SPMD, and where all cores wait for each other there, its step is everybody's step.
namespace podsim::sw {

/// The resource that an op, or most of a step, waits for.
enum class Bound { mxu, vector, cross_lane, hbm, ici, host, latency };
std::string to_string(Bound bound);

/// One execution of an item of the program, or several equal ones, in the order of the schedule.
struct ItemResult {
  int item = 0;         ///< into Program::items
  base::Time duration;  ///< in the last step simulated; of something asynchronous, what the core waited for it
  hw::OpResult cost;    ///< of a core op; zero otherwise
  Bound bound = Bound::latency;
  std::uint64_t token = 0;  ///< of this execution (program_cursor.h); of a done that of its start
  std::int64_t times = 1;   ///< more for trips of a loop that were skipped because they repeat the one before
  base::Time total() const { return duration * times; }
};

/// A loop of the program in the last step.
struct LoopResult {
  int loop = 0;            ///< into Program::loops
  std::int64_t trips = 0;  ///< made in the step; those of a loop within others add up
  base::Time duration;     ///< of all trips
};

struct CollectiveResult {
  std::string kind;
  std::string element_type;
  base::Bytes bytes;
  std::int64_t count = 0;  ///< executions in a step: several within loops
  base::Time time;         ///< of all of them, each from the last core in to the last core out
  base::Time exposed;      ///< that the reported core spent in them, waiting for later cores included
  std::int64_t group_size = 0;
  std::string algorithm;
  bool folded = false;
  std::string axes = {};  ///< of the mesh that its groups join (CollectiveOp::axes)
};

/// Cores that take the same branches of the program, such as those of a stage of a pipeline, by the first of them: what
/// its last step is made of. `step` is that of the run, the longest.
struct StageResult {
  std::int32_t first_core = 0;  ///< of the slice
  std::int64_t cores = 0;
  base::Time step{}, compute{}, collective{}, infeed{};
  base::Time transfer{};  ///< of `collective`: what it takes once those whom it waits for are there
  /// Share of the step in which it does not compute.
  double idle() const { return step.value() > 0 ? 1 - double(compute.value()) / double(step.value()) : 0; }
  /// Waiting for other cores to come: of a pipeline's stage the bubble.
  base::Time waiting() const { return collective - transfer; }
};

/// The costliest ops of a step with the HBM bank by bank (bank_check.h).
struct BankCheck {
  struct Op {
    int item = 0;            ///< the first of them, into Program::items
    std::int64_t count = 0;  ///< equal items of the step
    base::Time streams;      ///< duration of one, as the run has it
    base::Time banks;        ///< the same over banks
  };
  std::vector<Op> ops;   ///< costliest first; empty when it was not asked for
  base::Time step_time;  ///< of the step if those ops took what they take over banks
};

struct RunResult {
  int steps = 0;  ///< completed
  std::vector<base::Time> step_times;
  base::Time step_time;  ///< of the last step, the steady state
  std::vector<ItemResult> items;
  std::vector<LoopResult> loops;
  /// Outfeed is among the others.
  base::Time compute, collective, infeed, other;  ///< parts of the last step; they add up to step_time
  base::Bytes hbm_bytes;                          ///< moved by one core per step, collectives apart
  /// Carried in the last step by every link of the slice, by LinkId; a folded slice is written out.
  std::vector<base::Bytes> link_bytes;
  double ici_utilization = 0;  ///< of the busiest link, payload over its capacity in the last step
  std::vector<CollectiveResult> collectives;
  std::vector<StageResult> stages;   ///< in the order of their first cores; empty where all cores do the same
  std::int64_t simulated_chips = 0;  ///< modules elaborated; fewer than the slice when folded
  BankCheck banks;
  std::vector<std::string> notes;  ///< what a reader should know: exact reductions used or refused
  base::StatisticSet statistics;   ///< see run_statistics.h
  bool partial = false;            ///< interrupted before all steps were done
};

}  // namespace podsim::sw
