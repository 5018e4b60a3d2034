// SPDX-License-Identifier: Apache-2.0
#include "noc/chip_switch/on_chip_switch.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "base/systemc/systemc_time.h"

namespace podsim::noc::chip_switch {

namespace {

SwitchRoute& route(tlm::tlm_generic_payload& payload) {
  SwitchRoute* extension = payload.get_extension<SwitchRoute>();
  assert(extension != nullptr);
  return *extension;
}

}  // namespace

OnChipSwitch::OnChipSwitch(sc_core::sc_module_name name, const ici::SwitchParameters& parameters, base::Frequency clock,
                           int ports, base::trace::ProbeSink* sink, const std::string& scope)
    : sc_module(name),
      clock_(clock),
      switch_(parameters, ports),
      held_requests_(std::size_t(ports)),
      held_responses_(std::size_t(ports)),
      input_bytes_(std::size_t(ports)),
      output_bytes_(std::size_t(ports)) {
  for (int port = 0; port < ports; ++port) {
    in_.emplace_back(fmt::format("in_{}", port).c_str())
        .register_nb_transport_fw(this, &OnChipSwitch::from_initiator, port);
    out_.emplace_back(fmt::format("out_{}", port).c_str())
        .register_nb_transport_bw(this, &OnChipSwitch::from_target, port);
    if (sink == nullptr) continue;
    probes_.push_back({base::trace::Probe<std::int64_t>(sink, fmt::format("{}.in{}", scope, port), "waiting"),
                       base::trace::Probe<bool>(sink, fmt::format("{}.out{}", scope, port), "sending"),
                       base::trace::Probe<std::int64_t>(sink, fmt::format("{}.out{}", scope, port), "bytes", 64)});
  }
  show(base::Cycles(0));
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

tlm::tlm_sync_enum OnChipSwitch::from_initiator(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                [[maybe_unused]] sc_core::sc_time& delay) {
  assert(phase == tlm::BEGIN_REQ && delay == sc_core::SC_ZERO_TIME && held_requests_[std::size_t(port)] == nullptr);
  payload.acquire();
  route(payload).source = port;
  if (!switch_.room(port, route(payload).destination)) {
    held_requests_[std::size_t(port)] = &payload;
    return tlm::TLM_ACCEPTED;
  }
  push(request(port, payload));
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum OnChipSwitch::from_target(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             [[maybe_unused]] sc_core::sc_time& delay) {
  assert(delay == sc_core::SC_ZERO_TIME);
  if (phase == tlm::BEGIN_RESP) return respond(port, payload);
  assert(phase == tlm::END_REQ);
  taken(port);
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum OnChipSwitch::respond(int port, tlm::tlm_generic_payload& payload) {
  if (!switch_.room(port, route(payload).source)) {
    assert(held_responses_[std::size_t(port)] == nullptr);
    held_responses_[std::size_t(port)] = &payload;
    return tlm::TLM_ACCEPTED;
  }
  push(response(port, payload));
  return tlm::TLM_COMPLETED;
}

/// Runs one delta cycle after the event that woke it, so that everything that arrives at that time has arrived.
void OnChipSwitch::work() {
  const base::Cycles now = present();
  crossed_.clear();
  switch_.deliver(now, crossed_);
  for (const Packet& packet : crossed_) hand_over(packet);
  started_.clear();
  switch_.arbitrate(now, started_);
  for (const Packet& packet : started_) {
    const base::Bytes data = data_of(packet.cargo);
    input_bytes_[std::size_t(packet.source)] += data;
    output_bytes_[std::size_t(packet.destination)] += data;
    admit(packet.source, packet.destination);
  }
  show(now);
  if (const auto next = switch_.next_event()) wake_at(*next);
}

void OnChipSwitch::hand_over(const Packet& packet) {
  tlm::tlm_generic_payload& payload = *packet.cargo.payload;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (packet.cargo.response) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    [[maybe_unused]] const auto answer = in(packet.destination)->nb_transport_bw(payload, phase, delay);
    assert(answer == tlm::TLM_COMPLETED);
    switch_.taken(packet.destination, present());
    payload.release();
  } else {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    const auto answer = out(packet.destination)->nb_transport_fw(payload, phase, delay);
    assert(answer == tlm::TLM_ACCEPTED || (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ));
    if (answer == tlm::TLM_UPDATED) switch_.taken(packet.destination, present());
  }
}

/// Admits a held response or request after a slot in the queue from `source` to `destination` has become free.
void OnChipSwitch::admit(int source, int destination) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  tlm::tlm_generic_payload*& answered = held_responses_[std::size_t(source)];
  if (answered != nullptr && route(*answered).source == destination) {
    tlm::tlm_generic_payload& payload = *std::exchange(answered, nullptr);
    push(response(source, payload));
    tlm::tlm_phase phase = tlm::END_RESP;
    out(source)->nb_transport_fw(payload, phase, delay);
    return;
  }
  tlm::tlm_generic_payload*& asked = held_requests_[std::size_t(source)];
  if (asked == nullptr || route(*asked).destination != destination) return;
  tlm::tlm_generic_payload& payload = *std::exchange(asked, nullptr);
  push(request(source, payload));
  tlm::tlm_phase phase = tlm::END_REQ;
  in(source)->nb_transport_bw(payload, phase, delay);
}

void OnChipSwitch::push(const Packet& packet) {
  const base::Cycles arrival = present();
  switch_.push(packet, arrival);
  wake_at(arrival);
}

void OnChipSwitch::taken(int port) {
  switch_.taken(port, present());
  wake_at(present());
}

OnChipSwitch::Packet OnChipSwitch::request(int port, tlm::tlm_generic_payload& payload) const {
  const Transaction transaction{&payload, false};
  return {port, route(payload).destination, switch_.occupancy(data_of(transaction)), transaction};
}

OnChipSwitch::Packet OnChipSwitch::response(int port, tlm::tlm_generic_payload& payload) const {
  const Transaction transaction{&payload, true};
  return {port, route(payload).source, switch_.occupancy(data_of(transaction)), transaction};
}

/// Requests carry the data of writes, responses those of reads.
base::Bytes OnChipSwitch::data_of(const Transaction& transaction) {
  const tlm::tlm_generic_payload& payload = *transaction.payload;
  const bool carries = transaction.response ? payload.is_read() : payload.is_write();
  return base::Bytes(carries ? payload.get_data_length() : 0);
}

base::Cycles OnChipSwitch::present() const { return clock_.edge_at_or_after(base::systemc::now()); }

void OnChipSwitch::wake_at(base::Cycles cycle) {
  wake_.notify(base::systemc::to_sc_time(clock_.time_of(cycle) - base::systemc::now()));
}

void OnChipSwitch::show(base::Cycles now) {
  for (std::size_t port = 0; port < probes_.size(); ++port) {
    PortProbes& probes = probes_[port];
    if (probes.waiting.active()) probes.waiting.set(base::systemc::now(), switch_.waiting(int(port)));
    if (probes.bytes.active()) probes.bytes.set(base::systemc::now(), output_bytes_[port].value());
    if (!probes.sending.active()) continue;
    const base::Cycles free_at = switch_.output_free_at(int(port));
    probes.sending.set(base::systemc::now(), free_at > now);
    if (free_at > now) wake_at(free_at);
  }
}

}  // namespace podsim::noc::chip_switch
