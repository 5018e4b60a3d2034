// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "noc/topology.h"
#include "sw/target_machine.h"

namespace podsim::sw::collectives::schedule {

/// The slice that a compiler assumes for a program of `cores` cores, since the slice is chosen after it: as many
/// dimensions as a pod has, as equal as the prime factors of the number of chips allow, none longer than a pod's but
/// the first, along which pods are joined, and closed where a dimension is a pod's. A program that does not tell its
/// number of cores, 0, is taken to run on a whole pod.
noc::Topology assumed_slice(const TargetMachine& machine, std::int64_t cores);

}  // namespace podsim::sw::collectives::schedule
