// SPDX-License-Identifier: Apache-2.0
#include "workloads/shardings/shardings.h"

#include <algorithm>

namespace podsim::workloads::shardings {

std::string sharding_text(std::string_view name) {
  const auto& files = embedded_shardings();
  const auto found = std::ranges::find(files, name, &EmbeddedSharding::name);
  return found == files.end() ? "" : found->toml;
}

}  // namespace podsim::workloads::shardings
