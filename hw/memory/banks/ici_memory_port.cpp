// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/ici_memory_port.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <string>
#include <utility>

namespace podsim::hw::memory::banks {

namespace {

// Channel ids at the chip's port of the fabric; those of collectives count up from zero.
constexpr std::uint32_t request_channel = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t answer_channel = request_channel - 1;
constexpr base::Bytes flit{32};

noc::Coordinates reversed(noc::Coordinates hops) {
  for (std::int32_t& count : hops) count = -count;
  return hops;
}

/// The link by which a message with these hops arrives, numbered as links that leave a chip. The last hops are along
/// the last dimension, so the message arrives from the side where these began.
int arrival_link(const noc::Coordinates& hops) {
  int link = 0;
  for (int dimension = 0; dimension < noc::max_dimensions; ++dimension) {
    const std::int32_t count = hops[std::size_t(dimension)];
    if (count != 0) link = ChipPorts::link(dimension, -count);
  }
  return link;
}

}  // namespace

IciMemoryPort::Link::Link(IciMemoryPort& owner, int number)
    : from_switch(("from_switch" + std::to_string(number)).c_str()),
      to_switch(("to_switch" + std::to_string(number)).c_str()) {
  from_switch.register_nb_transport_fw(&owner, &IciMemoryPort::from_switch, number);
  to_switch.register_nb_transport_bw(&owner, &IciMemoryPort::answered, number);
}

IciMemoryPort::IciMemoryPort(sc_core::sc_module_name name, const ChipPorts& ports,
                             noc::chip_switch::OnChipSwitch& chip_switch, noc::ici::IciPort& ici)
    : sc_module(name), ports_(ports), ici_(ici) {
  IciMemoryPort& owner = *this;
  for (int number = 0; number < ports.links(); ++number) {
    Link& link = links_.emplace_back(owner, number);
    chip_switch.out(ports.ici(number)).bind(link.from_switch);
    link.to_switch.bind(chip_switch.in(ports.ici(number)));
  }
  noc::ici::IciClient& client = *this;
  for (const std::uint32_t channel : {request_channel, answer_channel}) ici_.attach(channel, client);
}

IciMemoryPort::Link& IciMemoryPort::link_of(tlm::tlm_generic_payload& request) {
  return links_[std::size_t(request.get_extension<noc::chip_switch::SwitchRoute>()->destination - ports_.ici(0))];
}

tlm::tlm_sync_enum IciMemoryPort::from_switch(int number, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time&) {
  Link& link = links_[std::size_t(number)];
  if (phase == tlm::END_RESP) {
    link.answers.taken();
    return tlm::TLM_COMPLETED;
  }
  assert(phase == tlm::BEGIN_REQ && dma_request(payload).far);
  if (++link.untaken > 1) link.waiting = &payload;
  send(dma_request(payload).far->hops, request_channel, payload, payload.is_write());
  if (link.waiting != nullptr) return tlm::TLM_ACCEPTED;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void IciMemoryPort::send(const noc::Coordinates& hops, std::uint32_t channel, tlm::tlm_generic_payload& request,
                         bool with_data) {
  noc::ici::Message message;
  message.hops = hops;
  message.bytes = with_data ? std::max(flit, base::Bytes(request.get_data_length())) : flit;
  message.channel = channel;
  message.tag = reinterpret_cast<std::uintptr_t>(&request);
  ici_.send(message);
}

void IciMemoryPort::message_taken(noc::NodeId, const noc::ici::Message& message, base::Time) {
  if (message.channel != request_channel) return;
  Link& link = link_of(*reinterpret_cast<tlm::tlm_generic_payload*>(message.tag));
  --link.untaken;
  if (link.waiting == nullptr) return;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  link.from_switch->nb_transport_bw(*std::exchange(link.waiting, nullptr), phase, delay);
}

void IciMemoryPort::message_received(noc::NodeId, const noc::ici::Message& message, base::Time) {
  auto& request = *reinterpret_cast<tlm::tlm_generic_payload*>(message.tag);
  if (message.channel == request_channel) {
    request_arrived(request);
  } else {
    request.set_response_status(tlm::TLM_OK_RESPONSE);
    link_of(request).answers.push(request);
  }
}

/// Forwards the request of another chip as one of this chip's.
void IciMemoryPort::request_arrived(tlm::tlm_generic_payload& request) {
  const DmaRequestExtension& asked = dma_request(request);
  tlm::tlm_generic_payload& payload = pool_.make(request.get_command(), DmaPort{asked.far->port}, request.get_address(),
                                                 base::Bytes(request.get_data_length()), asked.flag);
  const std::size_t number = DmaRequestPool::number(payload);
  if (number == origins_.size()) origins_.emplace_back();
  origins_[number] = &request;
  Link& link = links_[std::size_t(arrival_link(asked.far->hops))];
  link.arrived.push_back(&payload);
  enter_switch(link);
}

void IciMemoryPort::enter_switch(Link& link) {
  while (!link.held && !link.arrived.empty()) {
    tlm::tlm_generic_payload& payload = *link.arrived.front();
    link.arrived.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    link.held = link.to_switch->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED;
  }
}

tlm::tlm_sync_enum IciMemoryPort::answered(int number, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time&) {
  if (phase == tlm::END_REQ) {
    Link& link = links_[std::size_t(number)];
    link.held = false;
    enter_switch(link);
    return tlm::TLM_ACCEPTED;
  }
  assert(phase == tlm::BEGIN_RESP);
  tlm::tlm_generic_payload& origin = *origins_[DmaRequestPool::number(payload)];
  send(reversed(dma_request(origin).far->hops), answer_channel, origin, origin.is_read());
  payload.release();
  return tlm::TLM_COMPLETED;
}

}  // namespace podsim::hw::memory::banks
