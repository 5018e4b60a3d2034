// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/units.h"
#include "noc/chip_switch/switch_arbiter.h"
#include "noc/ici/ici_parameters.h"

namespace podsim::noc::chip_switch {

/// The on-chip switch at packet level, in cycles of its clock, without events. It is a crossbar with a finite queue at
/// every input for each output, so that a packet for a blocked output does not delay packets for others.
///
///   occupancy = max(1, ceil(bytes / bytes_per_cycle)); a packet without data (a read request, an acknowledgement) is
///               one cycle of header, and the header of a packet with data travels in parallel with the data
///   a packet with a free input and a free output crosses, and occupies both for its occupancy (SwitchArbiter decides);
///   it comes out occupancy + crossing_latency after it began, if the output was not blocked;
///   an output whose packet is not taken is blocked: no packet begins to cross to it, and those that are crossing stop
///   where they are; afterwards they come out at the rate of the port
///
/// An unloaded switch therefore takes occupancy + crossing_latency, and an output carries bytes_per_cycle. Width and
/// latency are assumptions of the machine file; the kind of switch is published (ISCA21: point to point between cores,
/// HBM halves, ICI and host).
///
/// At every cycle of next_event() the owner calls deliver(), then taken() for packets taken at once, then arbitrate().
template <class Cargo>
class PacketSwitch {
 public:
  struct Packet {
    int source = 0, destination = 0;  ///< ports
    base::Cycles occupancy;
    Cargo cargo;
  };

  PacketSwitch(const ici::SwitchParameters& parameters, int ports)
      : parameters_(parameters),
        arbiter_(ports),
        queues_(std::size_t(ports * ports)),
        wanted_(std::size_t(ports)),
        input_free_at_(std::size_t(ports)),
        input_busy_(std::size_t(ports)),
        outputs_(std::size_t(ports)) {}

  int ports() const { return int(outputs_.size()); }
  base::Cycles occupancy(base::Bytes bytes) const {
    return base::Cycles(std::max<std::int64_t>(1, base::divide_round_up(bytes.value(), parameters_.bytes_per_cycle)));
  }
  bool room(int source, int destination) const {
    return std::int64_t(queue(source, destination).size()) < parameters_.queue_packets;
  }
  /// Number of packets that wait at an input.
  std::int64_t waiting(int source) const {
    std::int64_t sum = 0;
    for (int output = 0; output < ports(); ++output) sum += std::int64_t(queue(source, output).size());
    return sum;
  }
  /// First cycle in which no packet is being sent to an output, unless more packets start.
  base::Cycles output_free_at(int output) const { return outputs_[std::size_t(output)].free_at; }
  /// Sum of the occupancies of the packets that have begun to cross from an input, or to an output.
  base::Cycles input_busy(int input) const { return input_busy_[std::size_t(input)]; }
  base::Cycles output_busy(int output) const { return outputs_[std::size_t(output)].busy; }

  /// Queues a packet that arrives at its input in cycle `now`. room() must hold.
  void push(const Packet& packet, base::Cycles now) {
    assert(room(packet.source, packet.destination));
    std::deque<Waiting>& waiting = queue(packet.source, packet.destination);
    waiting.push_back({packet, now});
    wanted_[std::size_t(packet.destination)] |= std::uint64_t{1} << packet.source;
  }

  /// Appends the packets that come out by `now`, at most one per output. An output is then blocked until its packet is
  /// taken.
  void deliver(base::Cycles now, std::vector<Packet>& crossed) {
    for (Output& output : outputs_) {
      if (output.blocked || output.crossing.empty() || output.crossing.front().out > now) continue;
      crossed.push_back(output.crossing.front().packet);
      output.crossing.pop_front();
      output.blocked = true;
    }
  }
  /// The packet that came out of `port` last has been taken in cycle `now`.
  void taken(int port, base::Cycles now) {
    Output& output = outputs_[std::size_t(port)];
    assert(output.blocked);
    output.blocked = false;
    if (output.crossing.empty()) return;
    Crossing& next = output.crossing.front();
    next.out = std::max(next.out, now + next.packet.occupancy);
  }

