// SPDX-License-Identifier: Apache-2.0
#include "app/commands/run_page.h"

#include <fmt/format.h>

#include "base/host/arguments.h"
#include "base/host/output_file.h"
#include "base/host/standard_output.h"
#include "report/html/run_files.h"
#include "report/html/run_page.h"

namespace podsim::app::commands {

void write_run_page(const std::string& from, const std::string& output) {
  const std::filesystem::path folder = from;
  const std::string page = report::html::run_page(report::html::read_run_files(folder));
  const std::filesystem::path file = output.empty() ? folder / "report.html" : std::filesystem::path(output);
  base::host::write_file(file, page);
  base::host::print_result(fmt::format("{}: {} kB\n", file.string(), (page.size() + 999) / 1000));
}

}  // namespace podsim::app::commands
