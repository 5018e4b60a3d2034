// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <systemc>
#include <vector>

#include "base/units.h"
#include "hw/hbm_stream.h"
#include "hw/machine.h"
#include "hw/trace.h"

namespace podsim::hw {

/// A chip's PCIe port as a module, with an infeed and an outfeed queue per core. The link moves one transfer at a time
/// in each direction, bytes / pcie_rate, and what it has moved is at the other end pcie_latency later.
///
/// Infeed: the host prepares batches for each core ahead of the program, one every batch_interval, all cores side by
/// side; while a batch waits for the link the next is not begun. The link takes the prepared batch of the core with the
/// fewest batches queued or on their way, the lowest number first, while it has fewer than infeed_queue_depth. With an
/// interval of zero a batch is always there and only the link limits. A batch may be several transfers, which the
/// host prepares together; the queue has room for so many batches of them.
///
/// Outfeed: a core puts data into its queue of outfeed_queue_depth transfers, whose place is free when the link has
/// moved them. The link takes from the fullest queue, the lowest number first.
///
/// DMA engines that reach for the host's memory (HostMemoryPort) use the same link.
///
/// The latency includes the host bridge and the on-chip switch, which is thirty times faster than the link.
class HostPort : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(HostPort);
  HostPort(sc_core::sc_module_name name, const HostParameters& host, std::int64_t cores, const Trace& trace);

  /// From now on the host prepares batches of transfers of these sizes for a core; none when there are none.
  void prepare(int core, std::vector<base::Bytes> batch);
  bool batch_ready(int core) const { return infeeds_[std::size_t(core)].ready > 0; }
  const sc_core::sc_event& batch_arrived(int core) const { return infeeds_[std::size_t(core)].arrived; }
  /// The core has copied a batch that was ready; its place is free.
  void consume(int core);
  /// Fed in by the link so far, all cores.
  base::Bytes transferred() const { return transferred_; }

  bool outfeed_room(int core) const;
  /// A place in a core's outfeed queue has become free.
  const sc_core::sc_event& outfeed_freed(int core) const { return outfeeds_[std::size_t(core)].freed; }
  /// A core has put data into its outfeed queue; only with room.
  void send(int core, base::Bytes bytes);
  /// When the link is free in a direction: reads of the host's memory come in, writes go out.
  base::Time link_free_at(Direction direction) const { return link(direction).free_at; }
  /// Moves data of a DMA from or to the host's memory, for which the link is free. When they are at the other end.
  base::Time move(Direction direction, base::Bytes bytes);
  /// What the host has received from a core's outfeed queue so far.
  base::Bytes received(int core) const { return outfeeds_[std::size_t(core)].received; }

 private:
  struct Infeed {
    std::vector<base::Bytes> batch;         ///< its transfers
    std::size_t next = 0;                   ///< of them
    std::optional<base::Time> prepared_at;  ///< of the transfer that is being prepared or waits for the link
    std::int64_t ready = 0;
    std::int64_t on_the_way = 0;
    sc_core::sc_event arrived;
    base::Probe<std::int64_t> ready_probe;
  };
  struct Outfeed {
    std::deque<base::Bytes> queue;
    std::optional<base::Time> sent_at;  ///< of the front one, if it is on the link
    base::Bytes received;
    sc_core::sc_event freed;
    base::Probe<std::int64_t> waiting_probe;
  };
  struct Arrival {
    base::Time when;
    std::size_t core;
    base::Bytes bytes;
  };
  struct Link {
    base::Time free_at;
    std::deque<Arrival> arrivals;  ///< at the other end
    base::Probe<std::string> state;
  };

  void work();
  void begin_preparing();
  void receive_batches();
  void receive_outfeeds();
  void free_outfeeds();
  void feed_in();
  void feed_out();
  base::Time occupy(Link& link, base::Bytes bytes);
  Link& link(Direction direction) { return direction == Direction::read ? in_ : out_; }
  const Link& link(Direction direction) const { return direction == Direction::read ? in_ : out_; }
  void show();
  void sleep();

  HostParameters host_;
  std::deque<Infeed> infeeds_;
  std::deque<Outfeed> outfeeds_;
  Link in_, out_;
  base::Bytes transferred_;
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw
