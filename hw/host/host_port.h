// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <systemc>
#include <vector>

#include "base/units.h"
#include "hw/host/batch_source.h"
#include "hw/host/host_carrier.h"
#include "hw/host/host_queues.h"
#include "hw/machine.h"
#include "hw/timing/hbm_stream.h"
#include "hw/trace.h"

namespace podsim::hw::host {

/// A chip's PCIe port as a module, with an infeed and an outfeed queue per core. The link moves one transfer at a time
/// in each direction, for bytes / pcie_rate; the data are at the other end pcie_latency later.
///
/// Infeed: the host prepares batches for each core ahead of the program, one every batch_interval, for all cores
/// concurrently. While a batch waits for the link, the next one is not begun. The link takes the prepared batch of the
/// core with the fewest batches queued or in flight, lowest core number first, if those are fewer than
/// infeed_queue_depth. With an interval of zero a batch is always ready and only the link limits. A batch may consist
/// of several transfers, which the host prepares together; the queue holds infeed_queue_depth batches of them. With
/// feed_from(), a batch is begun when the source has it.
///
/// Outfeed: a core puts data into its queue of outfeed_queue_depth transfers. A slot is free when the link has moved
/// its transfer. The link takes from the fullest queue, lowest core number first.
///
/// With a carrier (carry_by()), what the link carries also passes the chip's switch and banks: a transfer that comes in
/// is in its queue when it is in the HBM, and one that goes out has left when it has been read there.
///
/// DMA engines that access the host's memory (HostMemoryPort) share the link.
///
/// The latency includes the host bridge and the on-chip switch, which is thirty times faster than the link.
class HostPort : public sc_core::sc_module, public HostQueues {
 public:
  SC_HAS_PROCESS(HostPort);
  HostPort(sc_core::sc_module_name name, const parts::host::Parameters& host, std::int64_t cores, const Trace& trace);

  sc_core::sc_export<HostQueues> queues{"queues"};

  /// Batches come from this source from now on. Only before the simulation, and before prepare().
  void feed_from(BatchSource& source);
  /// Data of infeeds and outfeeds, and the cores' copies of them, are moved by this carrier from now on. Only before
  /// the simulation.
  void carry_by(HostCarrier& carrier) { carrier_ = &carrier; }
  /// Makes the host prepare batches for a core from now on, each of transfers of these sizes. An empty list stops it.
  /// Batches of the same sizes that are queued or on the link are taken; others that were prepared before are dropped.
  void prepare(int core, std::vector<base::Bytes> batch);
  bool batch_ready(int core) const override { return infeeds_[std::size_t(core)].ready > 0; }
  const sc_core::sc_event& batch_arrived(int core) const override { return infeeds_[std::size_t(core)].arrived; }
  void begin_copy(int core, base::Bytes bytes) override;
  bool copying(int core) const override { return copies_[std::size_t(core)].going_on > 0; }
  const sc_core::sc_event& copied(int core) const override { return copies_[std::size_t(core)].ended; }
  void consume(int core) override;
  /// Bytes fed in by the link so far, for all cores.
  base::Bytes transferred() const { return transferred_; }

  bool outfeed_room(int core) const override;
  const sc_core::sc_event& outfeed_freed(int core) const override { return outfeeds_[std::size_t(core)].freed; }
  void send(int core, base::Bytes bytes) override;
  /// Time at which the link is free in a direction: reads of the host's memory come in, writes go out.
  base::Time link_free_at(Direction direction) const { return link(direction).free_at; }
  /// Moves data of a DMA from or to the host's memory; the link must be free. Returns when they are at the other end.
  base::Time move(Direction direction, base::Bytes bytes);
  /// Bytes that the host has received so far from a core's outfeed queue.
  base::Bytes received(int core) const { return outfeeds_[std::size_t(core)].received; }

 private:
  struct Infeed {
    std::vector<base::Bytes> batch;         ///< sizes of its transfers
    std::size_t next = 0;                   ///< index of the next transfer
    std::int64_t number = 0;                ///< of the batch that it belongs to
    std::optional<base::Time> prepared_at;  ///< when the current transfer is prepared; it then waits for the link
    std::int64_t ready = 0;
    std::int64_t in_flight = 0;
    std::int64_t dropped = 0;  ///< transfers on the link that no program will take
    bool joined = false;       ///< the source knows the core
    sc_core::sc_event arrived;
    base::trace::Probe<std::int64_t> ready_probe;
  };
  struct Outfeed {
    std::deque<base::Bytes> queue;
    std::optional<base::Time> sent_at;  ///< when the link has moved the front transfer, if it is on the link
    base::Bytes received;
    sc_core::sc_event freed;
    base::trace::Probe<std::int64_t> waiting_probe;
  };
  struct Copies {
    std::int64_t going_on = 0;
    sc_core::sc_event ended;
  };
  struct Arrival {
    base::Time when;
    std::size_t core;
    base::Bytes bytes;
  };
  struct Link {
    base::Time free_at;
    bool carried = false;          ///< it waits for the carrier of its transfer
    std::deque<Arrival> arrivals;  ///< arrivals at the other end
    base::trace::Probe<std::string> state;
  };

  void work();
  void begin_preparing();
  void receive_batches();
  void receive_outfeeds();
  void free_outfeeds();
  void feed_in();
  void feed_out();
  void arrived(std::size_t core);
  void left(std::size_t core, base::Bytes bytes);
  base::Time occupy(Link& link, base::Bytes bytes);
  Link& link(Direction direction) { return direction == Direction::read ? in_ : out_; }
  const Link& link(Direction direction) const { return direction == Direction::read ? in_ : out_; }
  void show();
  void sleep();

  parts::host::Parameters host_;
  BatchSource* source_ = nullptr;
  HostCarrier* carrier_ = nullptr;
  std::deque<Infeed> infeeds_;
  std::deque<Outfeed> outfeeds_;
  std::deque<Copies> copies_;
  Link in_, out_;
  base::Bytes transferred_;
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw::host
