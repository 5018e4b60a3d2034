// SPDX-License-Identifier: Apache-2.0
#include "app/study_report.h"

#include <fmt/format.h>

#include "app/standard_output.h"
#include "base/atomic_file.h"
#include "workloads/study/study_chart_svg.h"

namespace podsim::app {

void write_study_report(const StudyReportOptions& options) {
  const workloads::StudyResults results = workloads::read_study_results(options.database);
  const workloads::StudyChart chart = workloads::study_chart(results, options.request);
  base::write_file(options.chart, workloads::study_chart_file(results, chart));
  print_result(fmt::format("wrote {}\n", options.chart));
}

}  // namespace podsim::app
