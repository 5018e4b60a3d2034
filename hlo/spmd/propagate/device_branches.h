// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::spmd::propagate {

/// A value whose sharding {maximal device=N} is not used, and why.
struct UnplacedValue {
  std::string name;
  std::string reason;
};

/// A module whose instructions on one device ({maximal device=N}) run there alone.
struct DeviceBranches {
  hlo::Module module;
  std::vector<UnplacedValue> unused;
};

/// Writes the instructions of the entry that are on one device as branches by partition, as a shard_map with a
/// conditional would: connected instructions of a device become one branch, which only that device takes. Its operands
/// are whole on every device. Its results go to the devices that read them: by a collective-permute to an instruction
/// on another device, by a collective-broadcast to all others. An instruction without a sharding that reads only values
/// of one device, and constants, is on that device too. Branches keep their order, transfers precede their first
/// reader.
///
/// Stays whole on all devices, and is named: a value on a device in another computation than the entry, a parameter or
/// constant (all devices hold equal arrays), a feed, collective or token, a tuple that leaves its device, and a device
/// that the module has not (`partitions` of them, also where the text says nothing of them).
///
/// Contract: evaluate_partitions() of the partitioned result equals that of the module without these shardings.
DeviceBranches write_device_branches(hlo::Module module, std::int64_t partitions);

}  // namespace podsim::hlo::spmd::propagate
