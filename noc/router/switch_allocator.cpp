// SPDX-License-Identifier: Apache-2.0
#include "noc/router/switch_allocator.h"

#include "noc/router/round_robin.h"

namespace podsim::noc::router {

PortMask SwitchAllocator::allocate(const PortMask* requests, PortMask requested, SwitchPointers& pointers,
                                   std::uint8_t* granted) const {
  if (const int output = std::countr_zero(requested);
      std::has_single_bit(requested) && std::has_single_bit(requests[output])) {
    const int input = std::countr_zero(requests[output]);
    granted[input] = std::uint8_t(output);
    pointers.grant[output] = std::uint8_t(round_robin_next(input, ports_));
    pointers.accept[input] = std::uint8_t(round_robin_next(output, ports_));
    return requests[output];
  }
  PortMask matched = 0;             // inputs
  PortMask open = requested;        // outputs
  PortMask grants[max_ports] = {};  // by input, a mask of outputs
  for (int iteration = 0; iteration < iterations_ && open != 0; ++iteration) {
    PortMask offered = 0;
    for (PortMask outputs = open; outputs != 0; outputs &= outputs - 1) {
      const int output = std::countr_zero(outputs);
      const PortMask inputs = requests[output] & ~matched;
      if (inputs == 0) continue;
      const int input = round_robin_pick(inputs, pointers.grant[output]);
      grants[input] |= PortMask(1) << output;
      offered |= PortMask(1) << input;
      if (allocation_ == Allocation::round_robin) {
        pointers.grant[output] = std::uint8_t(round_robin_next(input, ports_));
      }
    }
    if (offered == 0) break;
    for (PortMask inputs = offered; inputs != 0; inputs &= inputs - 1) {
      const int input = std::countr_zero(inputs);
      const int output = round_robin_pick(grants[input], pointers.accept[input]);
      grants[input] = 0;
      granted[input] = std::uint8_t(output);
      open &= ~(PortMask(1) << output);
      if (iteration == 0 || allocation_ == Allocation::round_robin) {
        pointers.grant[output] = std::uint8_t(round_robin_next(input, ports_));
        pointers.accept[input] = std::uint8_t(round_robin_next(output, ports_));
      }
    }
    matched |= offered;
  }
  return matched;
}

}  // namespace podsim::noc::router
