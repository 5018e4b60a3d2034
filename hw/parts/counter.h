// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// How units declare what they count (hw/activity.h).
namespace podsim::hw::parts {

/// A number of events, declared where they are counted.
struct Counter {
  const char* name;         ///< its key in JSON: "weight_tiles"
  const char* unit;         ///< "tiles"
  const char* description;  ///< "weight tiles latched"
};

/// Vector registers that a unit moves from VMEM and to it.
struct VmemRegisters {
  std::int64_t read = 0, written = 0;
};

}  // namespace podsim::hw::parts
