// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "hw/input/input_plan.h"
#include "report/run/fault_report.h"
#include "report/run/mesh_report.h"
#include "report/run/operator_report.h"
#include "report/run/update_choice.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"
#include "sw/driver/compiler_year.h"
#include "sw/runtime/energy/run_energy.h"
#include "sw/runtime/run_result.h"
#include "sw/target_machine.h"
#include "workloads/job/checkpoint.h"
#include "workloads/job/loop_time.h"
#include "workloads/job/run_spread.h"
#include "workloads/job/start_time.h"

/// One run and its reports.
namespace podsim::report::run {

/// An item of the program with all its executions in the step.
struct OpTotal {
  const sw::runtime::ItemResult* last = nullptr;  ///< last execution
  std::int64_t executions = 0;
  base::Time duration;    ///< of all executions
  hw::Activity activity;  ///< of all executions
};

/// Time that ops waited for the HBM because of concurrent asynchronous items of one name, or of other cores'
/// collectives.
struct Contention {
  std::string name;
  base::Time time;
};

/// A loop of steps and its time.
struct LoopReport {
  workloads::job::LoopParts parts;
  workloads::job::LoopTime time;
  workloads::job::JobRecord record;  ///< empty unless it was asked for
};

/// A published time to train.
struct PublishedTime {
  std::int64_t chips = 0, batch = 0;
  double minutes = 0;
  std::string source;
};

/// A training until its target is met.
struct TrainReport {
  double epochs = 0;    ///< 0 if steps are given instead
  double steps = 0;     ///< of all loops
  double loops = 0;     ///< the last step of a loop of whole epochs may begin the next one
  std::string target;   ///< "75.9 % top-1"; empty if unknown
  std::string source;   ///< of the number of epochs or steps
  std::string clients;  ///< "one client" or "a client per host"
  workloads::job::StartTime start;
  std::optional<workloads::job::RunSpread> runs;  ///< present if several were asked for
  std::string spread_source;                      ///< set with `runs`
  std::vector<PublishedTime> published;
};

struct RunReport {
  std::string workload;
  sw::TargetMachine machine;
  std::string slice;   ///< "4x4"
  std::string detail;  ///< "auto", "tile", "replay", "chip"
  std::int64_t chips = 1;
  sw::driver::CompilerYear compiler;
  std::int64_t batch_per_core = 0;  ///< samples; 0 if the workload does not state it
  sw::compiler::Program program;
  sw::compiler::MemoryAccount memory;
  sw::runtime::RunResult result;
  std::optional<FaultReport> faults;          ///< present if the slice has any
  std::optional<PartitionReport> partition;   ///< present if the program was partitioned
  std::optional<UpdateChoice> update_choice;  ///< present if the sharing of updates was to be chosen
  std::optional<OperatorReport> operators;    ///< present if operations are on cores of their own
  std::optional<hw::input::InputPlan> input;  ///< present if hosts prepare the batches of the step or of the loop
  base::Bytes core_batch;                     ///< that hosts send a core for a step; set with `input`
  std::optional<TrainReport> training;        ///< of podsim train
  std::optional<LoopReport> loop;             ///< present if a loop was asked for
  std::optional<workloads::job::Checkpoint> checkpoint;  ///< present if the job saves or restores one
  std::optional<sw::compiler::OpCacheUse> op_cache;      ///< present if an op cache was in use
  double compile_s = 0;                                  ///< host time
  double wall_s = 0;                                     ///< host time of the whole run
  std::vector<std::string> warnings;

  double step_s() const { return base::to_duration(result.step_time).si(); }
  /// True if the run was interrupted in its first step: times, bytes and FLOPs are of the part that ran, and rates per
  /// step are 0.
  bool is_part_of_step() const { return result.partial && result.steps == 0; }
  /// FLOPs per core and step, as XLA counts them; the mean if cores differ.
  double flops() const;
  /// Samples of all cores; 0 if the workload does not state it.
  double samples_per_step() const;
  double samples_per_s() const;
  double tokens_per_s() const;
  /// FLOPs that the model requires over the peak of the MXUs of all cores; 0 if they are not known.
  double model_utilization() const;
  /// FLOPs of convolutions and dots, as XLA counts them, over the peak of the core's MXUs.
  double mxu_utilization() const;
  /// Bytes moved over the bytes that HBM streams at its sustained rate in the same time.
  double hbm_utilization() const;
  /// The bound with the most time in the step, and its share of the step.
  std::pair<sw::runtime::Bound, double> bound() const;
  /// Compute time in the step of ops whose op_name begins with a scope, such as "optimizer".
  base::Time compute_under(std::string_view scope) const;
  /// In the order of the schedule.
  std::vector<Contention> contention() const;
  sw::runtime::energy::StepEnergy energy() const { return sw::runtime::energy::step_energy(machine, result, chips); }
  /// Costliest first.
  std::vector<OpTotal> ops() const;
};

/// A short summary.
std::string summary_text(const RunReport& report);
/// One JSON object with the keys of `podsim run --json`.
std::string run_json(const RunReport& report);
/// As above, without host times: equal runs give equal bytes.
std::string run_stats(const RunReport& report);
/// CSV with a line for each op of a step in the columns of XProf's "HLO op stats", costliest first.
std::string ops_csv(const RunReport& report);

}  // namespace podsim::report::run
