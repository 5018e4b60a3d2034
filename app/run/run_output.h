// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/config.h"
#include "base/trace/timeline.h"
#include "noc/topology.h"
#include "report/run/run_report.h"

namespace podsim::app::run {

/// Data for a run's folder in addition to the report.
struct RunRecord {
  std::string command_line;
  const base::Config& machine;
  const noc::Topology& slice;
  const base::trace::Timeline& timeline;
  std::map<std::string, std::string>
      other_files;  ///< other files in the folder, such as a waveform: name and description
};

/// Writes stats.json, summary.txt, statistics.txt, ops.csv, memory.csv, links.csv, timeline.json, machine.toml,
/// machine.csv, manifest.json; for a partitioned program mesh.svg, mesh.csv and layers.csv; with a loop job.json; and
/// report.html, which shows them (report/html/run_page.h). What an earlier run wrote there and this one does not is
/// removed (app/output/earlier_files.h). Each file appears whole or not at all. Equal runs write
/// equal bytes, because host times are left out.
void write_run(const std::filesystem::path& folder, const report::run::RunReport& report, const RunRecord& record);

/// Writes the execution traces of the last step, chakra/step.RANK.et and chakra/comm_group.json
/// (sw/chakra/run_trace.h).
void write_traces(const std::filesystem::path& folder, const report::run::RunReport& report,
                  const noc::Topology& slice);

}  // namespace podsim::app::run
