// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/graph.h"

/// Shardings may list their devices in the order of a ring or of another arrangement that is no grid of their numbers.
/// All shardings of a program are then grids of the positions in that list.
namespace podsim::hlo::spmd::mesh {

/// By position: the device in the program's own numbers. Empty: positions are the numbers.
using DeviceNumbers = std::vector<std::int64_t>;

/// Returns the devices under which all shardings are grids; empty if they are without that, or if no list of the
/// program makes them so.
DeviceNumbers device_numbers(const hlo::Module& module);

/// The program with positions in place of devices, in shardings, groups and pairs of partitions. What it computes with
/// partition-id stays.
hlo::Module by_position(hlo::Module module, const DeviceNumbers& devices);

/// The program of one partition with devices in place of positions.
hlo::Module by_device(hlo::Module module, const DeviceNumbers& devices);

}  // namespace podsim::hlo::spmd::mesh
