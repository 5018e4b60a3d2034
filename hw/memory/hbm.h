// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <deque>
#include <optional>
#include <tlm>

#include "hw/core_time.h"
#include "hw/memory/stream_payload.h"
#include "hw/timing/hbm_stream.h"
#include "hw/trace.h"

namespace podsim::hw::memory {

/// One core's half of the HBM at stream level, as a module: HbmStream behind a socket (protocol in stream_payload.h).
/// Its one process wakes when a transfer completes.
class Hbm : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Hbm);
  Hbm(sc_core::sc_module_name name, const Machine& machine, const Trace& trace);

  tlm_utils::simple_target_socket<Hbm> from_dma{"from_dma"};

  /// Moves `bytes` from `begin` on, concurrently with the core's requests, with which they share the HBM
  /// (timing/hbm_stream.h).
  void move_beside(Direction direction, base::Bytes bytes, base::Time begin);
  /// Takes back the part of such transfers that has not moved. No request may wait.
  void stop_beside() { stream_.drop_beside(); }
  base::Bytes moved(Direction direction) const { return moved_[std::size_t(direction)]; }
  base::Cycles busy() const { return stream_.busy(); }

 private:
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void restart_if_idle();
  void work();
  void respond(const timing::HbmStream::Completion& completion);
  void sleep();
  void show();

  CoreTime time_;
  timing::HbmStream stream_;
  base::Cycles begin_;  ///< time 0 of the stream, which is restarted when it has been idle
  std::array<std::deque<tlm::tlm_generic_payload*>, 2> waiting_;  ///< by direction, in order of completion
  std::array<base::Bytes, 2> moved_;
  std::vector<timing::HbmStream::Completion> completed_;
  sc_core::sc_event wake_;
  std::optional<base::Cycles> wakes_at_;  ///< cycle for which wake_ is notified
  bool responding_ = false;               ///< requests that come meanwhile are taken up by the end of work()
  base::trace::Probe<bool> read_active_, write_active_;
  base::trace::Probe<double> bandwidth_;
  double hertz_;  ///< of the core clock
  bool traced_;
};

}  // namespace podsim::hw::memory
