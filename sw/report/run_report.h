// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "hw/machine.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/memory_account.h"
#include "sw/report/mesh_report.h"
#include "sw/runtime/run_result.h"

/// One run as the reports see it, and its reports.
namespace podsim::sw {

/// An item of the program with all its executions in the step.
struct OpTotal {
  const ItemResult* last = nullptr;  ///< execution
  std::int64_t executions = 0;
  base::Time duration;  ///< of all
};

struct RunReport {
  std::string workload;
  hw::Machine machine;
  std::string slice;   ///< "4x4"
  std::string detail;  ///< "tile", "replay"
  std::int64_t chips = 1;
  std::int64_t batch_per_core = 0;  ///< samples; 0 where the workload does not say
  Program program;
  MemoryAccount memory;
  RunResult result;
  std::optional<PartitionReport> partition;  ///< of a program that was partitioned
  std::optional<OpCacheUse> op_cache;        ///< where a cache of costs of ops was in use
  double compile_s = 0;                      ///< host time
  double wall_s = 0;                         ///< host time of the whole run
  std::vector<std::string> warnings;

  double step_s() const { return to_duration(result.step_time).si(); }
  double samples_per_s() const;
  double tokens_per_s() const;
  /// FLOPs that the model asks for, over the peak of the MXUs of all cores; 0 where they are not known.
  double model_utilization() const;
  /// FLOPs of convolutions and dots, as XLA counts them, over the peak of the core's MXUs.
  double mxu_utilization() const;
  /// Bytes moved over what the HBM streams at its sustained rate.
  double hbm_utilization() const;
  /// What most of the step's time waits for, and its share of the step.
  std::pair<Bound, double> bound() const;
  /// Of the step's compute what ops take whose op_name begins with a scope, such as "optimizer".
  base::Time compute_under(std::string_view scope) const;
  /// Costliest first.
  std::vector<OpTotal> ops() const;
};

/// What a person reads in ten seconds.
std::string summary_text(const RunReport& report);
/// One JSON object with the keys that `podsim run --json` promises.
std::string run_json(const RunReport& report);
/// The same without host times: equal runs give equal bytes.
std::string run_stats(const RunReport& report);
/// One line per op of a step in XProf's "HLO op stats" columns, costliest first.
std::string ops_csv(const RunReport& report);

}  // namespace podsim::sw
