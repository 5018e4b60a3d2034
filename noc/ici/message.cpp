// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/message.h"

namespace podsim::noc::ici {

tlm::tlm_generic_payload& PayloadPool::make(const Message& message) {
  if (free_.empty()) {
    slots_.emplace_back(this);
    free_.push_back(&slots_.back().payload);
  }
  tlm::tlm_generic_payload& payload = *free_.back();
  free_.pop_back();
  payload.acquire();
  payload.set_write();
  payload.set_data_length(unsigned(message.bytes.value()));
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  message_extension(payload).message = message;
  return payload;
}

}  // namespace podsim::noc::ici
