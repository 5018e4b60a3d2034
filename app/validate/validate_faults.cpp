// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validate_faults.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "base/host/standard_output.h"
#include "validation/jobs/published_faults.h"

namespace podsim::app::validate {

void add_validate_faults(CLI::App& validate) {
  auto json = std::make_shared<bool>(false);
  CLI::App* faults = validate.add_subcommand("faults", "Published figures of failures over days, each simulated");
  faults->add_flag("--json", *json, "One JSON object on stdout");
  faults->footer("Examples:\n  podsim validate faults");
  faults->callback([json] {
    const auto figures = validation::jobs::fault_figures();
    base::host::print_result(*json ? validation::jobs::faults_json(figures) : validation::jobs::faults_text(figures));
  });
}

}  // namespace podsim::app::validate
