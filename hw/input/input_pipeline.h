// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <systemc>
#include <vector>

#include "base/units.h"
#include "hw/input/service_times.h"
#include "hw/input/stage.h"
#include "hw/trace.h"

namespace podsim::hw::input {

/// The input pipeline of one host as a module: stages in a row with finite queues between them, fed by a source that
/// never runs out. A stage works on one batch at a time. If the queue behind it is full when it is done, it keeps the
/// batch until a slot is free (blocking after service). Batches keep their order.
class InputPipeline : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(InputPipeline);
  /// `prepared` is the number of batches that wait behind the last stage.
  InputPipeline(sc_core::sc_module_name name, const std::vector<Stage>& stages, std::int64_t prepared,
                std::uint64_t seed, std::int64_t host, const Trace& trace);

  /// Batches that have left the last stage so far.
  std::int64_t prepared() const { return left_; }
  const sc_core::sc_event& batch_prepared() const { return batch_prepared_; }
  bool empty() const { return ready_.empty(); }
  /// Takes the batch that has been ready longest, and returns its number.
  std::int64_t take();
  /// Time that a stage has worked on batches that it has finished.
  base::Time busy(std::size_t stage) const { return servers_[stage].busy; }

 private:
  struct Server {
    Server(const Stage& stage, std::uint64_t seed, std::int64_t host, std::size_t position, const Trace& trace);
    ServiceTimes times;
    std::int64_t depth;
    std::deque<std::int64_t> waiting;   ///< numbers of the batches in front of it
    std::optional<std::int64_t> batch;  ///< that it has
    base::Time started, done_at;
    base::Time busy;
    base::trace::Probe<std::string> state;
    base::trace::Probe<std::int64_t> queue;
  };

  void work();
  /// Moves batches on and starts stages. Returns whether anything moved.
  bool step(std::size_t stage);
  bool room_behind(std::size_t stage) const;
  void show();

  std::vector<Server> servers_;
  std::int64_t max_ready_;
  std::deque<std::int64_t> ready_;
  std::int64_t begun_ = 0, left_ = 0;
  base::trace::Probe<std::int64_t> ready_probe_;
  sc_core::sc_event wake_, batch_prepared_;
};

}  // namespace podsim::hw::input
