// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/systemc/systemc_time.h"
#include "noc/ici/ici_port.h"

namespace podsim::noc {

struct Planned {
  base::Time when;
  NodeId node;
  ici::Message message;
};

/// Sends planned messages over a network of either level, and records by tag when each was taken and received.
template <class Network>
struct NetworkBench : sc_core::sc_module, ici::IciClient {
  struct Seen {
    NodeId node;
    base::Time when;
    bool operator==(const Seen&) const = default;
  };

  /// One port for each of `nodes`; the other arguments are the network's, after its name.
  template <class... Arguments>
  explicit NetworkBench(NodeId nodes, Arguments&&... arguments)
      : sc_module(sc_core::sc_module_name(sc_core::sc_gen_unique_name("bench"))),
        fabric("fabric", std::forward<Arguments>(arguments)...) {
    for (NodeId node = 0; node < nodes; ++node) {
      ports.emplace_back(("port_" + std::to_string(node)).c_str(), node);
      ports.back().bind(fabric);
      ports.back().attach(0, *this);
    }
    SC_HAS_PROCESS(NetworkBench);
    SC_METHOD(send_due);
  }

  // A method, as the senders of a real simulation are: the kernel runs it before or after the network's at one time.
  void send_due() {
    for (; next_ < plan.size() && plan[next_].when <= base::systemc::now(); ++next_)
      ports[plan[next_].node].send(plan[next_].message);
    if (next_ < plan.size()) next_trigger(base::systemc::to_sc_time(plan[next_].when - base::systemc::now()));
  }
  void message_taken(NodeId node, const ici::Message& message, base::Time when) override {
    EXPECT_EQ(when, base::systemc::now());
    taken[message.tag] = {node, when};
  }
  void message_received(NodeId node, const ici::Message& message, base::Time when) override {
    EXPECT_EQ(when, base::systemc::now());
    ++times_received[message.tag];
    received[message.tag] = {node, when};
  }
  /// Time at which the last message was received.
  base::Time last() const {
    base::Time latest;
    for (const auto& [tag, seen] : received) latest = std::max(latest, seen.when);
    return latest;
  }

  Network fabric;
  std::deque<ici::IciPort> ports;
  std::vector<Planned> plan;
  std::map<std::uint64_t, Seen> taken, received;
  std::map<std::uint64_t, int> times_received;

 private:
  std::size_t next_ = 0;
};

}  // namespace podsim::noc
