// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <tlm>
#include <vector>

#include "hw/memory/banks/bank_hbm.h"
#include "hw/memory/banks/response_queue.h"

namespace podsim::hw::memory::banks {

/// Connects an HBM half to the on-chip switch. Requests that leave the switch wait in a queue of reads and one of
/// writes per channel of the memory, at most `depth` in each; reads and writes do not keep their order. While the queue
/// of a request is full, the request waits at the switch output and blocks those behind it. Answers enter the switch in
/// the order in which they come.
class MemoryPort : public sc_core::sc_module {
 public:
  /// The constructor binds to_memory to `memory`.
  MemoryPort(sc_core::sc_module_name name, BankHbm& memory, std::int64_t depth);

  tlm_utils::passthrough_target_socket<MemoryPort> from_switch{"from_switch"};
  tlm_utils::simple_initiator_socket<MemoryPort> to_memory{"to_memory"};

 private:
  struct Line {
    std::deque<tlm::tlm_generic_payload*> waiting;
    bool asking = false;  ///< a request awaits the channel's END_REQ
  };

  tlm::tlm_sync_enum from_switch_forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay);
  tlm::tlm_sync_enum from_memory(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  Line& line_of(const tlm::tlm_generic_payload& payload);
  void forward(Line& line);
  void admit();

  const dram::AddressMap& map_;
  std::size_t depth_;
  std::vector<Line> lines_;                   ///< by channel; of each, reads before writes
  tlm::tlm_generic_payload* held_ = nullptr;  ///< request that waits at the switch output
  ResponseQueue answers_{from_switch};
};

}  // namespace podsim::hw::memory::banks
