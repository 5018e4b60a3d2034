// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/host_memory_port.h"

#include <cassert>
#include <utility>

#include "base/systemc/systemc_time.h"

namespace podsim::hw::memory::banks {

HostMemoryPort::HostMemoryPort(sc_core::sc_module_name name, host::HostPort& host) : sc_module(name), host_(host) {
  from_switch.register_nb_transport_fw(this, &HostMemoryPort::receive);
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

tlm::tlm_sync_enum HostMemoryPort::receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time&) {
  if (phase == tlm::END_RESP) {
    answers_.taken();
    return tlm::TLM_COMPLETED;
  }
  assert(phase == tlm::BEGIN_REQ && held_ == nullptr);
  held_ = &payload;
  wake_.notify(sc_core::SC_ZERO_TIME);
  return tlm::TLM_ACCEPTED;
}

void HostMemoryPort::work() {
  while (!moving_.empty() && moving_.top().when <= base::systemc::now()) {
    tlm::tlm_generic_payload& payload = *moving_.pop().value;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    answers_.push(payload);
  }
  take();
  if (!moving_.empty()) wake_.notify(base::systemc::to_sc_time(moving_.top().when - base::systemc::now()));
}

/// Accepts the waiting request if the link is free. Its END_REQ may bring the next request at once.
void HostMemoryPort::take() {
  if (held_ == nullptr) return;
  const Direction direction = held_->is_read() ? Direction::read : Direction::write;
  if (const base::Time free_at = host_.link_free_at(direction); free_at > base::systemc::now()) {
    wake_.notify(base::systemc::to_sc_time(free_at - base::systemc::now()));
    return;
  }
  tlm::tlm_generic_payload& payload = *std::exchange(held_, nullptr);
  moving_.push(host_.move(direction, base::Bytes(payload.get_data_length())), 0, &payload);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  from_switch->nb_transport_bw(payload, phase, delay);
}

}  // namespace podsim::hw::memory::banks
