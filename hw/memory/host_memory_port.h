// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <tlm>

#include "hw/host_port.h"
#include "hw/memory/answer_line.h"
#include "noc/timed_queue.h"

namespace podsim::hw {

/// The host's memory behind the on-chip switch and PCIe, for DMA engines of the chip. A request is taken when the link
/// is free in the direction of its data, which infeed and outfeed use as well, and holds the link for its data; it is
/// answered when they are at the other end.
class HostMemoryPort : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(HostMemoryPort);
  HostMemoryPort(sc_core::sc_module_name name, HostPort& host);

  tlm_utils::passthrough_target_socket<HostMemoryPort> from_switch{"from_switch"};

 private:
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void work();
  void take();

  HostPort& host_;
  tlm::tlm_generic_payload* held_ = nullptr;  ///< stands at the switch's output
  noc::TimedQueue<tlm::tlm_generic_payload*> moving_;
  AnswerLine answers_{from_switch};
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw
