// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/copy_dma.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::memory::banks {

CopyDma::CopyDma(sc_core::sc_module_name name, const Machine& machine, const Trace& trace)
    : sc_module(name),
      time_(machine.clock),
      unit_(machine.dram.address.interleave),
      limit_(machine.dma.granules),
      outstanding_probe_(trace.probe<std::int64_t>("granules")) {
  to_switch.register_nb_transport_bw(this, &CopyDma::from_switch);
  count(0);
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

void CopyDma::start(const DmaCopy& transfer, std::uint64_t tag) {
  assert(transfer.source.port || transfer.destination.port);
  enqueue(Origin::other, transfer, time_.now(), tag);
}

void CopyDma::enqueue(Origin origin, const DmaCopy& transfer, base::Cycles start, std::uint64_t tag) {
  const Active active{CopyGranules(transfer, unit_), transfer, start, origin, tag};
  if (free_transfers_.empty()) {
    free_transfers_.push_back(transfers_.size());
    transfers_.push_back(active);
  } else {
    transfers_[free_transfers_.back()] = active;
  }
  const bool reads = transfer.source.port.has_value();
  const QueueKey key{reads ? Kind::read : Kind::write, (reads ? transfer.source : transfer.destination).port->number};
  queues_[std::size_t(origin)].queues[key].push_back(free_transfers_.back());
  free_transfers_.pop_back();
  wake_.notify(time_.until(start));
}

void CopyDma::work() {
  while (!held_ && send_next()) {
  }
  sleep();
}

/// Sends one request; returns false if none may be sent.
bool CopyDma::send_next() {
  if (!follow_ups_.empty()) {
    const Request request = follow_ups_.front();
    follow_ups_.pop_front();
    send(request);
    return true;
  }
  Queue* queue = outstanding_ < limit_ ? next_queue() : nullptr;
  if (queue == nullptr) return false;
  const std::size_t number = queue->front();
  Active& active = transfers_[number];
  if (active.walk.done()) {  // a transfer of 0 bytes
    queue->pop_front();
    finish(number);
    return true;
  }
  const Granule granule = active.walk.next();
  if (active.walk.done()) queue->pop_front();
  ++active.outstanding;
  count(1);
  send({number, active.transfer.source.port ? Kind::read : Kind::write, granule, time_.now()});
  return true;
}

/// Returns the next queue in turn whose first transfer has started; null if there is none.
CopyDma::Queue* CopyDma::next_queue() {
  for (const std::size_t origin : {turn_, 1 - turn_}) {
    Queue* queue = next_queue(queues_[origin]);
    if (queue == nullptr) continue;
    turn_ = 1 - origin;
    return queue;
  }
  return nullptr;
}

CopyDma::Queue* CopyDma::next_queue(Queues& of) {
  auto next = of.queues.upper_bound(of.last);
  for (std::size_t i = 0; i < of.queues.size(); ++i, ++next) {
    if (next == of.queues.end()) next = of.queues.begin();
    Queue& queue = next->second;
    if (queue.empty() || transfers_[queue.front()].start > time_.now()) continue;
    of.last = next->first;
    return &queue;
  }
  return nullptr;
}

void CopyDma::send(const Request& request) {
  tlm::tlm_generic_payload& payload = payload_for(request);
  const std::size_t number = DmaRequestPool::number(payload);
  if (number == sent_.size()) sent_.emplace_back();
  sent_[number] = request;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  held_ = to_switch->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED;
}

tlm::tlm_generic_payload& CopyDma::payload_for(const Request& request) {
  const DmaCopy& transfer = transfers_[request.transfer].transfer;
  const Granule& granule = request.granule;
  switch (request.kind) {
    case Kind::read:
      return pool_.make(tlm::TLM_READ_COMMAND, *transfer.source.port, granule.source, granule.bytes);
    case Kind::write:
      return pool_.make(tlm::TLM_WRITE_COMMAND, *transfer.destination.port, granule.destination, granule.bytes);
    case Kind::flag:
      break;
  }
  return pool_.make(tlm::TLM_WRITE_COMMAND, transfer.flag->port, 0, base::Bytes(0), transfer.flag->flag);
}

tlm::tlm_sync_enum CopyDma::from_switch(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  wake_.notify(sc_core::SC_ZERO_TIME);
  if (phase == tlm::END_REQ) {
    held_ = false;
    return tlm::TLM_ACCEPTED;
  }
  assert(phase == tlm::BEGIN_RESP && payload.get_response_status() == tlm::TLM_OK_RESPONSE);
  const Request request = sent_[DmaRequestPool::number(payload)];
  answered(request);
  payload.release();
  return tlm::TLM_COMPLETED;
}

void CopyDma::answered(const Request& request) {
  if (request.kind == Kind::flag) return complete(request.transfer);
  Active& active = transfers_[request.transfer];
  if (request.kind == Kind::read && active.transfer.destination.port) {
    follow_ups_.push_back({request.transfer, Kind::write, request.granule, request.begin});
    return;
  }
  count(-1);
  if (granule_moved_) granule_moved_(request.granule.bytes, time_.now() - request.begin);
  if (--active.outstanding == 0 && active.walk.done()) finish(request.transfer);
}

/// Raises the flag of a transfer with all data moved, or completes the transfer.
void CopyDma::finish(std::size_t transfer) {
  if (transfers_[transfer].transfer.flag) {
    follow_ups_.push_back({transfer, Kind::flag, {}, time_.now()});
  } else {
    complete(transfer);
  }
}

/// Frees the transfer's number before calling back, since the callback may start the next transfer.
void CopyDma::complete(std::size_t transfer) {
  const Active active = transfers_[transfer];
  free_transfers_.push_back(transfer);
  if (active.origin == Origin::engine) {
    engine_completed(active.tag);
  } else if (completed_) {
    completed_(active.tag);
  }
}

base::Cycles CopyDma::busy() const { return busy_ + (outstanding_ > 0 ? time_.now() - busy_since_ : base::Cycles(0)); }

void CopyDma::count(std::int64_t change) {
  if (outstanding_ == 0) busy_since_ = time_.now();
  outstanding_ += change;
  if (outstanding_ == 0) busy_ += time_.now() - busy_since_;
  outstanding_probe_.set(base::systemc::now(), outstanding_);
}

/// Sleeps until a transfer starts; answers and the switch also wake the process.
void CopyDma::sleep() {
  if (held_ || outstanding_ == limit_) return;
  for (const Queues& of : queues_) {
    for (const auto& [key, queue] : of.queues) {
      if (!queue.empty()) wake_.notify(time_.until(std::max(time_.now(), transfers_[queue.front()].start)));
    }
  }
}

}  // namespace podsim::hw::memory::banks
