// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/hbm_channel.h"

#include <algorithm>
#include <cassert>
#include <span>

namespace podsim::hw::memory::banks {

HbmChannel::HbmChannel(sc_core::sc_module_name name, const parts::hbm::DramParameters& parameters,
                       DeviceMemory* contents, MemoryReplies& replies, const Trace& trace)
    : sc_module(name), time_(parameters.clock), controller_(parameters), contents_(contents), replies_(replies) {
  if (trace.sink != nullptr) {
    shown_ = std::make_unique<Shown>(controller_, parameters, trace);
    controller_.observe(&shown_->trace);
    show(base::Cycles(1));
  }
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

dram::MemoryRequest HbmChannel::request_of(const Transfer& transfer, std::uint64_t tag) const {
  const tlm::tlm_generic_payload& payload = *transfer.payload;
  return {payload.is_read() ? Direction::read : Direction::write, payload.get_address(),
          base::Bytes(payload.get_data_length()), tag};
}

/// Completions are kept until work() runs at the same edge.
void HbmChannel::advance(base::Cycles clock) { controller_.advance(clock, completed_); }

tlm::tlm_sync_enum HbmChannel::receive(int sender, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       const sc_core::sc_time& delay) {
  assert(phase == tlm::BEGIN_REQ);
  const base::Cycles arrival =
      time_.clock().edge_at_or_after(base::systemc::now() + base::systemc::from_sc_time(delay));
  const Transfer transfer{sender, &payload};
  payload.acquire();
  Line& line = lines_[payload.is_read() ? 0 : 1];
  bool accepted = false;
  if (arrival == time_.now() && line.empty()) {
    advance(arrival);
    accepted = controller_.accepts(request_of(transfer, 0));
  }
  if (accepted) {
    accept(transfer);
    phase = tlm::END_REQ;
  } else {
    line.push(time_.time_of(arrival), 0, transfer);
  }
  sleep();
  return accepted ? tlm::TLM_UPDATED : tlm::TLM_ACCEPTED;
}

void HbmChannel::accept(const Transfer& transfer) {
  if (free_.empty()) {
    free_.push_back(transfers_.size());
    transfers_.emplace_back();
  }
  const std::uint64_t tag = free_.back();
  free_.pop_back();
  transfers_[tag] = transfer;
  move_data(*transfer.payload);
  controller_.submit(request_of(transfer, tag));
}

void HbmChannel::move_data(tlm::tlm_generic_payload& payload) {
  if (payload.get_data_ptr() == nullptr) return;
  assert(contents_ != nullptr);
  const std::span words(reinterpret_cast<std::uint32_t*>(payload.get_data_ptr()), payload.get_data_length() / 4);
  if (payload.is_read()) {
    contents_->read(payload.get_address() / 4, words);
  } else {
    contents_->write(payload.get_address() / 4, words);
  }
}

void HbmChannel::work() {
  advance(time_.now());
  respond();
  for (Line& line : lines_) admit(line);
  show(controller_.now());
  sleep();
}

/// Sends the responses. A reply may bring new requests at once, so `completed_` may grow in the loop.
void HbmChannel::respond() {
  std::size_t next = 0;
  while (next < completed_.size()) {
    const std::uint64_t tag = completed_[next++].tag;
    const Transfer transfer = transfers_[tag];
    free_.push_back(tag);
    transfer.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    replies_.reply(transfer.sender, *transfer.payload, tlm::BEGIN_RESP);
    transfer.payload->release();
  }
  completed_.clear();
}

bool HbmChannel::head_is_due(const Line& line) { return !line.empty() && line.top().when <= base::systemc::now(); }

void HbmChannel::admit(Line& line) {
  while (head_is_due(line) && controller_.accepts(request_of(line.top().value, 0))) {
    const Transfer transfer = line.pop().value;
    accept(transfer);
    replies_.reply(transfer.sender, *transfer.payload, tlm::END_REQ);
  }
}

void HbmChannel::show(base::Cycles until) {
  if (shown_) shown_->changes.show_until(until, [](base::Cycles) { return base::systemc::now(); });
}

void HbmChannel::sleep() {
  std::optional<base::Cycles> next = controller_.next_completion();
  const auto consider = [&](base::Cycles clock) { next = std::min(clock, next.value_or(clock)); };
  if (!completed_.empty()) consider(controller_.now());
  for (const Line& line : lines_) {
    if (!line.empty() && !head_is_due(line)) consider(time_.clock().edge_at_or_after(line.top().when));
    if (head_is_due(line)) consider(controller_.next_room().value_or(time_.now()));
  }
  if (shown_) {
    if (const auto command = controller_.next_room()) consider(*command);
    if (const auto change = shown_->changes.first()) consider(std::max(*change + base::Cycles(1), time_.now()));
  }
  if (!next) return;
  wake_.cancel();
  wake_.notify(time_.until(*next));
}

const dram::ChannelController& HbmChannel::controller() {
  advance(time_.now());
  return controller_;
}

}  // namespace podsim::hw::memory::banks
