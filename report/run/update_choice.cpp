// SPDX-License-Identifier: Apache-2.0
#include "report/run/update_choice.h"

#include <fmt/format.h>

namespace podsim::report::run {

std::string flags_of(const UpdateSharing& sharing) {
  const std::string axes = "--weight-update-sharding " + sharing.axes;
  return sharing.mesh.empty() ? axes : fmt::format("--mesh '{}' {}", sharing.mesh, axes);
}

}  // namespace podsim::report::run
