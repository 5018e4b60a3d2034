// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/bank_hbm.h"

#include <string>

namespace podsim::hw::memory::banks {

BankHbm::BankHbm(sc_core::sc_module_name name, const Machine& machine, DeviceMemory* contents, const Trace& trace)
    : sc_module(name), map_(machine.dram), capacity_(std::uint64_t(machine.hbm.capacity_per_core.value())) {
  from_masters.register_nb_transport_fw(this, &BankHbm::receive);
  MemoryReplies& replies = *this;
  for (int number = 0; number < int(machine.dram.organization.channels); ++number) {
    const std::string channel = "channel" + std::to_string(number);
    channels_.emplace_back(channel.c_str(), machine.dram, contents, replies, trace.below(channel));
  }
}

tlm::tlm_response_status BankHbm::check(const tlm::tlm_generic_payload& payload) const {
  const std::uint64_t address = payload.get_address(), length = payload.get_data_length();
  if (address >= capacity_ || length > capacity_ - address) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const bool words = payload.get_data_ptr() == nullptr || (address % 4 == 0 && length % 4 == 0);
  if (!words || !map_.in_one_unit(address, base::Bytes(std::int64_t(length)))) return tlm::TLM_BURST_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_sync_enum BankHbm::receive(int sender, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay) {
  const tlm::tlm_response_status status = check(payload);
  if (status != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(status);
    return tlm::TLM_COMPLETED;
  }
  return channel(map_.channel_of(payload.get_address())).receive(sender, payload, phase, delay);
}

void BankHbm::reply(int sender, tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  from_masters[sender]->nb_transport_bw(payload, phase, delay);
}

dram::BusShares BankHbm::shares() {
  dram::BusShares sum;
  for (HbmChannel& channel : channels_) sum += channel.controller().shares();
  return sum;
}

}  // namespace podsim::hw::memory::banks
