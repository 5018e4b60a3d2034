// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/message_payload.h"

namespace podsim::noc::ici {

tlm::tlm_generic_payload& PayloadPool::make(const Message& message) {
  if (free_.empty()) free_.push_back(&slots_.emplace_back(this));
  MessagePayload& payload = *free_.back();
  free_.pop_back();
  payload.acquire();
  payload.set_data_length(unsigned(message.bytes.value()));
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  payload.extension.message = message;
  return payload;
}

}  // namespace podsim::noc::ici
