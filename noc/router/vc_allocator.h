// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "noc/router/router_parameters.h"

/// Assigns virtual channels of a router's outputs to packets in a cycle: a matching of input with output virtual
/// channels, separable and output first like SwitchAllocator. Few packets request one per cycle, so requests are a
/// list.
namespace podsim::noc::router {

struct VcRequest {
  std::int32_t input = 0;        ///< input virtual channel, port * vcs + vc
  std::int32_t output_port = 0;  ///< output port of which a channel is requested
  std::uint64_t vcs = 0;         ///< channels that are free and that the packet may take
  int granted = -1;              ///< the result: a channel, or -1
};

/// The round-robin pointers of one router. Both arrays have ports * vcs entries.
struct VcPointers {
  std::uint16_t* grant;   ///< by output virtual channel: the input that goes first
  std::uint16_t* accept;  ///< by input virtual channel: the output that goes first
};

class VcAllocator {
 public:
  VcAllocator(int ports, int vcs, Allocation allocation, int iterations)
      : vcs_(vcs), size_(ports * vcs), allocation_(allocation), iterations_(iterations) {}

  /// Fills in `granted` of the requests. No two requests have the same input.
  void allocate(std::span<VcRequest> requests, VcPointers pointers) const;

 private:
  bool iterate(std::span<VcRequest> requests, VcPointers pointers, bool first) const;
  void grant(std::span<VcRequest> requests, VcPointers pointers, int port, int vc) const;
  int accept(const VcRequest& request, std::uint64_t grants, int pointer) const;

  int vcs_;
  int size_;
  Allocation allocation_;
  int iterations_;
  mutable std::vector<std::uint64_t> grants_;  ///< by request, a mask of channels; a member to keep its memory
};

}  // namespace podsim::noc::router
