// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/timed_queue.h"
#include "hw/core_time.h"
#include "hw/memory/device_memory.h"
#include "hw/memory/dram/channel_controller.h"
#include "hw/memory/dram/channel_trace.h"

namespace podsim::hw::memory::banks {

/// Receives the phases that a channel sends on the backward path.
class MemoryReplies {
 public:
  virtual ~MemoryReplies() = default;
  /// Sends `phase` to sender number `sender`.
  virtual void reply(int sender, tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) = 0;
};

/// One channel as a module (protocol in memory_payload.h): a ChannelController behind queues of reads and of writes for
/// which it has no room. Its one process wakes when a request completes and, while requests wait, when there may be
/// room.
///
/// With a trace, it shows the channel (ChannelTrace) and wakes at every command. A command appears at the end of its
/// clock, when it is decided, and everything else is shown late by the same amount. A channel without requests stays
/// asleep: its refreshes appear, all at once, when the next request comes.
class HbmChannel : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(HbmChannel);
  /// `contents` may be null if no request carries data.
  HbmChannel(sc_core::sc_module_name name, const parts::hbm::DramParameters& parameters, DeviceMemory* contents,
             MemoryReplies& replies, const Trace& trace);

  /// Receives a BEGIN_REQ for this channel.
  tlm::tlm_sync_enum receive(int sender, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             const sc_core::sc_time& delay);
  /// The controller, advanced to the current time.
  const dram::ChannelController& controller();

 private:
  struct Transfer {
    int sender = 0;
    tlm::tlm_generic_payload* payload = nullptr;
  };

  using Line = base::TimedQueue<Transfer>;

  struct Shown {
    dram::PendingChanges changes;
    dram::ChannelTrace trace;
    Shown(const dram::ChannelController& controller, const parts::hbm::DramParameters& parameters, const Trace& at)
        : trace(controller, parameters, at, changes) {}
  };

  dram::MemoryRequest request_of(const Transfer& transfer, std::uint64_t tag) const;
  void advance(base::Cycles clock);
  void accept(const Transfer& transfer);
  void move_data(tlm::tlm_generic_payload& payload);
  void work();
  void respond();
  void admit(Line& line);
  static bool head_is_due(const Line& line);
  void show(base::Cycles until);
  void sleep();

  CoreTime time_;  ///< in clocks of the memory
  dram::ChannelController controller_;
  DeviceMemory* contents_;
  MemoryReplies& replies_;
  std::array<Line, 2> lines_;        ///< requests without room in the controller, by direction
  std::vector<Transfer> transfers_;  ///< accepted transfers; the index is the tag of the controller's request
  std::vector<std::uint64_t> free_;
  std::vector<dram::MemoryCompletion> completed_;
  std::unique_ptr<Shown> shown_;  ///< only with a trace
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw::memory::banks
