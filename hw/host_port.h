// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <systemc>

#include "base/units.h"
#include "hw/machine.h"
#include "hw/trace.h"

namespace podsim::hw {

/// A chip's PCIe port as a module: the host fills an infeed queue per core ahead of the program.
///
///   a transfer takes bytes / pcie_rate of the link, which the chip's cores share one batch at a time, and the batch is
///   in its core's queue pcie_latency later; the next transfer goes to the core with the fewest batches queued or on
///   their way, the lowest number first, while one has fewer than infeed_queue_depth.
///
/// The host is taken to have batches ready: it never holds up the link. The latency includes the host bridge and the
/// on-chip switch, which is thirty times faster than the link.
class HostPort : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(HostPort);
  HostPort(sc_core::sc_module_name name, const HostParameters& host, std::int64_t cores, const Trace& trace);

  /// From now on the host prepares batches of this size for a core; none at zero bytes.
  void prepare(int core, base::Bytes batch);
  bool batch_ready(int core) const { return queues_[std::size_t(core)].ready > 0; }
  const sc_core::sc_event& batch_arrived(int core) const { return queues_[std::size_t(core)].arrived; }
  /// The core has copied a batch that was ready; its place is free.
  void consume(int core);
  base::Bytes transferred() const { return transferred_; }

 private:
  struct Queue {
    base::Bytes batch;
    std::int64_t ready = 0;
    std::int64_t on_the_way = 0;
    sc_core::sc_event arrived;
    base::Probe<std::int64_t> ready_probe;
  };
  struct Arrival {
    base::Time when;
    std::size_t core;
  };

  void work();
  std::optional<std::size_t> next_to_fill() const;
  void begin_transfer(std::size_t core);
  void sleep();

  HostParameters host_;
  std::deque<Queue> queues_;
  std::deque<Arrival> arrivals_;
  base::Time link_free_at_;
  base::Bytes transferred_;
  sc_core::sc_event wake_;
  base::Probe<std::string> state_;
};

}  // namespace podsim::hw
