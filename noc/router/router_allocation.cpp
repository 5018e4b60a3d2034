// SPDX-License-Identifier: Apache-2.0
// Part of noc/router/router_network.h.
#include <algorithm>
#include <array>
#include <bit>

#include "noc/router/round_robin.h"
#include "noc/router/router_network.h"

/// The stages of a router: routes, virtual channels and the switch.
namespace podsim::noc::router {

namespace {

constexpr int max_words = max_ports;  // 64-bit words of a mask of a router's input virtual channels
// Virtual channels of a link that are held when no packet of a node may have another: the packet that crosses, and the
// one that crosses next. The rest is for packets that are already in the network.
constexpr int max_held_before_entry = 2;

}  // namespace

// Router stages use the state at the beginning of the cycle: a virtual channel that is freed or granted, or a route
// that is found in this cycle, counts from the next.
void RouterNetwork::run_router(NodeId node) {
  std::uint64_t routing[max_words], waiting[max_words], ready[max_words];
  const std::size_t first = std::size_t(node) * words_;
  std::uint64_t any_routing = 0, any_waiting = 0, any_ready = 0;
  for (int word = 0; word < words_; ++word) {
    any_routing |= routing[word] = routing_[first + word];
    any_waiting |= waiting[word] = waiting_[first + word];
    any_ready |= ready[word] = ready_[first + word];
  }
  if (any_waiting != 0) allocate_vcs(node, waiting);
  if (any_ready != 0) allocate_switch(node, ready);
  if (any_routing != 0) {
    for (int word = 0; word < words_; ++word) {
      for (std::uint64_t bits = routing[word]; bits != 0; bits &= bits - 1) {
        const std::uint32_t channel = first_channel(node) + std::uint32_t(word * 64 + std::countr_zero(bits));
        if (inputs_[channel].ready_at > now_) continue;
        clear(routing_, inputs_[channel]);
        find_route(channel, now_ + parameters_.router.route_cycles);
      }
    }
  }
  if (may_sleep(node)) active_[std::size_t(node) / 64] &= ~(std::uint64_t(1) << node % 64);
}

// Returns whether nothing can happen in a router before an event of it: what waits, waits for release() or
// stop_leaving().
bool RouterNetwork::may_sleep(NodeId node) const {
  const std::size_t first = std::size_t(node) * words_;
  for (int word = 0; word < words_; ++word) {
    if (routing_[first + word] != 0) return false;
    for (std::uint64_t bits = waiting_[first + word] | ready_[first + word]; bits != 0; bits &= bits - 1) {
      const InputVc& input = inputs_[first_channel(node) + std::uint32_t(word * 64 + std::countr_zero(bits))];
      const bool blocked = input.state == State::waiting ? vcs_for(input) == 0 : waits_for_stream(input);
      if (!blocked || input.ready_at > now_) return false;
    }
  }
  return true;
}

// Virtual channels of the output that a waiting packet may have now.
std::uint64_t RouterNetwork::vcs_for(const InputVc& input) const {
  const std::uint64_t free = free_vcs_[std::size_t(input.node) * ports_ + input.output_port];
  const bool enters = input.port >= routes_.first_local_port() && input.output_port < routes_.first_local_port();
  if (rotary() && enters && vcs_ - std::popcount(free) >= max_held_before_entry) return 0;
  return input.vcs & free;
}

void RouterNetwork::allocate_vcs(NodeId node, const std::uint64_t* waiting) {
  const std::uint32_t first = first_channel(node);
  requests_.clear();
  for (int word = 0; word < words_; ++word) {
    for (std::uint64_t bits = waiting[word]; bits != 0; bits &= bits - 1) {
      const int index = word * 64 + std::countr_zero(bits);
      const InputVc& input = inputs_[first + std::uint32_t(index)];
      const std::uint64_t vcs = vcs_for(input);
      if (vcs == 0 || input.ready_at > now_) continue;
      requests_.push_back({.input = index, .output_port = input.output_port, .vcs = vcs});
    }
  }
  if (requests_.empty()) return;
  vc_allocator_.allocate(requests_, {&grant_pointers_[first], &accept_pointers_[first]});
  for (const VcRequest& request : requests_) {
    if (request.granted >= 0) give_vc(first + std::uint32_t(request.input), request.granted);
  }
}

void RouterNetwork::give_vc(std::uint32_t channel, int output_vc) {
  InputVc& input = inputs_[channel];
  input.state = State::active;
  input.ready_at = now_ + parameters_.router.vc_cycles;
  input.output_vc = std::uint8_t(output_vc);
  input.head = true;
  outputs_[output_of(input)].owner = channel;
  free_vcs_[std::size_t(input.node) * ports_ + input.output_port] &= ~(std::uint64_t(1) << output_vc);
  clear(waiting_, input);
  consider(channel);
}

// Returns whether a ready packet that has not begun to cross waits for a stream, which is not broken up for it.
bool RouterNetwork::waits_for_stream(const InputVc& input) const {
  return rotary() && input.head && (entry_of(input).streaming & port_of(input).streaming) != nobody;
}

// Leaves of the ready packets those that no other goes before: by rank for each output, and at each input those that
// have begun to cross. A packet whose input is held keeps its output free for itself.
void RouterNetwork::leave_first(NodeId node, std::uint64_t* ready) const {
  enum Rank : std::uint8_t { begun, from_link, from_node, none };
  const auto rank_of = [&](const InputVc& input) {
    return !input.head ? begun : input.port < routes_.first_local_port() ? from_link : from_node;
  };
  std::array<Rank, max_ports> best;
  best.fill(none);
  PortMask held_inputs = 0;
  const auto for_ready = [&](auto&& visit) {
    for (int word = 0; word < words_; ++word) {
      for (std::uint64_t bits = ready[word]; bits != 0; bits &= bits - 1) {
        const InputVc& input = inputs_[first_channel(node) + std::uint32_t(word * 64 + std::countr_zero(bits))];
        if (!visit(input)) ready[word] &= ~(bits & -bits);
      }
    }
  };
  for_ready([&](const InputVc& input) {
    if (input.ready_at > now_ || port_of(input).free_at > now_ * one_cycle) return false;
    best[input.output_port] = std::min(best[input.output_port], rank_of(input));
    if (!input.head) held_inputs |= PortMask(1) << input.port;
    return !waits_for_stream(input);
  });
  for_ready([&](const InputVc& input) {
    return rank_of(input) == best[input.output_port] && (!input.head || (held_inputs >> input.port & 1) == 0);
  });
}

// For each output, an input requests with the first of its ready virtual channels at or after its pointer.
void RouterNetwork::allocate_switch(NodeId node, std::uint64_t* ready) {
  break_streams(node, ready);
  if (rotary()) leave_first(node, ready);
  const std::uint32_t first = first_channel(node);
  OutputPort* const ports = &output_ports_[std::size_t(node) * ports_];
  std::uint8_t* const offsets = &vc_offsets_[std::size_t(node) * ports_];
  PortMask requests[max_ports] = {};
  std::uint8_t choice[max_ports][max_ports];  // [input][output]: a virtual channel
  PortMask requested = 0, shared_inputs = 0, seen_inputs = 0;
  for (int word = 0; word < words_; ++word) {
    for (std::uint64_t bits = ready[word]; bits != 0; bits &= bits - 1) {
      const InputVc& input = inputs_[first + std::uint32_t(word * 64 + std::countr_zero(bits))];
      const int output = input.output_port;
      if (input.ready_at > now_ || ports[output].free_at > now_ * one_cycle) continue;
      shared_inputs |= seen_inputs & PortMask(1) << input.port;
      seen_inputs |= PortMask(1) << input.port;
      const PortMask bit = PortMask(1) << input.port;
      if ((requests[output] & bit) != 0) {
        const auto turn = [&](int vc) { return vc < offsets[input.port] ? vc + vcs_ : vc; };
        if (turn(input.vc) >= turn(choice[input.port][output])) continue;
      }
      requests[output] |= bit;
      requested |= PortMask(1) << output;
      choice[input.port][output] = input.vc;
    }
  }
  if (requested == 0) return;
  std::uint8_t granted[max_ports];
  PortMask matched = switch_allocator_.allocate(requests, requested, switch_pointers_[node], granted);
  for (; matched != 0; matched &= matched - 1) {
    const int port = std::countr_zero(matched);
    const int output = granted[port];
    const int vc = choice[port][output];
    offsets[port] = std::uint8_t(round_robin_next(vc, vcs_));
    const std::uint32_t channel = first + std::uint32_t(port * vcs_ + vc);
    const bool alone = (requests[output] & (requests[output] - 1)) == 0 && (shared_inputs >> port & 1) == 0;
    const bool keeps = rotary() && inputs_[channel].head;
    if ((!alone && !keeps) || !begin_stream(channel)) cross_switch(channel, ports[output]);
  }
}

}  // namespace podsim::noc::router
