// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/bundle/device_memory.h"
#include "hw/core_time.h"
#include "hw/memory/channel_controller.h"
#include "hw/memory/channel_trace.h"
#include "noc/timed_queue.h"

namespace podsim::hw {

/// Where a channel sends phases of the backward path.
class MemoryReplies {
 public:
  virtual ~MemoryReplies() = default;
  /// To the sender with this number.
  virtual void reply(int sender, tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) = 0;
};

/// One channel as a module (protocol in memory_payload.h): ChannelController behind a line of requests that it has no
/// room for. One process, woken when something completes or, while a request stands in line, when there may be room.
///
/// A trace shows the channel (ChannelTrace), every command at the end of its clock, when it is decided, and all else as
/// much later; it wakes the process at every command. A channel without requests is left alone: its refreshes appear,
/// all at once, when there is a request again.
class HbmChannel : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(HbmChannel);
  /// `contents` may be null when no request carries data.
  HbmChannel(sc_core::sc_module_name name, const DramParameters& parameters, DeviceMemory* contents,
             MemoryReplies& replies, const Trace& trace);

  /// A BEGIN_REQ for this channel.
  tlm::tlm_sync_enum receive(int sender, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             const sc_core::sc_time& delay);
  /// Moved to the present.
  const ChannelController& controller();

 private:
  struct Transfer {
    int sender = 0;
    tlm::tlm_generic_payload* payload = nullptr;
  };

  struct Shown {
    PendingChanges changes;
    ChannelTrace trace;
    Shown(const ChannelController& controller, const DramParameters& parameters, const Trace& at)
        : trace(controller, parameters, at, changes) {}
  };

  MemoryRequest request_of(const Transfer& transfer, std::uint64_t tag) const;
  void advance(base::Cycles clock);
  void accept(const Transfer& transfer);
  void move_data(tlm::tlm_generic_payload& payload);
  void work();
  void respond();
  void admit();
  bool head_is_due() const;
  void show(base::Cycles until);
  void sleep();

  CoreTime time_;  ///< of the memory's clock
  ChannelController controller_;
  DeviceMemory* contents_;
  MemoryReplies& replies_;
  noc::TimedQueue<Transfer> line_;
  std::vector<Transfer> transfers_;  ///< accepted; the index is the controller's tag
  std::vector<std::uint64_t> free_;
  std::vector<MemoryCompletion> completed_;
  std::unique_ptr<Shown> shown_;  ///< only when someone looks
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw
