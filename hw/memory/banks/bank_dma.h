// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <deque>
#include <functional>
#include <tlm>

#include "hw/core_time.h"
#include "hw/memory/banks/copy_granules.h"
#include "hw/memory/banks/dma_request.h"
#include "hw/memory/banks/memory_path.h"
#include "hw/memory/stream_payload.h"
#include "hw/trace.h"

namespace podsim::hw::memory::banks {

/// The data mover of a core's DMA engine at bank level. It splits transfers into granules (CopyGranules), keeps at most
/// machine.dma.granules of them outstanding at the memories behind the on-chip switch, and completes a transfer when
/// the last of its granules has been answered. Granules and transfers may complete in any order.
///
///   from a memory to the core   a read of each granule
///   from the core to a memory   a write of each granule, done when it is acknowledged
///   from memory to memory       a read, and when its data have arrived a write; one granule outstanding for both
///
/// A memory is behind a port of the switch: an HBM half, another core, the host, or a link to another chip and a port
/// there. A transfer may increment a sync flag of another core; it then completes when that is acknowledged.
///
/// Transfers that begin with reads wait in one queue and those that begin with writes in another, each first come,
/// first served. While both have granules to send, they alternate.
///
/// Over from_engine it looks to a DmaEngine like an Hbm (protocol in stream_payload.h): such a transfer is between the
/// core and its own half, and starts so early that on an idle memory its data begin to move when the annotated delay is
/// over (MemoryPath).
class BankDma : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(BankDma);
  /// `own_memory` is the switch port of the core's half of the HBM.
  BankDma(sc_core::sc_module_name name, const Machine& machine, int own_memory, const Trace& trace);

  tlm_utils::passthrough_target_socket<BankDma> from_engine{"from_engine"};
  tlm_utils::simple_initiator_socket<BankDma> to_switch{"to_switch"};

  /// Starts a transfer with a port at one or both ends; its first granules leave at the current time.
  void start(const DmaCopy& transfer, std::uint64_t tag);
  /// Sets the function to call with the tag when a transfer given to start() is complete.
  void on_completion(std::function<void(std::uint64_t tag)> completed) { completed_ = std::move(completed); }
  /// Sets the function to call when a granule has moved, with its bytes and the time since its first request.
  void on_granule(std::function<void(base::Bytes bytes, base::Cycles latency)> moved) {
    granule_moved_ = std::move(moved);
  }

  /// Bytes of transfers of from_engine answered so far.
  base::Bytes moved(Direction direction) const { return moved_[std::size_t(direction)]; }

 private:
  struct Active {
    CopyGranules walk;
    DmaCopy transfer;
    base::Cycles start;
    std::uint64_t tag = 0;
    tlm::tlm_generic_payload* request = nullptr;  ///< payload of from_engine, else null
    std::int64_t outstanding = 0;
  };
  enum class Kind { read, write, flag };
  struct Request {
    std::size_t transfer = 0;
    Kind kind = Kind::read;
    Granule granule;
    base::Cycles begin;  ///< when the first request of the granule was sent
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
  std::array<std::deque<std::size_t>, 2> queues_;  ///< transfers with granules to send; 0: reads first, 1: writes first
  std::size_t turn_ = 0;
  std::deque<Request> follow_ups_;  ///< writes of granules read, and flags; sent before new granules
  DmaRequestPool pool_;
  std::vector<Request> sent_;  ///< indexed by DmaRequestPool::number()
  bool held_ = false;          ///< a request waits at the switch input
  std::int64_t outstanding_ = 0;
  base::Cycles busy_, busy_since_;  ///< time with granules outstanding
  std::array<base::Bytes, 2> moved_;
  sc_core::sc_event wake_;
  std::function<void(std::uint64_t)> completed_;
  std::function<void(base::Bytes, base::Cycles)> granule_moved_;
  base::trace::Probe<std::int64_t> outstanding_probe_;
};

}  // namespace podsim::hw::memory::banks
