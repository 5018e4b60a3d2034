// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/config.h"
#include "base/timeline.h"
#include "noc/topology.h"
#include "sw/report/run_report.h"

namespace podsim::app {

/// What a run writes to its folder besides the report itself.
struct RunRecord {
  std::string command_line;
  const base::Config& machine;
  const noc::Topology& slice;
  const base::Timeline& timeline;
  std::map<std::string, std::string> other_files;  ///< already there by name, such as a waveform, and what they are
};

/// stats.json, summary.txt, statistics.txt, ops.csv, memory.csv, links.csv, timeline.json, machine.toml, machine.csv,
/// manifest.json, of a partitioned program mesh.svg, mesh.csv and layers.csv, and report.html, which shows them (see
/// sw/report/html/run_page.h); each whole or not at all. Equal runs write equal bytes; host times are left out.
void write_run(const std::filesystem::path& folder, const sw::RunReport& report, const RunRecord& record);

}  // namespace podsim::app
