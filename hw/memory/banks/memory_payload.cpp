// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/memory_payload.h"

namespace podsim::hw::memory::banks {

tlm::tlm_generic_payload& MemoryPayloadPool::make(const dram::MemoryRequest& request, std::uint32_t* words) {
  if (free_.empty()) free_.push_back(&slots_.emplace_back(this).payload);
  tlm::tlm_generic_payload& payload = *free_.back();
  free_.pop_back();
  payload.acquire();
  payload.set_command(request.direction == Direction::read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  payload.set_address(request.address);
  payload.set_data_length(unsigned(request.bytes.value()));
  payload.set_streaming_width(unsigned(request.bytes.value()));
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(words));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  memory_extension(payload).tag = request.tag;
  return payload;
}

}  // namespace podsim::hw::memory::banks