  /// Starts packets that can begin to cross in cycle `now` and appends them; their queue slots are free.
  void arbitrate(base::Cycles now, std::vector<Packet>& started) {
    std::uint64_t free_inputs = 0, free_outputs = 0;
    for (std::size_t port = 0; port < outputs_.size(); ++port) {
      if (input_free_at_[port] <= now) free_inputs |= std::uint64_t{1} << port;
      if (!outputs_[port].blocked && outputs_[port].free_at <= now) free_outputs |= std::uint64_t{1} << port;
    }
    for (const SwitchArbiter::Match& match : arbiter_.match(present(now), free_inputs, free_outputs)) {
      started.push_back(start(match.input, match.output, now));
    }
  }

  /// Next cycle in which a packet can come out or begin to cross, if nothing else arrives or is taken.
  std::optional<base::Cycles> next_event() const {
    std::optional<base::Cycles> next;
    const auto consider = [&next](base::Cycles cycle) { next = std::min(cycle, next.value_or(cycle)); };
    for (std::size_t port = 0; port < outputs_.size(); ++port) {
      const Output& output = outputs_[port];
      if (output.blocked) continue;
      if (!output.crossing.empty()) consider(output.crossing.front().out);
      for (std::uint64_t left = wanted_[port]; left != 0; left &= left - 1) {
        const int input = std::countr_zero(left);
        consider(
            std::max({queue(input, int(port)).front().arrival, input_free_at_[std::size_t(input)], output.free_at}));
      }
    }
    return next;
  }

 private:
  struct Waiting {
    Packet packet;
    base::Cycles arrival;
  };
  struct Crossing {
    Packet packet;
    base::Cycles out;  ///< when it comes out
  };
  struct Output {
    base::Cycles free_at, busy;
    bool blocked = false;  ///< a packet has come out and is not taken
    std::deque<Crossing> crossing;
  };

  std::deque<Waiting>& queue(int source, int destination) {
    return queues_[std::size_t(source * ports() + destination)];
  }
  const std::deque<Waiting>& queue(int source, int destination) const {
    return queues_[std::size_t(source * ports() + destination)];
  }

  /// The part of wanted_ that has arrived by `now`.
  const std::vector<std::uint64_t>& present(base::Cycles now) {
    present_ = wanted_;
    for (int output = 0; output < ports(); ++output) {
      for (std::uint64_t left = wanted_[std::size_t(output)]; left != 0; left &= left - 1) {
        const int input = std::countr_zero(left);
        if (queue(input, output).front().arrival > now) present_[std::size_t(output)] &= ~(std::uint64_t{1} << input);
      }
    }
    return present_;
  }

  Packet start(int source, int destination, base::Cycles now) {
    std::deque<Waiting>& waiting = queue(source, destination);
    const Packet packet = waiting.front().packet;
    waiting.pop_front();
    if (waiting.empty()) wanted_[std::size_t(destination)] &= ~(std::uint64_t{1} << source);
    Output& output = outputs_[std::size_t(destination)];
    input_free_at_[std::size_t(source)] = output.free_at = now + packet.occupancy;
    input_busy_[std::size_t(source)] += packet.occupancy;
    output.busy += packet.occupancy;
    output.crossing.push_back({packet, output.free_at + parameters_.crossing_latency});
    return packet;
  }

  ici::SwitchParameters parameters_;
  SwitchArbiter arbiter_;
  std::vector<std::deque<Waiting>> queues_;  ///< [source][destination]
  std::vector<std::uint64_t> wanted_;        ///< by output, a bit for every input that has a packet for it
  std::vector<std::uint64_t> present_;
  std::vector<base::Cycles> input_free_at_, input_busy_;
  std::vector<Output> outputs_;
};

}  // namespace podsim::noc::chip_switch
