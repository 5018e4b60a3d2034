// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/bank_dma.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::memory::banks {

namespace {

/// The copy that a DMA engine's descriptor describes, between the core and its memory at port `memory`.
DmaCopy transfer_of(const StreamExtension& request, int memory) {
  const AccessPattern& pattern = request.pattern;
  const DmaEnd core{{}, 0, pattern.row_bytes.value()};
  const DmaEnd far{DmaPort{memory}, pattern.base, pattern.stride, pattern.seed, pattern.span};
  if (request.direction == Direction::read) return {far, core, pattern.rows, pattern.row_bytes};
  return {core, far, pattern.rows, pattern.row_bytes};
}

}  // namespace

BankDma::BankDma(sc_core::sc_module_name name, const Machine& machine, int own_memory, const Trace& trace)
    : sc_module(name),
      time_(machine.clock),
      path_(machine),
      unit_(machine.dram.address.interleave),
      limit_(machine.dma.granules),
      own_memory_(own_memory),
      outstanding_probe_(trace.probe<std::int64_t>("granules")) {
  from_engine.register_nb_transport_fw(this, &BankDma::receive);
  to_switch.register_nb_transport_bw(this, &BankDma::from_switch);
  count(0);
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

tlm::tlm_sync_enum BankDma::receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  assert(phase == tlm::BEGIN_REQ);
  const StreamExtension& request = stream_extension(payload);
  payload.acquire();
  const base::Cycles arrival =
      time_.clock().edge_at_or_after(base::systemc::now() + base::systemc::from_sc_time(delay));
  const bool empty = request.bytes == base::Bytes(0);  // no request is sent
  const base::Cycles start = empty ? arrival : arrival - path_.duration(request.direction);
  const DmaCopy transfer = transfer_of(request, own_memory_);
  enqueue({CopyGranules(transfer, unit_), transfer, std::max(time_.now(), start), 0, &payload});
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void BankDma::start(const DmaCopy& transfer, std::uint64_t tag) {
  assert(transfer.source.port || transfer.destination.port);
  enqueue({CopyGranules(transfer, unit_), transfer, time_.now(), tag});
}

void BankDma::enqueue(const Active& active) {
  if (free_transfers_.empty()) {
    free_transfers_.push_back(transfers_.size());
    transfers_.push_back(active);
  } else {
    transfers_[free_transfers_.back()] = active;
  }
  queues_[active.transfer.source.port ? 0 : 1].push_back(free_transfers_.back());
  free_transfers_.pop_back();
  wake_.notify(time_.until(active.start));
}

void BankDma::work() {
  while (!held_ && send_next()) {
  }
  sleep();
}

/// Sends one request; returns false if none may be sent.
bool BankDma::send_next() {
  if (!follow_ups_.empty()) {
    const Request request = follow_ups_.front();
    follow_ups_.pop_front();
    send(request);
    return true;
  }
  std::deque<std::size_t>* queue = outstanding_ < limit_ ? next_queue() : nullptr;
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
std::deque<std::size_t>* BankDma::next_queue() {
  for (const std::size_t kind : {turn_, 1 - turn_}) {
    if (queues_[kind].empty() || transfers_[queues_[kind].front()].start > time_.now()) continue;
    turn_ = 1 - kind;
    return &queues_[kind];
  }
  return nullptr;
}

void BankDma::send(const Request& request) {
  tlm::tlm_generic_payload& payload = payload_for(request);
  const std::size_t number = DmaRequestPool::number(payload);
  if (number == sent_.size()) sent_.emplace_back();
  sent_[number] = request;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  held_ = to_switch->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED;
}

tlm::tlm_generic_payload& BankDma::payload_for(const Request& request) {
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

tlm::tlm_sync_enum BankDma::from_switch(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
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

void BankDma::answered(const Request& request) {
  if (request.kind == Kind::flag) return complete(request.transfer);
  Active& active = transfers_[request.transfer];
  if (request.kind == Kind::read && active.transfer.destination.port) {
    follow_ups_.push_back({request.transfer, Kind::write, request.granule, request.begin});
    return;
  }
  count(-1);
  if (granule_moved_) granule_moved_(request.granule.bytes, time_.now() - request.begin);
  if (active.request != nullptr)
    moved_[std::size_t(stream_extension(*active.request).direction)] += request.granule.bytes;
  if (--active.outstanding == 0 && active.walk.done()) finish(request.transfer);
}

/// Raises the flag of a transfer with all data moved, or completes the transfer.
void BankDma::finish(std::size_t transfer) {
  if (transfers_[transfer].transfer.flag) {
    follow_ups_.push_back({transfer, Kind::flag, {}, time_.now()});
  } else {
    complete(transfer);
  }
}

/// Frees the transfer's number before calling back, since the callback may start the next transfer.
void BankDma::complete(std::size_t transfer) {
  const Active active = transfers_[transfer];
  free_transfers_.push_back(transfer);
  if (active.request != nullptr) {
    respond(active);
  } else if (completed_) {
    completed_(active.tag);
  }
}

void BankDma::respond(const Active& active) {
  tlm::tlm_generic_payload& request = *active.request;
  const base::Cycles busy = busy_ + (outstanding_ > 0 ? time_.now() - busy_since_ : base::Cycles(0));
  stream_extension(request).busy_ticks = timing::HbmStream::ticks_of_cycles(busy);
  request.set_response_status(tlm::TLM_OK_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  from_engine->nb_transport_bw(request, phase, delay);
  request.release();
}

void BankDma::count(std::int64_t change) {
  if (outstanding_ == 0) busy_since_ = time_.now();
  outstanding_ += change;
  if (outstanding_ == 0) busy_ += time_.now() - busy_since_;
  outstanding_probe_.set(base::systemc::now(), outstanding_);
}

/// Sleeps until a transfer starts; answers and the switch also wake the process.
void BankDma::sleep() {
  if (held_ || outstanding_ == limit_) return;
  for (const std::deque<std::size_t>& queue : queues_) {
    if (!queue.empty()) wake_.notify(time_.until(std::max(time_.now(), transfers_[queue.front()].start)));
  }
}

}  // namespace podsim::hw::memory::banks
