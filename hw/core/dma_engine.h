// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <functional>
#include <tlm>
#include <utility>
#include <vector>

#include "hw/core/sync_flags.h"
#include "hw/core_time.h"
#include "hw/memory/stream_payload.h"
#include "hw/timing/dma_timing.h"
#include "hw/timing/level_streams.h"
#include "hw/trace.h"

namespace podsim::hw::core {

/// What the sequencer asks of the DMA engine.
class DescriptorQueue : public sc_core::sc_interface {
 public:
  virtual bool full() const = 0;
  /// Takes a descriptor in the current cycle `now`. Must not be full. `pattern` is what the descriptor touches in the
  /// HBM. Returns the cycle from which its data may move.
  virtual base::Cycles issue(base::Cycles now, Direction direction, const AccessPattern& pattern, std::size_t flag) = 0;
  /// Takes a descriptor of `bytes` of the declared level of memory with this number (hw/memory_levels.h).
  virtual void issue_at_level(base::Cycles now, Direction direction, int level, base::Bytes bytes,
                              std::size_t flag) = 0;
  /// Notified when a descriptor has completed.
  virtual const sc_core::sc_event& completion() const = 0;
  /// First cycle in which the next descriptor can be issued.
  virtual base::Cycles free_at() const = 0;
  /// HbmStream::busy_ticks() as of the last completion.
  virtual std::int64_t hbm_busy_ticks() const = 0;
};

/// The DMA engine of a core as a module: a queue of descriptors between VMEM and other memories. Completion adds one to
/// the descriptor's sync flag. to_hbm is bound to the core's half as streams (Hbm) or, at bank level, to the unit that
/// splits descriptors into granules (BankDma); the engine is the same. Declared levels of memory are streams at every
/// level of detail (timing::LevelStreams).
class DmaEngine : public sc_core::sc_module, public DescriptorQueue {
 public:
  SC_HAS_PROCESS(DmaEngine);
  DmaEngine(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, SyncFlags& flags,
            const Trace& trace);

  tlm_utils::simple_initiator_socket<DmaEngine> to_hbm{"to_hbm"};

  sc_core::sc_export<DescriptorQueue> from_sequencer{"from_sequencer"};

  bool full() const override { return outstanding_ >= timing_.queue_depth(); }
  base::Cycles issue(base::Cycles now, Direction direction, const AccessPattern& pattern, std::size_t flag) override;
  void issue_at_level(base::Cycles now, Direction direction, int level, base::Bytes bytes, std::size_t flag) override;
  /// As the first, for `bytes` at the beginning of the HBM, where only their number matters.
  base::Cycles issue(base::Cycles now, Direction direction, base::Bytes bytes, std::size_t flag) {
    return issue(now, direction, AccessPattern::contiguous(0, bytes), flag);
  }
  /// Makes completion call `completed` with the flag instead of raising it. The flag may then be any number.
  void on_completion(std::function<void(std::size_t flag)> completed) { completed_ = std::move(completed); }
  const sc_core::sc_event& completion() const override { return completion_; }
  base::Cycles free_at() const override { return timing_.free_at(); }
  std::int64_t hbm_busy_ticks() const override { return hbm_busy_ticks_; }

 private:
  tlm::tlm_sync_enum complete(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void complete_levels();
  void finish(Direction direction, std::size_t flag);
  void wake_for_levels();
  void count(Direction direction, std::int64_t change);

  timing::DmaTiming timing_;
  timing::LevelStreams levels_;
  sc_core::sc_event level_event_;
  std::vector<timing::HbmStream::Completion> level_completions_;
  const CoreTime& time_;
  SyncFlags& flags_;
  memory::StreamPayloadPool pool_;
  std::int64_t outstanding_ = 0;
  std::int64_t hbm_busy_ticks_ = 0;
  std::array<std::int64_t, 2> in_flight_{};
  std::array<base::trace::Probe<std::string>, 2> states_;
  base::trace::Probe<std::int64_t> outstanding_probe_;
  sc_core::sc_event completion_;
  std::function<void(std::size_t)> completed_;
};

}  // namespace podsim::hw::core
