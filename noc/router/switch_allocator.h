// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "noc/router/router_parameters.h"

/// Decides which flits cross a router's switch in a cycle: a matching of input ports with output ports, separable and
/// output first. Each unmatched output grants one of the inputs that request it, and each input accepts one of its
/// grants, both round robin from their pointers. More iterations extend the matching.
namespace podsim::noc::router {

inline constexpr int max_ports = 32;
using PortMask = std::uint32_t;

/// The round-robin pointers of one router.
struct SwitchPointers {
  std::array<std::uint8_t, max_ports> grant{};   ///< by output: the input that goes first
  std::array<std::uint8_t, max_ports> accept{};  ///< by input: the output that goes first
};

class SwitchAllocator {
 public:
  SwitchAllocator(int ports, Allocation allocation, int iterations)
      : ports_(ports), allocation_(allocation), iterations_(iterations) {}

  /// `requests` has, for every output of `requested`, a mask of the inputs that request it. Returns the mask of matched
  /// inputs and writes the output of each into `granted`.
  PortMask allocate(const PortMask* requests, PortMask requested, SwitchPointers& pointers,
                    std::uint8_t* granted) const;

 private:
  int ports_;
  Allocation allocation_;
  int iterations_;
};

}  // namespace podsim::noc::router
