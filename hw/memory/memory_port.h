// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <tlm>
#include <vector>

#include "hw/memory/answer_line.h"
#include "hw/memory/bank_hbm.h"

namespace podsim::hw {

/// An HBM half's end of the on-chip switch. It takes requests as they come out of the switch into a line per channel of
/// the memory, at most `depth` long; while a line is full, the request that wants into it stands at the switch's output
/// and everything behind it waits. Answers go back as the switch takes them, in the order in which they come.
class MemoryPort : public sc_core::sc_module {
 public:
  /// `memory` is bound by the constructor.
  MemoryPort(sc_core::sc_module_name name, BankHbm& memory, std::int64_t depth);

  tlm_utils::passthrough_target_socket<MemoryPort> from_switch{"from_switch"};
  tlm_utils::simple_initiator_socket<MemoryPort> to_memory{"to_memory"};

 private:
  struct Line {
    std::deque<tlm::tlm_generic_payload*> waiting;
    bool asking = false;  ///< the channel has a request that it has not taken
  };

  tlm::tlm_sync_enum from_switch_forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay);
  tlm::tlm_sync_enum from_memory(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  Line& line_of(const tlm::tlm_generic_payload& payload);
  void forward(Line& line);
  void admit();

  const AddressMap& map_;
  std::size_t depth_;
  std::vector<Line> lines_;
  tlm::tlm_generic_payload* held_ = nullptr;  ///< stands at the switch's output
  AnswerLine answers_{from_switch};
};

}  // namespace podsim::hw
