// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/ici_port.h"

#include <algorithm>
#include <cassert>

#include "base/systemc/systemc_time.h"

namespace podsim::noc::ici {

IciPort::IciPort(sc_core::sc_module_name name, NodeId node) : sc_module(name), node_(node) {
  to_fabric.register_nb_transport_bw(this, &IciPort::taken);
  from_fabric.register_nb_transport_fw(this, &IciPort::received);
}

void IciPort::attach(std::uint32_t channel, IciClient& client) {
  assert(this->client(channel) == nullptr);
  clients_.emplace_back(channel, &client);
}

void IciPort::detach(std::uint32_t channel) {
  std::erase_if(clients_, [&](const auto& entry) { return entry.first == channel; });
}

void IciPort::send(const Message& message) {
  tlm::tlm_generic_payload& payload = pool_.make(message);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  to_fabric->nb_transport_fw(payload, phase, delay);
}

tlm::tlm_sync_enum IciPort::taken(tlm::tlm_generic_payload& payload, [[maybe_unused]] tlm::tlm_phase& phase,
                                  sc_core::sc_time&) {
  assert(phase == tlm::END_REQ);
  const Message& message = message_extension(payload).message;
  if (IciClient* sender = client(message.channel)) sender->message_taken(node_, message, base::systemc::now());
  payload.release();
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum IciPort::received(tlm::tlm_generic_payload& payload, [[maybe_unused]] tlm::tlm_phase& phase,
                                     sc_core::sc_time&) {
  assert(phase == tlm::BEGIN_REQ);
  const Message& message = message_extension(payload).message;
  IciClient* receiver = client(message.channel);
  assert(receiver != nullptr && "a message for a channel without client");
  receiver->message_received(node_, message, base::systemc::now());
  return tlm::TLM_COMPLETED;
}

IciClient* IciPort::client(std::uint32_t channel) const {
  auto entry = std::find_if(clients_.begin(), clients_.end(), [&](const auto& e) { return e.first == channel; });
  return entry == clients_.end() ? nullptr : entry->second;
}

}  // namespace podsim::noc::ici
