// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "noc/on_chip_switch.h"

namespace podsim::hw {

/// A core's end of the on-chip switch: how data reach the chip's other cores and their HBM halves. Blocking transport
/// with annotated delay: a transfer is timed when it is sent.
class SwitchPort : public sc_core::sc_module {
 public:
  SwitchPort(sc_core::sc_module_name name, noc::OnChipSwitch& on_chip_switch, int port);

  tlm_utils::simple_initiator_socket<SwitchPort> to_switch{"to_switch"};
  tlm_utils::simple_target_socket<SwitchPort> from_switch{"from_switch"};

  /// Sends bytes to another port now; the simulated time at which the last of them arrives. Calls on all ports of a
  /// switch must come in the order of simulated time.
  base::Time send(int destination, base::Bytes bytes);
  base::Bytes received() const { return received_; }

 private:
  void receive(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  base::Bytes received_;
};

}  // namespace podsim::hw
