// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "report/html/csv_table.h"
#include "report/run/run_folder.h"
#include "workloads/job/job_record.h"

namespace podsim::report::html {

/// An op: one row of ops.csv.
struct RunOp {
  std::string category, hlo_text, op_name;
  std::string bound_by, rematerialization, outside_compilation;
  double occurrences = 0;  ///< in all steps
  double average_us = 0;   ///< time of one occurrence
  double share = 0;        ///< share of the time of all ops
  double stalled = 0;      ///< share of its time in which it waits for DMA
  double gflops_per_s = 0, gibibytes_per_s = 0;
  double intensity = 0;  ///< FLOPs per byte
  double joules = 0;     ///< of events, of all executions in a step

  double total_us() const { return occurrences * average_us; }
  /// "fusion.17" for the text "%fusion.17 = ..."; empty if the text has no such name.
  std::string instruction() const;
  bool is_collective() const { return bound_by == "ICI"; }
  bool is_host() const { return bound_by == "host"; }
};

/// One span of the reported core's timeline.
struct RunSpan {
  std::string name, category, instruction;
  base::Time begin, end;
};

/// The data of a run's page: the contents of its folder.
struct RunFiles {
  run::RunFolder folder;
  std::vector<RunOp> ops;  ///< costliest first
  CsvTable memory, power, links, machine;
  std::optional<CsvTable> mesh;              ///< present for a partitioned program
  base::Time step_begin;                     ///< begin of the last whole step in the timeline
  std::vector<RunSpan> spans;                ///< spans of that step, or all spans if there is none, in order of time
  bool whole_step = false;                   ///< the timeline has a whole step
  std::vector<workloads::job::JobSpan> job;  ///< of a run with a loop, in order of time

  const nlohmann::ordered_json& stats() const { return folder.stats; }
  double step_s() const { return base::to_duration(folder.step_time).si(); }
  /// Time of an op in a step; for a run without a whole step, in the whole run.
  double seconds_per_step(const RunOp& op) const;
};

/// Reads a folder. Throws base::InputError as read_run_folder does, and if files that the page needs are missing, with
/// the command that writes them.
RunFiles read_run_files(const std::filesystem::path& path);

}  // namespace podsim::report::html
