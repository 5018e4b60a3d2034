// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/trace/probe.h"
#include "base/trace/timeline.h"
#include "base/units.h"
#include "hw/input/input_plan.h"
#include "noc/faults.h"
#include "sw/collectives/algorithm.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/compiler/op_cache.h"
#include "sw/runtime/detail.h"

namespace podsim::sw::runtime {

/// How a slice is simulated. With faults, and without estimates, every collective has chips act and links take messages
/// in the order in which it does so alone on a healthy slice (sw/collectives/engine/planned_order.h).
struct SimulationOptions {
  Detail detail = Detail::replay;
  /// Patterns (base/text/glob.h) of names such as "chip(0,0)": the chips at tile detail where `detail` is automatic. A
  /// chip of a folded slice is simulated by its representative. Empty: the first chip.
  std::vector<std::string> real;
  /// At detail chip, patterns of the ops that run through the parts of the first chip (chip_parts.h). Empty: all.
  std::vector<std::string> chip_ops;
  bool contention = true;                 ///< lets an op and concurrent transfers slow each other at the HBM
  compiler::OpCache* op_cache = nullptr;  ///< may contain the costs of replayed ops
  bool fold = true;  ///< lets a chip represent its translates along wrapped dimensions, and a trip those that repeat it
  /// Lets collective-permutes that alone prevent folding take modelled times, and layers and collectives of long runs
  /// take times of others that are alike. Faults are compared with a healthy slice without.
  bool estimates = true;
  bool one_chip = false;  ///< one chip stands for all; its collectives take the time that they take alone (pod/fold.h)
  std::optional<hw::input::InputPlan> input;  ///< hosts that prepare the batches; without them every batch is ready
  /// Those of the slice that the session is of. No chip then represents others, and slow chips replay their ops.
  noc::Faults faults;
  base::Time launch;  ///< of each request, from when the slice is free (workloads/job: loop_launch)
  /// Used for the collectives that it supports. The others, or all without a value, use the algorithm with the shortest
  /// modelled time.
  std::optional<collectives::Algorithm> algorithm;
  /// Times of collectives by themselves on this machine, to which more are added; null: none are known.
  std::shared_ptr<collectives::engine::CollectiveTimes> collective_times;
  base::trace::ProbeSink* sink = nullptr;
  base::trace::Timeline* timeline = nullptr;  ///< of core 0 of chip (0,0,...)
  std::function<void(double)> progress;
  const std::atomic<bool>* stop = nullptr;  ///< set from outside: finish the current command, report results so far
};

inline bool follows_orders(const SimulationOptions& options) { return !options.estimates || !options.faults.none(); }

}  // namespace podsim::sw::runtime
