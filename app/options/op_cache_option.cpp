// SPDX-License-Identifier: Apache-2.0
#include "app/options/op_cache_option.h"

#include "app/options/file_option.h"
#include "base/host/arguments.h"
#include "base/host/standard_output.h"

namespace podsim::app::options {

void save_costs(sw::compiler::OpCache& cache) {
  cache.save();
  for (const std::string& warning : cache.warnings()) base::host::print_warning(warning);
}

CLI::Option* OpCacheOption::add_to(CLI::App& command) {
  return add_file_option(command, "--op-cache", file_,
                         "File that keeps what ops cost, for later calls with the same\nops on the same cores; "
                         "several may use it at once [none]");
}

sw::compiler::OpCache* OpCacheOption::open() {
  if (file_.empty()) return nullptr;
  base::host::locate_errors("--op-cache", file_, [&] { cache_.emplace(file_); });
  return &*cache_;
}

void OpCacheOption::close() {
  if (cache_) save_costs(*cache_);
}

}  // namespace podsim::app::options
