// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/core_port.h"

#include <cassert>

namespace podsim::hw::memory::banks {

CorePort::CorePort(sc_core::sc_module_name name) : sc_module(name) {
  from_switch.register_nb_transport_fw(this, &CorePort::receive);
  SC_METHOD(serve);
  sensitive << wake_;
  dont_initialize();
}

tlm::tlm_sync_enum CorePort::receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == tlm::END_RESP) {
    answers_.taken();
    return tlm::TLM_COMPLETED;
  }
  assert(phase == tlm::BEGIN_REQ);
  requests_.push_back(&payload);
  wake_.notify(sc_core::SC_ZERO_TIME);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void CorePort::serve() {
  for (; !requests_.empty(); requests_.pop_front()) {
    tlm::tlm_generic_payload& payload = *requests_.front();
    served_ += base::Bytes(payload.get_data_length());
    if (const auto& flag = dma_request(payload).flag; flag && raised_) raised_(*flag);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    answers_.push(payload);
  }
}

}  // namespace podsim::hw::memory::banks
