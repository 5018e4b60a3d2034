// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/operators/operator_graph.h"

namespace podsim::sw::operators {

/// When each operation runs, and on which device.
struct OperatorSchedule {
  double seconds = 0;                          ///< until the last operation ends
  std::vector<double> begin = {};              ///< by instruction
  std::vector<hlo::InstructionId> order = {};  ///< instructions of clusters by their begins, operands first
  std::vector<double> busy = {};               ///< by device: seconds of its operations
  std::int64_t transfers = 0;
  std::int64_t transferred_bytes = 0;
};

/// The schedule of operations whose clusters are on devices, by a list scheduler: a device that is free takes, of the
/// operations whose operands have arrived, the one with the longest path to the end of the step, transfers included.
/// A value goes to another device once, behind the earlier transfers of the route: begin = max(end of the operation,
/// route free), arrival = begin + bytes * s_per_byte + latency. What it
/// takes of the HBMs of both lengthens their next operations, less what these leave of the HBM and what passes before
/// they begin.
///
/// `device` is by cluster. Equal input gives equal schedules; ties go to the earlier instruction.
OperatorSchedule estimated_schedule(const OperatorGraph& graph, const std::vector<int>& device);

/// The length of that schedule, or infinity if it is longer than `limit` seconds, which takes less time to find.
double estimated_seconds(const OperatorGraph& graph, const std::vector<int>& device, double limit);

/// By instruction: the longest path from its begin to the end of the step, with transfers between devices.
std::vector<double> paths_to_end(const OperatorGraph& graph, const std::vector<int>& device);

}  // namespace podsim::sw::operators
