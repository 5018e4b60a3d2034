// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "noc/topology.h"
#include "sw/target_machine.h"

namespace podsim::app::options {

/// Sizes from a text such as "4x4"; throws InputError if it is malformed.
std::vector<std::int64_t> parse_sizes(const std::string& text);

/// The slice that a text such as "4x4" names, with the machine's wraps. Throws InputError if the text is malformed or
/// the machine cannot form the slice.
noc::Topology parse_slice(const std::string& text, const sw::TargetMachine& machine);

/// As parse_slice, for studies of the network: any sizes up to 65536 chips. Sets `warning` if the machine cannot form
/// the slice.
noc::Topology parse_any_slice(const std::string& text, const sw::TargetMachine& machine, std::string& warning);

}  // namespace podsim::app::options
