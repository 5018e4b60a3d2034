// SPDX-License-Identifier: Apache-2.0
#include "hw/core/dma_engine.h"

#include <cassert>

namespace podsim::hw::core {

DmaEngine::DmaEngine(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, SyncFlags& flags,
                     const Trace& trace)
    : sc_module(name),
      timing_(machine),
      levels_(machine),
      time_(time),
      flags_(flags),
      states_{trace.probe<std::string>("read"), trace.probe<std::string>("write")},
      outstanding_probe_(trace.probe<std::int64_t>("outstanding")) {
  from_sequencer.bind(*this);
  to_hbm.register_nb_transport_bw(this, &DmaEngine::complete);
  count(Direction::read, 0);
  count(Direction::write, 0);
  SC_METHOD(complete_levels);
  sensitive << level_event_;
  dont_initialize();
}

base::Cycles DmaEngine::issue(base::Cycles now, Direction direction, const AccessPattern& pattern, std::size_t flag) {
  assert(!full());
  count(direction, 1);
  tlm::tlm_generic_payload& payload = pool_.make(direction, pattern, flag);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  const base::Cycles arrival = timing_.arrival(now, direction, level::hbm);
  sc_core::sc_time delay = time_.until(arrival);
  [[maybe_unused]] const tlm::tlm_sync_enum answer = to_hbm->nb_transport_fw(payload, phase, delay);
  assert(answer == tlm::TLM_UPDATED && phase == tlm::END_REQ);
  return arrival;
}

void DmaEngine::issue_at_level(base::Cycles now, Direction direction, int level, base::Bytes bytes, std::size_t flag) {
  assert(!full());
  count(direction, 1);
  levels_.submit(level, direction, bytes, timing_.arrival(now, direction, level), flag);
  wake_for_levels();
}

void DmaEngine::complete_levels() {
  level_completions_.clear();
  levels_.advance(time_.now(), level_completions_);
  for (const timing::HbmStream::Completion& done : level_completions_) finish(done.direction, std::size_t(done.tag));
  wake_for_levels();
}

/// An earlier notification of the event overrides a later one.
void DmaEngine::wake_for_levels() {
  if (!levels_.idle()) level_event_.notify(time_.until(levels_.next_completion()));
}

tlm::tlm_sync_enum DmaEngine::complete(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
  const memory::StreamExtension& response = memory::stream_extension(payload);
  hbm_busy_ticks_ = response.busy_ticks;
  finish(response.direction, std::size_t(response.tag));
  payload.release();
  return tlm::TLM_COMPLETED;
}

void DmaEngine::finish(Direction direction, std::size_t flag) {
  count(direction, -1);
  if (completed_) {
    completed_(flag);
  } else {
    flags_.add(flag, 1);
  }
  completion_.notify();
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
