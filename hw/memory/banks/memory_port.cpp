// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/memory_port.h"

#include <cassert>
#include <utility>

namespace podsim::hw::memory::banks {

MemoryPort::MemoryPort(sc_core::sc_module_name name, BankHbm& memory, std::int64_t depth)
    : sc_module(name), map_(memory.map()), depth_(std::size_t(depth)), lines_(2 * std::size_t(memory.channels())) {
  from_switch.register_nb_transport_fw(this, &MemoryPort::from_switch_forward);
  to_memory.register_nb_transport_bw(this, &MemoryPort::from_memory);
  to_memory.bind(memory.from_masters);
}

MemoryPort::Line& MemoryPort::line_of(const tlm::tlm_generic_payload& payload) {
  return lines_[2 * std::size_t(map_.channel_of(payload.get_address())) + (payload.is_read() ? 0 : 1)];
}

tlm::tlm_sync_enum MemoryPort::from_switch_forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                   sc_core::sc_time&) {
  if (phase == tlm::END_RESP) {
    answers_.taken();
    return tlm::TLM_COMPLETED;
  }
  assert(phase == tlm::BEGIN_REQ && held_ == nullptr);
  Line& line = line_of(payload);
  if (line.waiting.size() == depth_) {
    held_ = &payload;
    return tlm::TLM_ACCEPTED;
  }
  line.waiting.push_back(&payload);
  forward(line);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum MemoryPort::from_memory(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time&) {
  if (phase == tlm::BEGIN_RESP) {
    answers_.push(payload);
    return tlm::TLM_COMPLETED;
  }
  assert(phase == tlm::END_REQ);
  Line& line = line_of(payload);
  line.asking = false;
  forward(line);
  admit();
  return tlm::TLM_ACCEPTED;
}

/// Passes requests to the channel until it withholds END_REQ.
void MemoryPort::forward(Line& line) {
  while (!line.asking && !line.waiting.empty()) {
    tlm::tlm_generic_payload& payload = *line.waiting.front();
    line.waiting.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const auto status = to_memory->nb_transport_fw(payload, phase, delay);
    assert(status != tlm::TLM_COMPLETED && "a request that the memory refuses");
    line.asking = status == tlm::TLM_ACCEPTED;
  }
}

void MemoryPort::admit() {
  if (held_ == nullptr || line_of(*held_).waiting.size() == depth_) return;
  tlm::tlm_generic_payload& payload = *std::exchange(held_, nullptr);
  Line& line = line_of(payload);
  line.waiting.push_back(&payload);
  forward(line);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  from_switch->nb_transport_bw(payload, phase, delay);
}

}  // namespace podsim::hw::memory::banks
