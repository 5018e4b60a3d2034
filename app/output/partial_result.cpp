// SPDX-License-Identifier: Apache-2.0
#include "app/output/partial_result.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/host/standard_output.h"

namespace podsim::app::output {

void print_partial(const std::string& result, bool json, const base::host::Interrupted& interruption) {
  if (!json) return base::host::print_result(result + fmt::format("\npartial: {}\n", interruption.what()));
  auto marked = nlohmann::ordered_json::parse(result);
  marked["partial"] = true;
  marked["interruption"] = interruption.what();
  base::host::print_result(marked.dump(2) + "\n");
}

}  // namespace podsim::app::output
