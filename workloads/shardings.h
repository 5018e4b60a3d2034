// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The sharding files that come with workloads.
namespace podsim::workloads {

struct EmbeddedSharding {
  std::string name;
  std::string toml;
};

/// The files of workloads/shardings/ by their names without .toml, in alphabetical order; generated at build time.
const std::vector<EmbeddedSharding>& embedded_shardings();

/// The text of one of them, "" where there is none of the name.
std::string sharding_text(std::string_view name);

}  // namespace podsim::workloads
