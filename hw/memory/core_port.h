// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <deque>
#include <functional>
#include <tlm>

#include "hw/memory/answer_line.h"
#include "hw/memory/dma_request.h"

namespace podsim::hw {

/// A core's end of the on-chip switch as others' DMA engines see it: its VMEM, SMEM and instruction memory, and its
/// sync flags. What comes out of the switch is answered at once: the memories are as fast as the port.
class CorePort : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CorePort);
  explicit CorePort(sc_core::sc_module_name name);

  tlm_utils::passthrough_target_socket<CorePort> from_switch{"from_switch"};

  /// Called when another core's DMA raises one of this core's flags.
  void on_flag(std::function<void(std::size_t flag)> raised) { raised_ = std::move(raised); }
  /// From and to this core's memories on behalf of others, so far.
  base::Bytes served() const { return served_; }

 private:
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void serve();

  std::deque<tlm::tlm_generic_payload*> requests_;
  AnswerLine answers_{from_switch};
  std::function<void(std::size_t)> raised_;
  base::Bytes served_;
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw
