// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <deque>
#include <tlm>

#include "hw/machine.h"
#include "hw/memory/banks/hbm_channel.h"
#include "hw/memory/banks/memory_payload.h"
#include "hw/trace.h"

namespace podsim::hw::memory::banks {

/// One core's half of the HBM at bank level, as a module: its channels behind one socket to which any number of senders
/// binds (protocol in memory_payload.h).
class BankHbm : public sc_core::sc_module, private MemoryReplies {
 public:
  /// `contents` holds the data of the half; may be null if no request carries data.
  BankHbm(sc_core::sc_module_name name, const Machine& machine, DeviceMemory* contents, const Trace& trace);

  tlm_utils::multi_passthrough_target_socket<BankHbm> from_masters{"from_masters"};

  const dram::AddressMap& map() const { return map_; }
  /// Sum over all channels and pseudo-channels, up to the current time.
  dram::BusShares shares();
  HbmChannel& channel(int number) { return channels_[std::size_t(number)]; }
  int channels() const { return int(channels_.size()); }

 private:
  tlm::tlm_sync_enum receive(int sender, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const;
  void reply(int sender, tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) override;

  dram::AddressMap map_;
  std::uint64_t capacity_;
  std::deque<HbmChannel> channels_;
};

}  // namespace podsim::hw::memory::banks
