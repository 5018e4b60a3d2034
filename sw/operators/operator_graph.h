// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/graph.h"
#include "noc/topology.h"
#include "sw/compiler/op_cache.h"
#include "sw/operators/weighted_graph.h"
#include "sw/target_machine.h"

namespace podsim::sw::operators {

/// The cores that share the operations of a program: `devices` neighbours in the order of the cores for each replica.
struct DeviceSet {
  const noc::Topology& slice;
  int devices = 1;
  std::int64_t replicas = 1;
};

/// Time of a transfer between two devices of a replica: latency + bytes / rate.
struct LinkTime {
  double latency_s = 0, s_per_byte = 0;
  int route = 0;  ///< transfers of one route follow each other
};

/// A program of a replica as operations that devices share.
/// The program is fused and laid out. An operation takes the time of its op as compiled (sw/compiler/op_costs.h), a
/// loop that of its trips, a collective over replicas its modelled time, without the latency if no product and no
/// collective waits for it, since it is combined with others then. Infeeds, constants, and scalars that follow from
/// constants and inputs alone are on all devices. A state, such as a weight, is an operation without work, since
/// other devices may read it. Operations that have to be on one device form a cluster: a state and the maker of its new
/// value; the makers and readers of a tuple; what only names a value, and its maker.
struct OperatorGraph {
  std::vector<double> seconds = {};      ///< by instruction of the entry
  std::vector<double> hbm_seconds = {};  ///< that the HBM takes for its data, by instruction
  double hbm_s_per_byte = 0;             ///< of a transfer, at either end
  std::vector<std::int64_t> bytes = {};  ///< of its value, by instruction
  std::vector<int> cluster = {};         ///< by instruction; -1: on all devices, or no operation
  int clusters = 0;
  /// By instruction of a cluster: its operands and its readers that are in clusters, each once.
  std::vector<std::vector<hlo::InstructionId>> operands = {}, readers = {};
  std::vector<std::vector<LinkTime>> links = {};  ///< by device that sends, by device that receives
  int routes = 1;

  int devices() const { return int(links.size()); }
  /// Seconds of all operations.
  double work() const;
  /// The clusters with their work, and the seconds of transfers that follow if two are on different devices (the
  /// slowest pair of devices).
  WeightedGraph cluster_graph() const;
};

/// Throws base::InputError if the program cannot be shared by devices: if it is scheduled, sends data to its host,
/// exchanges data with another program, has asynchronous parts, reads a device's number that is not its replica's, is
/// one of another number of devices than there are replicas, or has collectives in loops or branches.
OperatorGraph operator_graph(const hlo::Module& fused, const TargetMachine& machine, const DeviceSet& set,
                             compiler::OpCache* cache = nullptr);

}  // namespace podsim::sw::operators
