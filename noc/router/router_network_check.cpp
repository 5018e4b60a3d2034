// SPDX-License-Identifier: Apache-2.0
// Part of noc/router/router_network.h.
#include <fmt/format.h>

#include <algorithm>

#include "noc/router/router_network.h"

/// Consistency checks of a network: conservation of flits and credits, and cycles of waiting buffers.
namespace podsim::noc::router {

std::string RouterNetwork::audit() const {
  // By virtual channel of an output, then of a source: its credits, and the number of them that are used elsewhere.
  std::vector<std::int64_t> credits(outputs_.size()), elsewhere(outputs_.size());
  std::int64_t flits = 0;
  const auto feeder = [&](std::uint32_t channel) { return entry_of(inputs_[channel]).upstream + inputs_[channel].vc; };
  const auto place = [&](std::uint32_t target) { return target >= channels_ ? target - channels_ : feeder(target); };
  for (std::size_t target = 0; target < outputs_.size(); ++target) {
    credits[target] = outputs_[target].credits;
    elsewhere[target] = returning_[target].streams.total();
  }
  flits_.for_each([&](const FlitEvent& event) {
    ++elsewhere[place(event.target)];
    ++flits;
  });
  credits_.for_each([&](std::uint32_t target) { ++elsewhere[target]; });
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    for (int i = 0; i < rings_.count(inputs_[channel].ring); ++i) {
      elsewhere[feeder(channel)] += rings_.at(inputs_[channel].ring, i).present;
      flits += rings_.at(inputs_[channel].ring, i).present;
    }
  }
  // Counts have some of a stream's flits already and others not yet.
  streams_.for_each([&](const FlitStream& stream) {
    const std::int32_t crossed = stream.passed(stream.begin, now_), arrived = stream.passed(stream.arrives, now_);
    const std::uint32_t next = place(stream.target);
    credits[next] += stream.count - crossed;
    flits += crossed - arrived;
    if (stream.target >= channels_) {
      elsewhere[next] -= stream.count - crossed;
    } else {
      elsewhere[next] += crossed - stream.arrived;
      flits += arrived - stream.arrived;
    }
    if (stream.channel == nobody) return;
    elsewhere[feeder(stream.channel)] -= stream.count - stream.left;
    flits -= crossed - stream.left;
  });
  for (std::size_t target = 0; target < outputs_.size(); ++target) {
    if (outputs_[target].credits < 0 || credits[target] + elsewhere[target] != parameters_.router.buffer_flits) {
      return fmt::format("virtual channel {}: {} credits and {} elsewhere of {}", target, credits[target],
                         elsewhere[target], parameters_.router.buffer_flits);
    }
  }
  if (flits != flits_sent() - flits_received()) {
    return fmt::format("{} flits were sent, {} received and {} are under way", flits_sent(), flits_received(), flits);
  }
  return "";
}

// The next buffers that the packet at the front of a buffer waits for.
std::vector<std::uint32_t> RouterNetwork::waits_for(std::uint32_t channel) const {
  const InputVc& input = inputs_[channel];
  std::vector<std::uint32_t> buffers;
  if (input.state != State::waiting && input.state != State::active) return buffers;
  const OutputPort& port = output_ports_[std::size_t(input.node) * ports_ + input.output_port];
  if (port.target >= channels_) return buffers;
  if (input.state == State::active) return {port.target + input.output_vc};
  for (int vc = 0; vc < vcs_; ++vc) {
    if ((input.vcs >> vc & 1) != 0) buffers.push_back(port.target + std::uint32_t(vc));
  }
  return buffers;
}

std::string RouterNetwork::buffer_name(std::uint32_t channel) const {
  const InputVc& input = inputs_[channel];
  return fmt::format("{} {}{} vc{}", topology_.name(input.node), dimension_name(input.port / 2),
                     input.port % 2 == 0 ? "+" : "-", input.vc);
}

std::string RouterNetwork::waiting_cycle() const {
  enum class Mark : std::uint8_t { fresh, open, done };
  std::vector<Mark> marks(channels_, Mark::fresh);
  struct Visit {
    std::uint32_t channel;
    std::vector<std::uint32_t> ahead;
  };
  for (std::uint32_t start = 0; start < channels_; ++start) {
    if (marks[start] != Mark::fresh) continue;
    marks[start] = Mark::open;
    std::vector<Visit> path{{start, waits_for(start)}};
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.ahead.empty()) {
        marks[visit.channel] = Mark::done;
        path.pop_back();
        continue;
      }
      const std::uint32_t next = visit.ahead.back();
      visit.ahead.pop_back();
      if (marks[next] == Mark::open) {
        auto begin = std::ranges::find(path, next, &Visit::channel);
        std::string text;
        for (; begin != path.end(); ++begin) text += buffer_name(begin->channel) + " -> ";
        return text + buffer_name(next);
      }
      if (marks[next] == Mark::done) continue;
      marks[next] = Mark::open;
      path.push_back({next, waits_for(next)});
    }
  }
  return "";
}

}  // namespace podsim::noc::router
