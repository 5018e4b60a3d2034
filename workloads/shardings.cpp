// SPDX-License-Identifier: Apache-2.0
#include "workloads/shardings.h"

#include <algorithm>
#include <stdexcept>

namespace podsim::workloads {

const std::string& sharding_text(std::string_view name) {
  const auto& files = embedded_shardings();
  const auto found = std::ranges::find(files, name, &EmbeddedSharding::name);
  if (found == files.end()) throw std::out_of_range("no sharding file '" + std::string(name) + "'");
  return found->toml;
}

}  // namespace podsim::workloads
