// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "noc/faults.h"
#include "noc/router/router_parameters.h"
#include "noc/topology.h"

/// Checks whether the configured routing can deadlock. A channel here is a class of virtual channels of a link. It
/// depends on another if a packet may hold the one while it waits for the other. Without a cycle of dependences no set
/// of packets can wait for itself (W. Dally and C. Seitz, IEEE Trans. Computers C-36(5), 1987).
namespace podsim::noc::router {

/// Returns a cycle of channels of dimension-order routing between any two nodes, as "(0,0)x+ lower -> (1,0)x+ lower ->
/// ..."; empty if there is none. Packets take the shorter direction around a ring, either direction at half of it, and
/// also the longer one if any link is dead.
std::string dependency_cycle(const Topology& topology, const RouterParameters& router, const Faults& faults = {});

}  // namespace podsim::noc::router
