// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <tlm>

namespace podsim::hw::memory::banks {

/// Sends the answers of a unit into the on-chip switch in the order in which they come, each when the switch has taken
/// the one before.
class ResponseQueue {
 public:
  /// `socket` is the target socket through which the switch sends requests to the unit.
  template <class Socket>
  explicit ResponseQueue(Socket& socket)
      : begin_response_([&socket](tlm::tlm_generic_payload& payload) {
          tlm::tlm_phase phase = tlm::BEGIN_RESP;
          sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
          return socket->nb_transport_bw(payload, phase, delay);
        }) {}

  void push(tlm::tlm_generic_payload& payload) {
    waiting_.push_back(&payload);
    send();
  }
  /// The switch has taken the last answer (END_RESP).
  void taken() {
    answering_ = false;
    send();
  }

 private:
  void send() {
    while (!answering_ && !waiting_.empty()) {
      tlm::tlm_generic_payload& payload = *waiting_.front();
      waiting_.pop_front();
      answering_ = begin_response_(payload) == tlm::TLM_ACCEPTED;
    }
  }

  std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&)> begin_response_;
  std::deque<tlm::tlm_generic_payload*> waiting_;
  bool answering_ = false;
};

}  // namespace podsim::hw::memory::banks
