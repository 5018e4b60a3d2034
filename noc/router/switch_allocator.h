// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "noc/router/router_parameters.h"

/// Who crosses a router's switch in a cycle: a matching of input ports with output ports, separable and output first.
/// Each unmatched output grants one of the inputs that request it, each input accepts one of its grants, both round
/// robin from their pointers; more iterations fill up the matching.
namespace podsim::noc {

inline constexpr int max_ports = 32;
using PortMask = std::uint32_t;

/// The round-robin pointers of one router.
struct SwitchPointers {
  std::array<std::uint8_t, max_ports> grant{};   ///< per output: the input that comes first
  std::array<std::uint8_t, max_ports> accept{};  ///< per input: the output that comes first
};

class SwitchAllocator {
 public:
  SwitchAllocator(int ports, Allocation allocation, int iterations)
      : ports_(ports), allocation_(allocation), iterations_(iterations) {}

  /// `requests` has for every output of `requested` the inputs that ask for it. Writes into `granted` the output of
  /// every input of the mask that it returns.
  PortMask allocate(const PortMask* requests, PortMask requested, SwitchPointers& pointers,
                    std::uint8_t* granted) const;

 private:
  int ports_;
  Allocation allocation_;
  int iterations_;
};

}  // namespace podsim::noc
