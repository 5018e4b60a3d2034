// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <functional>
#include <tlm>
#include <utility>

#include "hw/core_time.h"
#include "hw/dma_timing.h"
#include "hw/stream_payload.h"
#include "hw/sync_flags.h"
#include "hw/trace.h"

namespace podsim::hw {

/// The DMA engine of a core as a module: a queue of descriptors between VMEM and HBM. Completion adds one to the
/// descriptor's sync flag. Behind to_hbm stands the core's half as streams (Hbm) or, at bank level, what cuts
/// descriptors into granules (GranuleDma); the engine is the same.
class DmaEngine : public sc_core::sc_module {
 public:
  DmaEngine(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, SyncFlags& flags,
            const Trace& trace);

  tlm_utils::simple_initiator_socket<DmaEngine> to_hbm{"to_hbm"};

  bool full() const { return outstanding_ >= timing_.queue_depth(); }
  /// Takes a descriptor in the present cycle `now`; not while full. `pattern` is what it touches in the HBM. Returns
  /// the cycle from which on its data may move.
  base::Cycles issue(base::Cycles now, Direction direction, const AccessPattern& pattern, std::size_t flag);
  /// The same for so many bytes at the beginning of the HBM, where only their number matters.
  base::Cycles issue(base::Cycles now, Direction direction, base::Bytes bytes, std::size_t flag) {
    return issue(now, direction, AccessPattern::contiguous(0, bytes), flag);
  }
  /// From now on completion does not raise the flag but calls `completed` with it, which may be any number then.
  void on_completion(std::function<void(std::size_t flag)> completed) { completed_ = std::move(completed); }
  /// A descriptor has completed.
  const sc_core::sc_event& completion() const { return completion_; }
  /// The first cycle in which the next descriptor could be issued.
  base::Cycles free_at() const { return timing_.free_at(); }
  /// As of the last completion; see HbmStream::busy_ticks.
  std::int64_t hbm_busy_ticks() const { return hbm_busy_ticks_; }

 private:
  tlm::tlm_sync_enum complete(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void count(Direction direction, std::int64_t change);

  DmaTiming timing_;
  const CoreTime& time_;
  SyncFlags& flags_;
  StreamPayloadPool pool_;
  std::int64_t outstanding_ = 0;
  std::int64_t hbm_busy_ticks_ = 0;
  std::array<std::int64_t, 2> in_flight_{};
  std::array<base::Probe<std::string>, 2> states_;
  base::Probe<std::int64_t> outstanding_probe_;
  sc_core::sc_event completion_;
  std::function<void(std::size_t)> completed_;
};

}  // namespace podsim::hw
