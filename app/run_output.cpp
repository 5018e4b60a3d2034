// SPDX-License-Identifier: Apache-2.0
#include "app/run_output.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "base/atomic_file.h"
#include "base/diagnostic.h"

namespace podsim::app {

void prepare_output_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw base::InputError("cannot make the output folder '" + folder.string() + "': " + error.message());
  base::AtomicFile trial(folder / "manifest.json");  // discarded; fails where nothing can be written
}

void write_run(const std::filesystem::path& folder, const sw::RunReport& report, const base::Timeline& timeline,
               const base::Config& machine, const std::string& command_line) {
  std::ostringstream spans;
  timeline.write_json(spans);
  base::write_file(folder / "stats.json", sw::run_stats(report));
  base::write_file(folder / "summary.txt", sw::summary_text(report));
  base::write_file(folder / "ops.csv", sw::ops_csv(report));
  base::write_file(folder / "timeline.json", spans.str());
  base::write_file(folder / "machine.toml", machine.to_toml());
  nlohmann::ordered_json manifest = {
      {"schema_version", 1},
      {"program", "podsim 0.1.0"},
      {"command_line", command_line},
      {"workload", report.workload},
      {"machine", report.machine.name},
      {"slice", report.slice},
      {"detail", report.detail},
      {"partial", report.result.partial},
      {"files",
       {{"stats.json", "the figures of the run, as --json prints them without host times"},
        {"summary.txt", "the figures for people"},
        {"ops.csv", "every op of a step in XProf's columns"},
        {"timeline.json", "chip (0,0) core 0 over time, for ui.perfetto.dev"},
        {"machine.toml", "the resolved machine, a machine file"}}}};
  base::write_file(folder / "manifest.json", manifest.dump(2) + "\n");
}

}  // namespace podsim::app
