// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <deque>
#include <functional>
#include <tlm>

#include "hw/core_time.h"
#include "hw/memory/dma_request.h"
#include "hw/memory/granule_walk.h"
#include "hw/memory/memory_path.h"
#include "hw/stream_payload.h"
#include "hw/trace.h"

namespace podsim::hw {

/// The part of a core's DMA engine that moves data at bank level: it cuts transfers into granules (GranuleWalk), has at
/// most machine.dma.granules of them outstanding at the memories behind the on-chip switch, and completes a transfer
/// when the last of its granules has been answered, in whatever order they and the transfers come back.
///
///   from a memory to the core   a read of each granule
///   from the core to a memory   a write of each granule, done when it is acknowledged
///   from memory to memory       a read, and when its data are here the write; one granule outstanding all the while
///
/// A memory is behind a port of the switch: an HBM half, another core, the host, or a link to another chip and a port
/// there. A transfer may raise a flag of another core; it is complete when that is acknowledged.
///
/// Transfers that begin with reads and transfers that begin with writes stand in a queue each, first come, first
/// served; while both have granules to send they alternate.
///
/// Over from_engine it is to a DmaEngine what an Hbm is (protocol in stream_payload.h): a transfer between the core and
/// its own half, started so that its data begin to move when the annotated delay is over on an idle memory
/// (MemoryPath).
class GranuleDma : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(GranuleDma);
  /// `own_memory`: the port of the core's half of the HBM.
  GranuleDma(sc_core::sc_module_name name, const Machine& machine, int own_memory, const Trace& trace);

  tlm_utils::passthrough_target_socket<GranuleDma> from_engine{"from_engine"};
  tlm_utils::simple_initiator_socket<GranuleDma> to_switch{"to_switch"};

  /// The first granules of a transfer, which has a port at one end or both, leave from the present on.
  void start(const DmaCopy& transfer, std::uint64_t tag);
  /// Called with the tag when a transfer given to start() is complete.
  void on_completion(std::function<void(std::uint64_t tag)> completed) { completed_ = std::move(completed); }

  /// Answered so far for from_engine.
  base::Bytes moved(Direction direction) const { return moved_[std::size_t(direction)]; }

 private:
  struct Active {
    GranuleWalk walk;
    DmaCopy transfer;
    base::Cycles start;
    std::uint64_t tag = 0;
    tlm::tlm_generic_payload* request = nullptr;  ///< of from_engine
    std::int64_t outstanding = 0;
  };
  enum class Kind { read, write, flag };
  struct Request {
    std::size_t transfer = 0;
    Kind kind = Kind::read;
    Granule granule;
  };

  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum from_switch(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  void enqueue(const Active& active);
  void work();
  bool send_next();
  std::deque<std::size_t>* next_queue();
  void send(const Request& request);
  tlm::tlm_generic_payload& payload_for(const Request& request);
  void answered(const Request& request);
  void finish(std::size_t transfer);
  void complete(std::size_t transfer);
  void respond(const Active& active);
  void count(std::int64_t change);
  void sleep();

  CoreTime time_;
  MemoryPath path_;
  base::Bytes unit_;
  std::int64_t limit_;
  int own_memory_;
  std::deque<Active> transfers_;
  std::vector<std::size_t> free_transfers_;
  std::array<std::deque<std::size_t>, 2> queues_;  ///< transfers with granules to send: reads first, writes first
  std::size_t turn_ = 0;
  std::deque<Request> follow_ups_;  ///< of granules and transfers under way; they go first
  DmaRequestPool pool_;
  std::vector<Request> sent_;  ///< by DmaRequestPool::number
  bool held_ = false;          ///< a request stands in front of the switch
  std::int64_t outstanding_ = 0;
  base::Cycles busy_, busy_since_;  ///< with granules outstanding
  std::array<base::Bytes, 2> moved_;
  sc_core::sc_event wake_;
  std::function<void(std::uint64_t)> completed_;
  base::Probe<std::int64_t> outstanding_probe_;
};

}  // namespace podsim::hw
