// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_compare.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "app/run/run.h"
#include "base/diagnostic.h"
#include "base/host/exit_code.h"
#include "base/host/standard_output.h"
#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "report/compare/figure_comparison.h"

namespace podsim::app::run {
namespace {

using Json = nlohmann::ordered_json;

std::string comparison(const RunOptions& options, const std::array<Json, 2>& runs) {
  const std::array<std::string, 2> labels{options.compare[0], options.compare[1]};
  return fmt::format("{} on {} slice of {}\n\n", options.workload,
                     base::text::with_article(runs[0]["slice"].get<std::string>()),
                     runs[0]["machine"].get<std::string>()) +
         report::compare::figures_text(labels, report::compare::compare_figures(runs[0], runs[1])) + "\n" +
         report::compare::collectives_text(labels, report::compare::compare_collectives(runs[0], runs[1]));
}

}  // namespace

int compare_shardings(const RunOptions& options) {
  if (!options.output.empty() || !options.vcd.empty()) {
    throw base::InputError("--compare runs twice: -o and --vcd are for files of one run",
                           "'--sharding' with one of the files");
  }
  std::array<Json, 2> runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RunOptions one = options;
    one.compare.clear();
    one.partition.sharding = options.compare[i];
    runs[i] = Json::parse(run_figures(one));
  }
  if (options.json) {
    const Json json = {
        {"schema_version", 1},
        {"command", "run --compare"},
        {"runs",
         {{{"sharding", options.compare[0]}, {"run", runs[0]}}, {{"sharding", options.compare[1]}, {"run", runs[1]}}}}};
    base::host::print_result(base::text::json_text(json, 2) + "\n");
  } else {
    base::host::print_result(comparison(options, runs));
  }
  return base::host::done;
}

}  // namespace podsim::app::run
