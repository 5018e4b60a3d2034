// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <vector>

#include "workloads/serving/request.h"

namespace podsim::workloads::serving {

/// The cache of a request on its way from one replica to another.
struct CacheTransfer {
  int request = 0, source = 0, target = 0;
  Nanoseconds asked;  ///< since when it waits
  Nanoseconds time;   ///< that its bytes take
};

/// The network ports of replicas, one that sends and one that receives each. A transfer holds the port of its source
/// and that of its target for the time of its bytes:
///
///   begin = the first time at which both are free, and no transfer that was asked for earlier waits for one of them
///
/// so that each port serves in the order in which transfers are asked for. Latency comes on top and holds no port.
class TransferPorts {
 public:
  explicit TransferPorts(std::size_t replicas) : sends_(replicas), receives_(replicas) {}

  void ask(const CacheTransfer& transfer);
  /// Takes the ports for those transfers that begin now.
  std::vector<CacheTransfer> begin(Nanoseconds now);
  /// The bytes of a request's cache are sent: its ports are free.
  void end(int request, Nanoseconds now);
  /// Forgets the transfer of a request, if it has one.
  void cancel(int request, Nanoseconds now);

  /// For how long the ports of a replica have been held by transfers that are over.
  Nanoseconds sent(std::size_t replica) const { return sends_[replica].held; }
  Nanoseconds received(std::size_t replica) const { return receives_[replica].held; }

 private:
  struct Port {
    bool taken = false;
    Nanoseconds since, held;

    void take(Nanoseconds now) {
      taken = true;
      since = now;
    }
    void release(Nanoseconds now) {
      taken = false;
      held += now - since;
    }
  };

  std::vector<Port> sends_, receives_;
  std::list<CacheTransfer> waiting_;  ///< in the order in which they were asked for
  std::map<int, CacheTransfer> running_;
  bool changed_ = false;  ///< since begin()
};

}  // namespace podsim::workloads::serving
