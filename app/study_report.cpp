// SPDX-License-Identifier: Apache-2.0
#include "app/study_report.h"

#include <fmt/format.h>

#include "app/standard_output.h"
#include "base/atomic_file.h"
#include "workloads/study/study_chart_svg.h"
#include "workloads/study/study_page.h"

namespace podsim::app {
namespace {

void write(const std::filesystem::path& file, std::string_view text) {
  base::write_file(file, text);
  print_result(fmt::format("{}: {} kB\n", file.string(), (text.size() + 999) / 1000));
}

}  // namespace

void write_study_report(const StudyReportOptions& options) {
  const workloads::StudyResults results = workloads::read_study_results(options.database);
  if (!options.chart.empty()) {
    write(options.chart, workloads::study_chart_file(results, workloads::study_chart(results, options.request)));
  }
  if (!options.output.empty() || options.chart.empty()) {
    std::filesystem::path page = options.output;
    if (page.empty()) page = std::filesystem::path(options.database).replace_extension(".html");
    write(page, workloads::study_page(results));
  }
}

}  // namespace podsim::app
