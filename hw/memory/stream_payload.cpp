// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/stream_payload.h"

namespace podsim::hw::memory {

tlm::tlm_generic_payload& StreamPayloadPool::make(Direction direction, const AccessPattern& pattern,
                                                  std::uint64_t tag) {
  if (free_.empty()) free_.push_back(&slots_.emplace_back(this).payload);
  tlm::tlm_generic_payload& payload = *free_.back();
  free_.pop_back();
  payload.acquire();
  payload.set_command(direction == Direction::read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  payload.set_address(pattern.base);
  payload.set_data_length(unsigned(pattern.bytes().value()));
  payload.set_streaming_width(unsigned(pattern.bytes().value()));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  StreamExtension& extension = stream_extension(payload);
  extension.direction = direction;
  extension.bytes = pattern.bytes();
  extension.pattern = pattern;
  extension.tag = tag;
  return payload;
}

}  // namespace podsim::hw::memory
