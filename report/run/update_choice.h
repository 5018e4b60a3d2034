// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace podsim::report::run {

/// A way to share the update of weights, as flags: `--mesh MESH --weight-update-sharding AXES`.
struct UpdateSharing {
  std::string mesh;                      ///< empty: that of the other flags
  std::string axes = "off";              ///< "off": every core updates all weights that it has
  std::optional<base::Duration> update;  ///< and its collectives, estimated (sw/placement/shared_update.h)
  /// The step without overlap: its ops and its collectives, placed. std::nullopt if it was not compiled, or does not
  /// fit the memory.
  std::optional<base::Duration> step;
};

/// What `--weight-update-sharding auto` chose. `tried` has all that were considered; `chosen` is an index into it.
struct UpdateChoice {
  std::vector<UpdateSharing> tried;
  std::size_t chosen = 0;
};

/// "--mesh 'replicas=64,shared=128' --weight-update-sharding shared"
std::string flags_of(const UpdateSharing& sharing);

}  // namespace podsim::report::run
