// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <tlm>
#include <vector>

#include "hw/core_time.h"
#include "hw/machine.h"
#include "hw/memory/banks/copy_granules.h"
#include "hw/memory/banks/dma_request.h"
#include "hw/trace.h"

namespace podsim::hw::memory::banks {

/// A data mover at a port of the on-chip switch. It splits transfers into granules (CopyGranules), keeps at most
/// machine.dma.granules of them outstanding at the memories behind the switch, and completes a transfer when the last
/// of its granules has been answered. Granules and transfers may complete in any order.
///
///   from a memory to its own unit   a read of each granule
///   from its own unit to a memory   a write of each granule, done when it is acknowledged
///   from memory to memory           a read, and when its data have arrived a write; one granule outstanding for both
///
/// A memory is behind a port of the switch: an HBM half, a core, the host, or a link to another chip and a port there.
/// A transfer may increment a sync flag of another core; it then completes when that is acknowledged.
///
/// Transfers wait in queues, first come, first served: by who asks for them (the unit's own engine, see BankDma, or
/// others), by whether they begin with reads or with writes, and by the port of the memory that they read or write
/// first. Engine and others take turns while both have granules to send, and so do the queues of each, so that no
/// transfer waits for the end of a long one of another kind or at another memory.
class CopyDma : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CopyDma);
  CopyDma(sc_core::sc_module_name name, const Machine& machine, const Trace& trace);

  tlm_utils::simple_initiator_socket<CopyDma> to_switch{"to_switch"};

  /// Starts a transfer with a port at one or both ends; its first granules leave at the current time.
  void start(const DmaCopy& transfer, std::uint64_t tag);
  /// Sets the function to call with the tag when a transfer given to start() is complete.
  void on_completion(std::function<void(std::uint64_t tag)> completed) { completed_ = std::move(completed); }
  /// Sets the function to call when a granule has moved, with its bytes and the time since its first request.
  void on_granule(std::function<void(base::Bytes bytes, base::Cycles latency)> moved) {
    granule_moved_ = std::move(moved);
  }

 protected:
  /// Who asks for a transfer.
  enum class Origin { engine, other };

  /// Starts a transfer whose first granules leave at `start`, not before now.
  void enqueue(Origin origin, const DmaCopy& transfer, base::Cycles start, std::uint64_t tag);
  /// A transfer of the engine is complete.
  virtual void engine_completed(std::uint64_t /*tag*/) {}
  const CoreTime& time() const { return time_; }
  /// Time with granules outstanding.
  base::Cycles busy() const;

 private:
  struct Active {
    CopyGranules walk;
    DmaCopy transfer;
    base::Cycles start;
    Origin origin = Origin::other;
    std::uint64_t tag = 0;
    std::int64_t outstanding = 0;
  };
  enum class Kind { read, write, flag };
  struct Request {
    std::size_t transfer = 0;
    Kind kind = Kind::read;
    Granule granule;
    base::Cycles begin;  ///< when the first request of the granule was sent
  };
  struct QueueKey {
    Kind kind = Kind::read;
    int port = 0;
    auto operator<=>(const QueueKey&) const = default;
  };
  using Queue = std::deque<std::size_t>;  ///< transfers with granules to send
  struct Queues {
    std::map<QueueKey, Queue> queues;
    QueueKey last;  ///< whose granule was sent last
  };

  tlm::tlm_sync_enum from_switch(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  void work();
  bool send_next();
  Queue* next_queue();
  Queue* next_queue(Queues& of);
  void send(const Request& request);
  tlm::tlm_generic_payload& payload_for(const Request& request);
  void answered(const Request& request);
  void finish(std::size_t transfer);
  void complete(std::size_t transfer);
  void count(std::int64_t change);
  void sleep();

  CoreTime time_;
  base::Bytes unit_;
  std::int64_t limit_;
  std::deque<Active> transfers_;
  std::vector<std::size_t> free_transfers_;
  std::array<Queues, 2> queues_;    ///< by Origin
  std::size_t turn_ = 0;            ///< the origin that sends first
  std::deque<Request> follow_ups_;  ///< writes of granules read, and flags; sent before new granules
  DmaRequestPool pool_;
  std::vector<Request> sent_;  ///< indexed by DmaRequestPool::number()
  bool held_ = false;          ///< a request waits at the switch input
  std::int64_t outstanding_ = 0;
  base::Cycles busy_, busy_since_;  ///< time with granules outstanding
  sc_core::sc_event wake_;
  std::function<void(std::uint64_t)> completed_;
  std::function<void(base::Bytes, base::Cycles)> granule_moved_;
  base::trace::Probe<std::int64_t> outstanding_probe_;
};

}  // namespace podsim::hw::memory::banks
