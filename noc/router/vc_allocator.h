// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "noc/router/router_parameters.h"

/// Which packets get which virtual channels of a router's outputs in a cycle: a matching of input with output virtual
/// channels, separable and output first like SwitchAllocator. Few packets ask in a cycle, so requests are a list.
namespace podsim::noc {

struct VcRequest {
  std::int32_t input = 0;        ///< input virtual channel, port * vcs + vc
  std::int32_t output_port = 0;  ///< of which it wants a channel
  std::uint64_t vcs = 0;         ///< those that it may take and that are free
  int granted = -1;              ///< the answer: a channel, or -1
};

/// The round-robin pointers of one router; both have ports * vcs entries.
struct VcPointers {
  std::uint16_t* grant;   ///< per output virtual channel: the input that comes first
  std::uint16_t* accept;  ///< per input virtual channel: the output that comes first
};

class VcAllocator {
 public:
  VcAllocator(int ports, int vcs, Allocation allocation, int iterations)
      : vcs_(vcs), size_(ports * vcs), allocation_(allocation), iterations_(iterations) {}

  /// Answers the requests, no two of which have the same input.
  void allocate(std::span<VcRequest> requests, VcPointers pointers) const;

 private:
  bool iterate(std::span<VcRequest> requests, VcPointers pointers, bool first) const;
  void grant(std::span<VcRequest> requests, VcPointers pointers, int port, int vc) const;
  int accept(const VcRequest& request, std::uint64_t grants, int pointer) const;

  int vcs_;
  int size_;
  Allocation allocation_;
  int iterations_;
  mutable std::vector<std::uint64_t> grants_;  ///< per request, by channels; kept for its memory
};

}  // namespace podsim::noc
