// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/dma_request.h"

namespace podsim::hw::memory::banks {

DmaRequestPool::Slot::Slot(DmaRequestPool* pool) : payload(pool) {
  payload.set_extension(&memory);
  payload.set_extension(&route);
  payload.set_extension(&request);
}

DmaRequestPool::Slot::~Slot() {
  payload.clear_extension(&memory);
  payload.clear_extension(&route);
  payload.clear_extension(&request);
}

tlm::tlm_generic_payload& DmaRequestPool::make(tlm::tlm_command command, const DmaPort& port, std::uint64_t address,
                                               base::Bytes bytes, std::optional<std::size_t> flag) {
  if (free_.empty()) {
    Slot& slot = slots_.emplace_back(this);
    slot.memory.tag = slots_.size() - 1;
    free_.push_back(&slot.payload);
  }
  tlm::tlm_generic_payload& payload = *free_.back();
  free_.pop_back();
  payload.acquire();
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_length(unsigned(bytes.value()));
  payload.set_streaming_width(unsigned(bytes.value()));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload.get_extension<noc::chip_switch::SwitchRoute>()->destination = port.number;
  DmaRequestExtension& request = dma_request(payload);
  request.far = port.far;
  request.flag = flag;
  return payload;
}

}  // namespace podsim::hw::memory::banks
