// SPDX-License-Identifier: Apache-2.0
#include "app/commands/study_report.h"

#include <fmt/format.h>

#include "base/host/output_file.h"
#include "base/host/standard_output.h"
#include "studies/charts/study_chart_svg.h"
#include "studies/charts/study_page.h"

namespace podsim::app::commands {
namespace {

void write(const std::filesystem::path& file, std::string_view text) {
  base::host::write_file(file, text);
  base::host::print_result(fmt::format("{}: {} kB\n", file.string(), (text.size() + 999) / 1000));
}

}  // namespace

void write_study_report(const StudyReportOptions& options) {
  const studies::store::StudyResults results = studies::store::read_study_results(options.database);
  if (!options.chart.empty()) {
    write(options.chart,
          studies::charts::study_chart_file(results, studies::charts::study_chart(results, options.request)));
  }
  if (!options.output.empty() || options.chart.empty()) {
    std::filesystem::path page = options.output;
    if (page.empty()) page = std::filesystem::path(options.database).replace_extension(".html");
    write(page, studies::charts::study_page(results));
  }
}

}  // namespace podsim::app::commands
