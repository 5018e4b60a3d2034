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
#include "noc/ici_parameters.h"
#include "noc/switch_arbiter.h"

namespace podsim::noc {

/// The on-chip switch at packet level, in cycles of its clock, without events: a crossbar with a finite queue at every
/// input for each output, so that a packet for a blocked output holds up none for another.
///
///   occupancy = max(1, ceil(bytes / bytes_per_cycle)); a packet without data (a read request, an acknowledgement) is
///               one cycle of header, the header of a packet with data travels beside them
///   a packet that has a free input and a free output crosses; both are taken for its occupancy (SwitchArbiter decides)
///   it has crossed occupancy + crossing_latency after it began, if the output was not blocked
///   an output whose packet is not taken is blocked: none begins to cross to it, and those that are crossing stop where
///   they are; afterwards they come out at the port's width
///
/// An unloaded switch therefore takes occupancy + crossing_latency, and an output carries bytes_per_cycle. Width and
/// latency are assumptions of the machine file; a switch of this kind is what is published (ISCA21: point to point
/// between cores, HBM halves, ICI and host).
///
/// The owner calls, at every cycle of next_event(): deliver(), taken() for what was taken at once, then arbitrate().
template <class Cargo>
class PacketSwitch {
 public:
  struct Packet {
    int source = 0, destination = 0;  ///< ports
    base::Cycles occupancy;
    Cargo cargo;
  };

  PacketSwitch(const SwitchParameters& parameters, int ports)
      : parameters_(parameters),
        arbiter_(ports),
        queues_(std::size_t(ports * ports)),
        wanted_(std::size_t(ports)),
        input_free_at_(std::size_t(ports)),
        outputs_(std::size_t(ports)) {}

  int ports() const { return int(outputs_.size()); }
  base::Cycles occupancy(base::Bytes bytes) const {
    return base::Cycles(std::max<std::int64_t>(1, base::divide_round_up(bytes.value(), parameters_.bytes_per_cycle)));
  }
  bool room(int source, int destination) const {
    return std::int64_t(queue(source, destination).size()) < parameters_.queue_packets;
  }
  /// Packets that wait at an input.
  std::int64_t waiting(int source) const {
    std::int64_t sum = 0;
    for (int output = 0; output < ports(); ++output) sum += std::int64_t(queue(source, output).size());
    return sum;
  }
  /// The first cycle in which no packet is being sent to an output, as far as is known.
  base::Cycles output_free_at(int output) const { return outputs_[std::size_t(output)].free_at; }

  /// A packet arrives at its input in cycle `now`; only with room.
  void push(const Packet& packet, base::Cycles now) {
    assert(room(packet.source, packet.destination));
    std::deque<Waiting>& waiting = queue(packet.source, packet.destination);
    waiting.push_back({packet, now});
    wanted_[std::size_t(packet.destination)] |= std::uint64_t{1} << packet.source;
  }

  /// Appends the packets that come out by `now`, at most one of each output. An output is blocked from then on until
  /// its packet is taken.
  void deliver(base::Cycles now, std::vector<Packet>& crossed) {
    for (Output& output : outputs_) {
      if (output.blocked || output.crossing.empty() || output.crossing.front().out > now) continue;
      crossed.push_back(output.crossing.front().packet);
      output.crossing.pop_front();
      output.blocked = true;
    }
  }
  /// The packet that came out last has been taken in cycle `now`.
  void taken(int port, base::Cycles now) {
    Output& output = outputs_[std::size_t(port)];
    assert(output.blocked);
    output.blocked = false;
    if (output.crossing.empty()) return;
    Crossing& next = output.crossing.front();
    next.out = std::max(next.out, now + next.packet.occupancy);
  }

  /// Lets packets begin to cross in cycle `now`. Appends them: their places in the queues are free.
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

  /// The next cycle in which a packet can come out or begin to cross if nothing else arrives or is taken.
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
    base::Cycles free_at;
    bool blocked = false;  ///< a packet has come out and is not taken
    std::deque<Crossing> crossing;
  };

  std::deque<Waiting>& queue(int source, int destination) {
    return queues_[std::size_t(source * ports() + destination)];
  }
  const std::deque<Waiting>& queue(int source, int destination) const {
    return queues_[std::size_t(source * ports() + destination)];
  }

  /// What of wanted_ has arrived by `now`.
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
    output.crossing.push_back({packet, output.free_at + parameters_.crossing_latency});
    return packet;
  }

  SwitchParameters parameters_;
  SwitchArbiter arbiter_;
  std::vector<std::deque<Waiting>> queues_;  ///< [source][destination]
  std::vector<std::uint64_t> wanted_;        ///< per output, a bit for every input that has a packet for it
  std::vector<std::uint64_t> present_;
  std::vector<base::Cycles> input_free_at_;
  std::vector<Output> outputs_;
};

}  // namespace podsim::noc
