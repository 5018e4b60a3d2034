// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The sharding files that ship with workloads.
namespace podsim::workloads::shardings {

struct EmbeddedSharding {
  std::string name;
  std::string toml;
};

/// The files of workloads/shardings/, named without .toml, in alphabetical order; generated at build time.
const std::vector<EmbeddedSharding>& embedded_shardings();

/// The text of the sharding with this name; "" if there is none.
std::string sharding_text(std::string_view name);

}  // namespace podsim::workloads::shardings
