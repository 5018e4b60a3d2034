// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "hw/isa/program.h"

namespace podsim::hw {

/// The sync flags that a program names, of the `count` there are: by a literal in an operation, or in a descriptor in
/// its SMEM data. An operation that takes the number from a register is taken to mean a descriptor's; all flags if
/// there is none.
std::set<std::size_t> named_flags(const isa::Program& program, std::int64_t count);

}  // namespace podsim::hw
