// SPDX-License-Identifier: Apache-2.0
#include "app/run_page.h"

#include <fmt/format.h>

#include "app/arguments.h"
#include "app/standard_output.h"
#include "base/atomic_file.h"
#include "sw/report/html/run_files.h"
#include "sw/report/html/run_page.h"

namespace podsim::app {

void write_run_page(const std::string& from, const std::string& output) {
  const std::filesystem::path folder = from;
  const std::string page = sw::run_page(sw::read_run_files(folder));
  const std::filesystem::path file = output.empty() ? folder / "report.html" : std::filesystem::path(output);
  base::write_file(file, page);
  print_result(fmt::format("{}: {} kB\n", file.string(), (page.size() + 999) / 1000));
}

}  // namespace podsim::app
