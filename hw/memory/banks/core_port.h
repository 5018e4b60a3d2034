// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <deque>
#include <functional>
#include <tlm>

#include "hw/memory/banks/dma_request.h"
#include "hw/memory/banks/response_queue.h"

namespace podsim::hw::memory::banks {

/// A core's port of the on-chip switch, for requests of other units' DMA engines: the core's VMEM, SMEM, instruction
/// memory and sync flags. Requests are answered as soon as they leave the switch, since the memories are as fast as the
/// port.
class CorePort : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CorePort);
  explicit CorePort(sc_core::sc_module_name name);

  tlm_utils::passthrough_target_socket<CorePort> from_switch{"from_switch"};

  /// Sets the function to call when another core's DMA raises one of this core's flags.
  void on_flag(std::function<void(std::size_t flag)> raised) { raised_ = std::move(raised); }
  /// Bytes moved so far between this core's memories and other units.
  base::Bytes served() const { return served_; }

 private:
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void serve();

  std::deque<tlm::tlm_generic_payload*> requests_;
  ResponseQueue answers_{from_switch};
  std::function<void(std::size_t)> raised_;
  base::Bytes served_;
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw::memory::banks
