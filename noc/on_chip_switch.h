// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <systemc>
#include <tlm>

#include "noc/switch_timing.h"

/// The on-chip switch as a module: what enters a port leaves at the port its SwitchRoute names, delayed by the
/// occupancy of both ports and the crossing (SwitchTiming). Blocking transport with annotated delay, safe in an
/// SC_METHOD: ports are taken in the order of the calls, so callers must not run ahead of each other in simulated time.
///
/// Each unit binds its initiator socket to in(port) and its target socket to out(port).
namespace podsim::noc {

/// Where a payload leaves the switch.
class SwitchRoute : public tlm::tlm_extension<SwitchRoute> {
 public:
  explicit SwitchRoute(int port = 0) : destination(port) {}
  tlm::tlm_extension_base* clone() const override { return new SwitchRoute(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const SwitchRoute&>(other); }
  int destination;
};

class OnChipSwitch : public sc_core::sc_module {
 public:
  using TargetSocket = tlm_utils::passthrough_target_socket_tagged<OnChipSwitch>;
  using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged<OnChipSwitch>;

  OnChipSwitch(sc_core::sc_module_name name, const SwitchParameters& parameters, base::Frequency clock, int ports);

  TargetSocket& in(int port) { return in_[port]; }
  InitiatorSocket& out(int port) { return out_[port]; }

 private:
  void transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  SwitchTiming timing_;
  std::deque<TargetSocket> in_;
  std::deque<InitiatorSocket> out_;
};

}  // namespace podsim::noc
