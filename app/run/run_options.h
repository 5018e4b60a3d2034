// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options/fault_option.h"
#include "app/options/machine_options.h"
#include "app/options/operator_flags.h"
#include "app/options/pipeline_flags.h"
#include "app/run/files/training_flags.h"
#include "app/run/partition_options.h"
#include "hlo/weights/weight_type.h"
#include "sw/collectives/algorithm.h"
#include "sw/compiler/overlap.h"
#include "sw/driver/compiler_year.h"
#include "workloads/job/loop_time.h"
#include "workloads/job/start_time.h"
#include "workloads/lengths/length_plan.h"
#include "workloads/workload.h"

namespace podsim::app::run {

/// What `podsim train` has beyond a run.
struct TrainOptions {
  workloads::job::Clients clients = workloads::job::Clients::per_host;
  std::optional<double> epochs;               ///< std::nullopt: as published for the batch
  std::optional<std::int64_t> steps;          ///< to train in place of epochs
  std::optional<double> between_evaluations;  ///< epochs; std::nullopt: as published
  std::int64_t checkpoint_steps = 0;          ///< 0: no checkpoints
  bool restore = false;                       ///< begins with a checkpoint in place of initial weights
  std::int64_t runs = 1;                      ///< trainings whose epochs vary; 1: none does
  std::uint64_t seed = 1;                     ///< of what they vary by
  std::optional<double> spread;               ///< std::nullopt: as published
  bool fails = false;                         ///< of podsim goodput, which reads [faults] too
};

struct RunOptions {
  std::string workload;
  workloads::machines::MachineChoice machine;
  std::string slice;                 ///< empty: 4x4, or a slice with as many cores as a module or mesh has devices
  workloads::WorkloadOptions build;  ///< batch, optimizer and the model's keys
  std::optional<hlo::weights::WeightType> weights = std::nullopt;  ///< of inference; std::nullopt: as in the program
  PartitionFlags partition;
  options::PipelineFlags pipeline;
  options::OperatorFlags operators;
  files::TrainingFlags training;   ///< of a file's forward program
  std::vector<std::string> trips;  ///< "NAME=N": passes of a file's loops that its text does not tell
  std::string costs;               ///< file with prices of custom calls; empty: none
  bool show_mesh = false;
  bool describe = false;             ///< says what the workload is, in place of a run
  std::vector<std::string> compare;  ///< two sharding files; empty: no comparison
  std::optional<workloads::lengths::LengthPlan>
      lengths;                        ///< steps whose samples vary in length; std::nullopt: one step
  std::string lengths_text;           ///< --lengths
  std::optional<std::string> detail;  ///< std::nullopt: auto
  std::vector<std::string> real;      ///< patterns of chips made of their units at detail auto; empty: the first chip
  std::vector<std::string> chip_ops;  ///< patterns of ops through the parts of the chip at detail chip; empty: all
  int steps = 2;
  std::optional<bool> input;                     ///< whether hosts prepare batches; std::nullopt: only in a loop
  std::optional<workloads::job::LoopPlan> loop;  ///< std::nullopt: no loop
  std::optional<TrainOptions> train;             ///< of podsim train
  bool fold = true;
  bool one_chip = false;  ///< --fold all
  sw::compiler::Overlap overlap = sw::compiler::Overlap::none;
  sw::driver::CompilerYear compiler;
  bool contention = true;
  options::FaultFlags faults;
  std::optional<sw::collectives::Algorithm>
      algorithm;                          ///< of collectives; std::nullopt: the one with the least modelled time
  bool banks = false;                     ///< runs the ten hottest ops again, bank by bank
  std::optional<std::string> convention;  ///< cycle count for the layers of a topology; std::nullopt: this model's
  std::string op_cache;                   ///< file with costs of ops; empty: none
  bool json = false;
  std::string output;   ///< folder; empty: none
  bool chakra = false;  ///< writes execution traces into it
  std::string vcd;      ///< file; empty: none
  std::vector<std::string> trace;

  /// The record of `compiler`, without what --set assigns.
  sw::driver::CompilerYear compiler_as_set() const {
    sw::driver::CompilerYear record = compiler;
    if (machine.assigns("compiler.combine_all_reduce")) record.combine_all_reduce.reset();
    return record;
  }
};

}  // namespace podsim::app::run
