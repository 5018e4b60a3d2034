// SPDX-License-Identifier: Apache-2.0
// Part of noc/router/router_network.h.
#include <fmt/format.h>

#include <algorithm>

#include "noc/router/router_network.h"

/// Consistency checks of a network: conservation of flits and credits, and cycles of waiting buffers.
namespace podsim::noc::router {

std::string RouterNetwork::audit() const {
  // By virtual channel of an output, then of a source: the number of its credits that are used elsewhere.
  std::vector<std::int64_t> elsewhere(channels_ + source_credits_.size());
  std::int64_t flits = 0;
  const auto feeder = [&](std::uint32_t channel) {
    const InputVc& input = inputs_[channel];
    return input_ports_[std::size_t(input.node) * ports_ + input.port].upstream + input.vc;
  };
  flits_.for_each([&](const FlitEvent& event) {
    ++elsewhere[event.target >= channels_ ? event.target - channels_ : feeder(event.target)];
    ++flits;
  });
  credits_.for_each([&](std::uint32_t target) { ++elsewhere[target]; });
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    for (int i = 0; i < rings_.count(channel); ++i) {
      elsewhere[feeder(channel)] += rings_.at(channel, i).present;
      flits += rings_.at(channel, i).present;
    }
  }
  for (std::uint32_t target = 0; target < elsewhere.size(); ++target) {
    const std::int32_t credits = target < channels_ ? outputs_[target].credits : source_credits_[target - channels_];
    if (credits < 0 || credits + elsewhere[target] != parameters_.router.buffer_flits) {
      return fmt::format("virtual channel {}: {} credits and {} elsewhere of {}", target, credits, elsewhere[target],
                         parameters_.router.buffer_flits);
    }
  }
  if (flits != flits_sent_ - flits_received_) {
    return fmt::format("{} flits were sent, {} received and {} are under way", flits_sent_, flits_received_, flits);
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
