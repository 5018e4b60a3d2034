// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <tlm>

#include "base/timed_queue.h"
#include "hw/host/host_port.h"
#include "hw/memory/banks/response_queue.h"

namespace podsim::hw::memory::banks {

/// The host's memory behind the on-chip switch and PCIe, for DMA engines of the chip. A request is accepted when the
/// PCIe link is free in the direction of its data, occupies the link for its data, and is answered when they have
/// arrived. Infeed and outfeed share the link.
class HostMemoryPort : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(HostMemoryPort);
  HostMemoryPort(sc_core::sc_module_name name, host::HostPort& host);

  tlm_utils::passthrough_target_socket<HostMemoryPort> from_switch{"from_switch"};

 private:
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void work();
  void take();

  host::HostPort& host_;
  tlm::tlm_generic_payload* held_ = nullptr;  ///< request that waits at the switch output
  base::TimedQueue<tlm::tlm_generic_payload*> moving_;
  ResponseQueue answers_{from_switch};
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw::memory::banks
