// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "noc/faults.h"
#include "noc/router/router_parameters.h"
#include "noc/topology.h"

/// Whether the configured routing can deadlock. A channel here is a class of virtual channels of a link; it depends on
/// another when a packet may hold the one while it waits for the other. Without a cycle of dependences no set of
/// packets can wait for itself (W. Dally and C. Seitz, IEEE Trans. Computers C-36(5), 1987).
namespace podsim::noc {

/// A cycle of channels of dimension-order routing between any two nodes, as "(0,0)x+ lower -> (1,0)x+ lower -> ...";
/// empty when there is none. Packets go the shorter way around a ring, either way at half of it, and where links are
/// dead also the longer one.
std::string dependency_cycle(const Topology& topology, const RouterParameters& router, const Faults& faults = {});

}  // namespace podsim::noc
