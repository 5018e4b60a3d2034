// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/machine.h"
#include "noc/topology.h"

namespace podsim::app {

/// The sizes that `text` ("4x4") names; InputError when it is malformed.
std::vector<std::int64_t> parse_sizes(const std::string& text);

/// The slice that `text` ("4x4") names, with the machine's wraps; InputError when it is malformed or the machine cannot
/// form it.
noc::Topology parse_slice(const std::string& text, const hw::Machine& machine);

/// The same for studies of the network, of any sizes; `warning` is set when the machine cannot form it.
noc::Topology parse_any_slice(const std::string& text, const hw::Machine& machine, std::string& warning);

}  // namespace podsim::app
