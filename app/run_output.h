// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/config.h"
#include "base/timeline.h"
#include "sw/report/run_report.h"

namespace podsim::app {

/// Makes the folder if it is not there and tries that files can be written in it; InputError otherwise. Called before a
/// simulation, so that its results are not lost to a mistyped path.
void prepare_output_folder(const std::filesystem::path& folder);

/// stats.json, summary.txt, ops.csv, timeline.json, machine.toml and manifest.json, each whole or not at all. Equal
/// runs write equal bytes; host times are left out.
void write_run(const std::filesystem::path& folder, const sw::RunReport& report, const base::Timeline& timeline,
               const base::Config& machine, const std::string& command_line);

}  // namespace podsim::app
