// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/hbm.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::memory {

Hbm::Hbm(sc_core::sc_module_name name, const Machine& machine, const Trace& trace)
    : sc_module(name),
      time_(machine.clock),
      stream_(machine),
      read_active_(trace.probe<bool>("read")),
      write_active_(trace.probe<bool>("write")),
      bandwidth_(trace.probe<double>("bytes_per_second")),
      hertz_(machine.clock.si()),
      traced_(read_active_.active() || write_active_.active() || bandwidth_.active()) {
  from_dma.register_nb_transport_fw(this, &Hbm::receive);
  show();
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

tlm::tlm_sync_enum Hbm::receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  assert(phase == tlm::BEGIN_REQ);
  const StreamExtension& request = stream_extension(payload);
  const base::Cycles arrival =
      time_.clock().edge_at_or_after(base::systemc::now() + base::systemc::from_sc_time(delay));
  restart_if_idle();
  payload.acquire();
  auto& waiting = waiting_[std::size_t(request.direction)];
  const bool is_behind_another = !waiting.empty();  // whose completion it does not change
  waiting.push_back(&payload);
  stream_.submit(request.direction, request.bytes, arrival - begin_, request.tag, request.pattern.shape());
  if (!responding_ && !is_behind_another) sleep();
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void Hbm::move_beside(Direction direction, base::Bytes bytes, base::Time begin) {
  restart_if_idle();
  stream_.submit_beside({direction, bytes, time_.clock().edge_at_or_after(begin) - begin_});
  sleep();
}

void Hbm::restart_if_idle() {
  if (!stream_.idle()) return;
  stream_.restart();
  begin_ = time_.now();
}

void Hbm::work() {
  wakes_at_.reset();
  completed_.clear();
  stream_.advance(time_.now() - begin_, completed_);
  responding_ = true;
  for (const timing::HbmStream::Completion& completion : completed_) respond(completion);
  responding_ = false;
  show();
  sleep();
}

void Hbm::respond(const timing::HbmStream::Completion& completion) {
  auto& waiting = waiting_[std::size_t(completion.direction)];
  tlm::tlm_generic_payload& payload = *waiting.front();
  waiting.pop_front();
  moved_[std::size_t(completion.direction)] += completion.bytes;
  stream_extension(payload).busy_ticks = stream_.busy_ticks();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  from_dma->nb_transport_bw(payload, phase, delay);
  payload.release();
}

/// Sleeps until the next completion. With a trace, it also wakes when data begin to move.
void Hbm::sleep() {
  std::optional<base::Cycles> next = stream_.next_completion();
  if (!next) return;
  if (traced_) next = std::min(*next, stream_.next_arrival().value_or(*next));
  const base::Cycles wake = std::max(begin_ + *next, time_.now());
  if (wake == wakes_at_) return;
  wakes_at_ = wake;
  wake_.cancel();
  wake_.notify(time_.until(wake));
}

void Hbm::show() {
  if (!traced_) return;
  read_active_.set(base::systemc::now(), stream_.active(Direction::read));
  write_active_.set(base::systemc::now(), stream_.active(Direction::write));
  bandwidth_.set(base::systemc::now(), stream_.bytes_per_cycle() * hertz_);
}

}  // namespace podsim::hw::memory
