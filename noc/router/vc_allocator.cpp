// SPDX-License-Identifier: Apache-2.0
#include "noc/router/vc_allocator.h"

#include "noc/router/round_robin.h"

namespace podsim::noc::router {

void VcAllocator::allocate(std::span<VcRequest> requests, VcPointers pointers) const {
  if (requests.size() == 1 && allocation_ == Allocation::islip) {
    VcRequest& request = requests.front();
    request.granted = accept(request, request.vcs, pointers.accept[request.input]);
    const int output = request.output_port * vcs_ + request.granted;
    pointers.grant[output] = std::uint16_t(round_robin_next(request.input, size_));
    pointers.accept[request.input] = std::uint16_t(round_robin_next(output, size_));
    return;
  }
  for (int iteration = 0; iteration < iterations_; ++iteration) {
    if (!iterate(requests, pointers, iteration == 0)) return;
  }
}

// Performs one round of grants and acceptances. Returns false if nothing was granted.
bool VcAllocator::iterate(std::span<VcRequest> requests, VcPointers pointers, bool first) const {
  grants_.assign(requests.size(), 0);
  std::uint64_t granted_ports = 0;
  for (const VcRequest& request : requests) {
    if (request.granted >= 0 || (granted_ports >> request.output_port & 1) != 0) continue;
    granted_ports |= std::uint64_t(1) << request.output_port;
    std::uint64_t wanted = 0;
    for (const VcRequest& other : requests) {
      if (other.output_port == request.output_port && other.granted < 0) wanted |= other.vcs;
    }
    for (; wanted != 0; wanted &= wanted - 1) {
      grant(requests, pointers, request.output_port, std::countr_zero(wanted));
    }
  }
  bool any = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    VcRequest& request = requests[i];
    if (grants_[i] == 0) continue;
    any = true;
    request.granted = accept(request, grants_[i], pointers.accept[request.input]);
    const int output = request.output_port * vcs_ + request.granted;
    for (VcRequest& other : requests) {
      if (other.output_port == request.output_port) other.vcs &= ~(std::uint64_t(1) << request.granted);
    }
    if (first || allocation_ == Allocation::round_robin) {
      pointers.grant[output] = std::uint16_t(round_robin_next(request.input, size_));
      pointers.accept[request.input] = std::uint16_t(round_robin_next(output, size_));
    }
  }
  return any;
}

// Grants a free channel to the first requester at or after the channel's pointer.
void VcAllocator::grant(std::span<VcRequest> requests, VcPointers pointers, int port, int vc) const {
  const int output = port * vcs_ + vc;
  std::size_t best = 0;
  int best_distance = size_;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const VcRequest& request = requests[i];
    if (request.output_port != port || request.granted >= 0 || (request.vcs >> vc & 1) == 0) continue;
    int distance = request.input - pointers.grant[output];
    if (distance < 0) distance += size_;
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = i;
  }
  grants_[best] |= std::uint64_t(1) << vc;
  if (allocation_ == Allocation::round_robin) {
    pointers.grant[output] = std::uint16_t(round_robin_next(requests[best].input, size_));
  }
}

// The pointer may be a virtual channel of any port; all grants are of one port.
int VcAllocator::accept(const VcRequest& request, std::uint64_t grants, int pointer) const {
  const int first = request.output_port * vcs_;
  const bool inside = pointer >= first && pointer < first + vcs_;
  return round_robin_pick(grants, inside ? pointer - first : 0);
}

}  // namespace podsim::noc::router
