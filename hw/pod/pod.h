// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

#include "hw/chip/chip.h"
#include "noc/ici/message_fabric.h"

namespace podsim::hw::pod {

/// The simulated chips of a slice and the network that joins them: every chip's ICI port is bound to its node of the
/// network, whether or not anything will pass it. `Network` is noc::ici::MessageFabric or PacketNetwork. In the
/// SystemC hierarchy the network is `fabric`, below the pod as the chips are.
template <class Network>
class PodOf : public sc_core::sc_module {
 public:
  /// Makes the chip of a node, with this binding of its ICI port.
  using MakeChip = std::function<std::unique_ptr<chip::Chip>(noc::NodeId node, const chip::IciBinding& ici)>;

  /// Makes the network of `network`, its arguments after the name, and then `chips` chips in the order of their nodes.
  template <class... NetworkArguments>
  PodOf(sc_core::sc_module_name name, noc::NodeId chips, const MakeChip& make_chip, NetworkArguments&&... network)
      : sc_module(name), network_("fabric", std::forward<NetworkArguments>(network)...) {
    for (noc::NodeId node = 0; node < chips; ++node) chips_.push_back(make_chip(node, chip::to_network(network_)));
  }
  /// SystemC finds an object fast that was made last.
  ~PodOf() override {
    while (!chips_.empty()) chips_.pop_back();
  }

  Network& network() { return network_; }
  const Network& network() const { return network_; }
  chip::Chip& chip(noc::NodeId node) { return *chips_[std::size_t(node)]; }
  std::vector<chip::Chip*> chips() const {
    std::vector<chip::Chip*> result;
    for (const std::unique_ptr<chip::Chip>& chip : chips_) result.push_back(chip.get());
    return result;
  }

 private:
  Network network_;
  std::vector<std::unique_ptr<chip::Chip>> chips_;
};

/// A pod at message level.
using Pod = PodOf<noc::ici::MessageFabric>;

}  // namespace podsim::hw::pod
