// SPDX-License-Identifier: Apache-2.0
#include "app/output/partial_result.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/host/standard_output.h"
#include "base/host/write_all.h"
#include "base/text/json_text.h"

namespace podsim::app::output {

void print_partial(const std::string& result, bool json, const base::host::Interrupted& interruption) {
  if (!json) return base::host::print_result(result + fmt::format("\npartial: {}\n", interruption.what()));
  auto marked = nlohmann::ordered_json::parse(result);
  marked["partial"] = true;
  marked["interruption"] = interruption.what();
  base::host::print_result(base::text::json_text(marked, 2) + "\n");
}

void publish(bool json, const std::function<void()>& work, const std::function<std::string()>& result,
             std::vector<std::function<void()>> files) {
  std::optional<base::host::Interrupted> interruption;
  try {
    work();
  } catch (const base::host::Interrupted& thrown) {
    interruption = thrown;
  }
  base::host::protect_results();
  files.insert(files.begin(), [&] {
    if (interruption) return print_partial(result(), json, *interruption);
    base::host::print_result(result());
  });
  base::host::write_all(files);
  if (interruption) throw base::host::Interrupted(*interruption);
}

}  // namespace podsim::app::output
