// SPDX-License-Identifier: Apache-2.0
#include "hw/core/dma_engine.h"

#include <cassert>

namespace podsim::hw::core {

DmaEngine::DmaEngine(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, SyncFlags& flags,
                     const Trace& trace)
    : sc_module(name),
      timing_(machine),
      time_(time),
      flags_(flags),
      states_{trace.probe<std::string>("read"), trace.probe<std::string>("write")},
      outstanding_probe_(trace.probe<std::int64_t>("outstanding")) {
  from_sequencer.bind(*this);
  to_hbm.register_nb_transport_bw(this, &DmaEngine::complete);
  count(Direction::read, 0);
  count(Direction::write, 0);
}

base::Cycles DmaEngine::issue(base::Cycles now, Direction direction, const AccessPattern& pattern, std::size_t flag) {
  assert(!full());
  count(direction, 1);
  tlm::tlm_generic_payload& payload = pool_.make(direction, pattern, flag);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  const base::Cycles arrival = timing_.arrival(now, direction);
  sc_core::sc_time delay = time_.until(arrival);
  [[maybe_unused]] const tlm::tlm_sync_enum answer = to_hbm->nb_transport_fw(payload, phase, delay);
  assert(answer == tlm::TLM_UPDATED && phase == tlm::END_REQ);
  return arrival;
}

tlm::tlm_sync_enum DmaEngine::complete(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
  const memory::StreamExtension& response = memory::stream_extension(payload);
  hbm_busy_ticks_ = response.busy_ticks;
  count(response.direction, -1);
  if (completed_) {
    completed_(response.tag);
  } else {
    flags_.add(response.tag, 1);
  }
  completion_.notify();
  payload.release();
  return tlm::TLM_COMPLETED;
}

void DmaEngine::count(Direction direction, std::int64_t change) {
  outstanding_ += change;
  std::int64_t& in_flight = in_flight_[std::size_t(direction)];
  in_flight += change;
  if (auto& state = states_[std::size_t(direction)]; state.active()) {
    state.set(base::systemc::now(), in_flight > 0 ? "transfer" : "idle");
  }
  outstanding_probe_.set(base::systemc::now(), outstanding_);
}

}  // namespace podsim::hw::core
