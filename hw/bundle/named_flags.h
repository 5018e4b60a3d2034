// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "hw/isa/program.h"

namespace podsim::hw::bundle {

/// Returns the sync flags (of `count`) that a program uses: as a literal of an operation, or in a descriptor in its
/// SMEM data. An operation that takes the flag's number from a register is assumed to use the flags of the descriptors,
/// or all flags if the program has no descriptor.
std::set<std::size_t> named_flags(const isa::Program& program, std::int64_t count);

}  // namespace podsim::hw::bundle
