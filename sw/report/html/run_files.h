// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "sw/report/html/csv_table.h"
#include "sw/report/run_folder.h"

namespace podsim::sw {

/// One op of ops.csv: a row of the op table.
struct RunOp {
  std::string category, hlo_text, op_name;
  std::string bound_by, rematerialization, outside_compilation;
  double occurrences = 0;  ///< of all steps
  double average_us = 0;   ///< of one occurrence
  double share = 0;        ///< of the ops' time
  double stalled = 0;      ///< share of its time that it waits for DMA
  double gflops_per_s = 0, gibibytes_per_s = 0;
  double intensity = 0;  ///< FLOPs per byte

  double total_us() const { return occurrences * average_us; }
  /// "fusion.17" of "%fusion.17 = ..."; empty without.
  std::string instruction() const;
  bool is_collective() const { return bound_by == "ICI"; }
  bool is_host() const { return bound_by == "host"; }
};

/// One span of the reported core's timeline.
struct RunSpan {
  std::string name, category, instruction;
  base::Time begin, end;
};

/// What a run's page shows: all that is in its folder.
struct RunFiles {
  RunFolder folder;
  std::vector<RunOp> ops;  ///< costliest first
  CsvTable memory, links, machine;
  std::optional<CsvTable> mesh;  ///< of a partitioned program
  base::Time step_begin;         ///< of the timeline's last whole step
  std::vector<RunSpan> spans;    ///< of that step; of all there is without one; in the order of time
  bool whole_step = false;       ///< there was one

  const nlohmann::ordered_json& stats() const { return folder.stats; }
  double step_s() const { return to_duration(folder.step_time).si(); }
  /// What ops take in a step; of a run without a whole step, in it all.
  double seconds_per_step(const RunOp& op) const;
};

/// InputError as read_run_folder, and for files of a page that the folder lacks, with the command that writes them.
RunFiles read_run_files(const std::filesystem::path& folder);

}  // namespace podsim::sw
