// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "noc/faults.h"
#include "noc/topology.h"

namespace CLI {
class App;
}

namespace podsim::app::options {

/// The faults of a slice as flags say them.
struct FaultFlags {
  std::vector<noc::Fault> faults;
  std::uint64_t seed = 1;
};

/// Adds --fault FAULT, which may be repeated.
void add_fault_option(CLI::App& command, FaultFlags& flags);
/// Adds --fault-seed N.
void add_fault_seed_option(CLI::App& command, FaultFlags& flags);

/// The faults on a slice. InputError at --fault for one that names what the slice does not have.
noc::Faults resolve_faults(const FaultFlags& flags, const noc::Topology& slice, std::int64_t host_chips);
/// InputError at --fault for a dead chip of a slice that a program needs whole. It says which part of the slice is
/// left.
void refuse_dead_chips(const FaultFlags& flags, const noc::Faults& faults, const noc::Topology& slice);
/// InputError at --fault for a slow host where there is `why` it changes nothing.
[[noreturn]] void refuse_slow_host(const noc::Fault& fault, const std::string& why, const std::string& hint = "");

}  // namespace podsim::app::options
