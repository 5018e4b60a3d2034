// SPDX-License-Identifier: Apache-2.0
#include "noc/on_chip_switch.h"

#include <fmt/format.h>

#include <cassert>

#include "noc/systemc_time.h"

namespace podsim::noc {

OnChipSwitch::OnChipSwitch(sc_core::sc_module_name name, const SwitchParameters& parameters, base::Frequency clock,
                           int ports)
    : sc_module(name), timing_(parameters, clock, ports) {
  for (int port = 0; port < ports; ++port) {
    in_.emplace_back(fmt::format("in_{}", port).c_str()).register_b_transport(this, &OnChipSwitch::transport, port);
    out_.emplace_back(fmt::format("out_{}", port).c_str());
  }
}

void OnChipSwitch::transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  auto* route = payload.get_extension<SwitchRoute>();
  assert(route != nullptr);
  SwitchPassage passage =
      timing_.pass(now() + from_sc_time(delay), port, route->destination, base::Bytes(payload.get_data_length()));
  delay = to_sc_time(passage.arrival - now());
  out_[route->destination]->b_transport(payload, delay);
}

}  // namespace podsim::noc
