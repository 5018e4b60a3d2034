// SPDX-License-Identifier: Apache-2.0
#include "app/serve/serve_output.h"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/output/earlier_files.h"
#include "base/build_id.h"
#include "base/host/output_file.h"
#include "base/text/json_text.h"
#include "base/text/utf8.h"
#include "base/version.h"
#include "report/serving/serving_page.h"

namespace podsim::app::serve {
namespace {

nlohmann::ordered_json serving_manifest(const report::serving::ServingReport& report, const std::string& command_line) {
  const nlohmann::ordered_json files = {{"stats.json", "the figures, as --json prints them without host times"},
                                        {"summary.txt", "the figures for people"},
                                        {"requests.csv", "times of every request"},
                                        {"series.csv", "queue, batches and cache over time"},
                                        {"report.html", "all of this as one page, for a browser"},
                                        {"manifest.json", "this list"}};
  return {{"schema_version", 1},
          {"program", base::program_version},
          {"build", base::short_build_id()},
          {"command_line", command_line},
          {"workload", report.workload},
          {"machine", report.machine},
          {"slice", report.slice},
          {"files", files}};
}

}  // namespace

void write_serving(const std::filesystem::path& folder, const report::serving::ServingReport& report,
                   const std::string& command_line) {
  const nlohmann::ordered_json list = serving_manifest(report, command_line);
  std::set<std::string> names;
  for (const auto& [name, description] : list.at("files").items()) names.insert(name);
  output::remove_earlier_files(folder, names);
  base::host::write_file(folder / "manifest.json", base::text::json_text(list, 2) + "\n");
  base::host::write_file(folder / "stats.json", report::serving::serving_json(report, false));
  base::host::write_file(folder / "summary.txt", base::text::printable(report::serving::serving_text(report, false)));
  base::host::write_file(folder / "requests.csv", report::serving::requests_csv(report));
  base::host::write_file(folder / "series.csv", report::serving::series_csv(report));
  base::host::write_file(folder / "report.html", report::serving::serving_page(report, command_line));
}

}  // namespace podsim::app::serve
