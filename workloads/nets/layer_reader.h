// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/nets/net.h"
#include "workloads/nets/net_table.h"

namespace podsim::workloads::nets {

/// Reads the layers of [[layer]] or [[layer.layer]], with names for those that have none: their kind, with a number
/// from the second of the kind on. `deep` is how many repeats they are within.
std::vector<Layer> read_layers(NetText& text, const std::vector<const toml::table*>& tables, int deep = 0);

}  // namespace podsim::workloads::nets
