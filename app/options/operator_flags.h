// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace CLI {
class App;
}

namespace podsim::app::options {

/// The flags that share the operations of a program out to the cores of a replica.
struct OperatorFlags {
  std::optional<std::int64_t> devices;  ///< cores of a replica
  std::optional<std::int64_t> batch;    ///< samples of a replica

  void add_to(CLI::App& command);
  bool asked() const { return devices.has_value(); }
  /// The replicas on a number of cores. InputError at the flag if it is not a multiple of the devices.
  std::int64_t replicas(std::int64_t cores) const;
};

}  // namespace podsim::app::options
