// SPDX-License-Identifier: Apache-2.0
#include "noc/faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/diagnostic.h"
#include "base/dimensional.h"

namespace podsim::noc {
namespace {

using Kind = Fault::Kind;

struct KindText {
  Kind kind;
  std::string_view name;
  std::string_view form;
};

constexpr std::array<KindText, 12> kinds{
    {{Kind::dead_link, "dead-link", "dead-link:(0,0)x+"},
     {Kind::slow_link, "slow-link", "slow-link:(1,0)y-:0.5"},
     {Kind::dead_chip, "dead-chip", "dead-chip:(2,2)"},
     {Kind::slow_chip, "slow-chip", "slow-chip:(2,2):0.8"},
     {Kind::slow_clock, "slow-clock", "slow-clock:(2,2):0.8"},
     {Kind::slow_hbm, "slow-hbm", "slow-hbm:(2,2):0.8"},
     {Kind::slow_host, "slow-host", "slow-host:3:0.5"},
     {Kind::bit_errors, "bit-errors", "bit-errors:1e-12 or bit-errors:(0,0)x+:1e-12"},
     {Kind::stalls, "stalls", "stalls:0.2 or stalls:(0,0)x+:0.2"},
     {Kind::jitter, "jitter", "jitter:5us or jitter:exponential:5us"},
     {Kind::host_jitter, "host-jitter", "host-jitter:5us or host-jitter:exponential:5us"},
     {Kind::speeds, "speeds", "speeds:normal:0.01"}}};

/// What is drawn for what, so that a draw is independent of the others.
constexpr std::uint64_t draws_of_speeds = 1, draws_of_chips = 2, draws_of_hosts = 3;

const KindText& text_of(Kind kind) {
  for (const KindText& text : kinds) {
    if (text.kind == kind) return text;
  }
  return kinds[0];
}

bool names_link(Kind kind) {
  return kind == Kind::dead_link || kind == Kind::slow_link || kind == Kind::bit_errors || kind == Kind::stalls;
}

/// Returns whether a fault may apply to every link.
bool everywhere(Kind kind) { return kind == Kind::bit_errors || kind == Kind::stalls; }

bool is_jitter(Kind kind) { return kind == Kind::jitter || kind == Kind::host_jitter; }

/// Returns whether a fault may name a distribution.
bool is_drawn(Kind kind) { return is_jitter(kind) || kind == Kind::speeds; }

/// Returns the valid range of a fault's value as a sentence if `value` is outside it, else an empty text.
std::string_view value_problem(Kind kind, double value) {
  switch (kind) {
    case Kind::bit_errors:
      return value >= 0 && value < 1e-3 ? "" : "a bit error rate is from 0 to less than 1e-3";
    case Kind::stalls:
      return value >= 0 && value <= 0.9 ? "" : "a chance to stall is from 0 to 0.9";
    case Kind::jitter:
    case Kind::host_jitter:
      return value >= 0 && value <= 1 ? "" : "jitter is at most 1 s";
    case Kind::speeds:
      return value >= 0 && value <= 1 ? "" : "chips are slower by a part from 0 to 1";
    default:
      return value >= 0.001 && value <= 1 ? "" : "a speed is a fraction of the healthy one, from 0.001 to 1";
  }
}

/// Parses a fault from left to right.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

  Fault parse() {
    read_kind();
    const Kind kind = fault_.kind;
    if (is_drawn(kind)) read_distribution();
    if (is_jitter(kind)) {
      read_duration();
      return fault_;
    }
    if (kind == Kind::speeds) {
      read_value();
      return finish();
    }
    if (kind == Kind::slow_host) {
      read_host();
      expect(':');
      read_value();
      return finish();
    }
    if (!everywhere(kind) || rest_.starts_with('(')) {
      read_chip();
      if (names_link(kind)) read_direction();
      if (kind == Kind::dead_link || kind == Kind::dead_chip) return finish();
      expect(':');
    }
    read_value();
    return finish();
  }

 private:
  [[noreturn]] void malformed() const {
    throw base::InputError(fmt::format("'{}' is not a fault", text_),
                           known_ ? fmt::format("such as {}", text_of(fault_.kind).form) : "");
  }
  void expect(char c) {
    if (!rest_.starts_with(c)) malformed();
    rest_.remove_prefix(1);
  }
  Fault finish() const {
    if (!rest_.empty()) malformed();
    return fault_;
  }

  void read_kind() {
    const std::string_view name = rest_.substr(0, rest_.find(':'));
    std::vector<std::string> names;
    for (const KindText& kind : kinds) {
      names.emplace_back(kind.name);
      if (kind.name != name) continue;
      fault_.kind = kind.kind;
      known_ = true;
    }
    if (!known_) {
      const std::string hint = base::did_you_mean(name, names);
      throw base::InputError(fmt::format("'{}' is not a kind of fault", name),
                             hint.empty() ? fmt::format("one of: {}", fmt::join(names, ", ")) : hint);
    }
    rest_.remove_prefix(name.size());
    expect(':');
  }
  void read_chip() {
    expect('(');
    while (true) {
      std::int32_t coordinate = 0;
      auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), coordinate);
      if (error != std::errc() || coordinate < 0) malformed();
      rest_.remove_prefix(std::size_t(end - rest_.data()));
      fault_.chip.push_back(coordinate);
      if (rest_.starts_with(')')) break;
      expect(',');
    }
    rest_.remove_prefix(1);
  }
  void read_host() {
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), fault_.host);
    if (error != std::errc() || fault_.host < 0) malformed();
    rest_.remove_prefix(std::size_t(end - rest_.data()));
  }
  /// A word with a colon behind it; an amount has none.
  void read_distribution() {
    const std::size_t colon = rest_.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view name = rest_.substr(0, colon);
    const std::optional<Distribution> known = parse_distribution(name);
    if (!known) {
      const std::vector<std::string> names{"uniform", "exponential", "normal"};
      const std::string hint = base::did_you_mean(name, names);
      throw base::InputError(fmt::format("'{}' is not a distribution", name),
                             hint.empty() ? fmt::format("one of: {}", fmt::join(names, ", ")) : hint);
    }
    fault_.distribution = *known;
    rest_.remove_prefix(colon + 1);
  }
  void read_direction() {
    int dimension = 0;
    while (dimension < max_dimensions && !rest_.starts_with(dimension_name(dimension))) ++dimension;
    if (dimension == max_dimensions) malformed();
    fault_.dimension = dimension;
    rest_.remove_prefix(dimension_name(dimension).size());
    if (rest_.starts_with('+') || rest_.starts_with('-')) {
      fault_.direction = rest_.front() == '+' ? 1 : -1;
      rest_.remove_prefix(1);
    }
  }
  void read_value() {
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), fault_.value);
    if (error != std::errc() || end != rest_.data() + rest_.size()) malformed();
    rest_ = {};
    check_value();
  }
  void read_duration() {
    std::optional<base::Dimensional> value;
    try {
      value = base::parse_dimensional(rest_, {});
    } catch (const base::InputError&) {
      malformed();
    }
    if (value->kind != base::Dimensional::Kind::duration) malformed();
    fault_.value = value->si;
    check_value();
  }
  void check_value() const {
    const std::string_view problem = value_problem(fault_.kind, fault_.value);
    if (!problem.empty()) throw base::InputError(fmt::format("'{}': {}", text_, problem));
  }

  std::string_view text_, rest_;
  Fault fault_;
  bool known_ = false;
};

}  // namespace

bool of_chips(Kind kind) {
  return kind != Kind::dead_link && kind != Kind::slow_link && kind != Kind::dead_chip && kind != Kind::bit_errors &&
         kind != Kind::stalls;
}

Fault parse_fault(std::string_view text) { return Parser(text).parse(); }

std::string to_string(const Fault& fault) {
  std::string text(text_of(fault.kind).name);
  if (is_drawn(fault.kind) && fault.distribution != Distribution::uniform) {
    text += fmt::format(":{}", to_string(fault.distribution));
  }
  if (is_jitter(fault.kind)) return text + ":" + base::to_string(base::Duration(fault.value));
  if (fault.kind == Kind::slow_host) return text + fmt::format(":{}:{}", fault.host, fault.value);
  if (!fault.chip.empty()) text += fmt::format(":({})", fmt::join(fault.chip, ","));
  if (!fault.chip.empty() && names_link(fault.kind)) {
    text += dimension_name(fault.dimension) + (fault.direction > 0 ? "+" : fault.direction < 0 ? "-" : "");
  }
  if (fault.kind == Kind::dead_link || fault.kind == Kind::dead_chip) return text;
  return text + fmt::format(":{}", fault.value);
}

Faults::Faults(const Topology& topology, std::span<const Fault> faults, const FaultContext& context)
    : any_(!faults.empty()), context_(context) {
  if (!any_) return;
  links_.resize(std::size_t(topology.link_ids()));
  chips_.resize(std::size_t(topology.nodes()));
  hosts_.emplace(topology, context.host_chips);
  host_speeds_.resize(std::size_t(hosts_->hosts()), 1.0);
  for (const Fault& fault : faults) apply(topology, fault);
  for (ChipState& chip : chips_) {
    const double both = chip.slow_chip * chip.drawn;
    chip.speed = {chip.own.clock * both, chip.own.hbm * both};
  }
}

void Faults::apply(const Topology& topology, const Fault& fault) {
  switch (fault.kind) {
    case Kind::dead_link:
      for (LinkId link : links_of(topology, fault)) links_[link].dead = any_dead_ = true;
      return;
    case Kind::slow_link:
      for (LinkId link : links_of(topology, fault)) links_[link].speed = fault.value;
      return;
    case Kind::bit_errors:
      for (LinkId link : links_of(topology, fault)) links_[link].bit_error_rate = fault.value;
      return;
    case Kind::stalls:
      for (LinkId link : links_of(topology, fault)) links_[link].stall_rate = fault.value;
      return;
    case Kind::dead_chip:
      return kill_chip(topology, chip_of(topology, fault));
    case Kind::slow_chip:
      chips_[chip_of(topology, fault)].slow_chip = fault.value;
      return;
    case Kind::slow_clock:
      chips_[chip_of(topology, fault)].own.clock = fault.value;
      return;
    case Kind::slow_hbm:
      chips_[chip_of(topology, fault)].own.hbm = fault.value;
      return;
    case Kind::slow_host:
      if (fault.host >= std::int64_t(host_speeds_.size())) {
        throw base::InputError(fmt::format("'{}': a slice of {} has {} hosts, from 0 on", to_string(fault),
                                           to_string(topology), host_speeds_.size()));
      }
      host_speeds_[std::size_t(fault.host)] = fault.value;
      return;
    case Kind::jitter:
      jitter_ = {fault.distribution, base::to_time(base::Duration(fault.value))};
      return;
    case Kind::host_jitter:
      host_jitter_ = {fault.distribution, base::to_time(base::Duration(fault.value))};
      return;
    case Kind::speeds:
      return draw_speeds(fault);
  }
}

void Faults::draw_speeds(const Fault& fault) {
  for (std::size_t chip = 0; chip < chips_.size(); ++chip) {
    const std::array<std::uint64_t, 2> what{draws_of_speeds, chip};
    chips_[chip].drawn = 1 / (1 + fault.value * quantile(fault.distribution, drawn_share(context_.seed, what)));
  }
}

base::Time Faults::delay(NodeId chip, std::int64_t turn) const {
  const auto amount = [&](const Jitter& jitter, std::uint64_t draws, std::int64_t number) {
    if (jitter.scale == base::Time(0)) return base::Time(0);
    const std::array<std::uint64_t, 3> what{draws, std::uint64_t(number), std::uint64_t(turn)};
    const double part = quantile(jitter.distribution, drawn_share(context_.seed, what));
    return base::Time(std::llround(part * double(jitter.scale.value())));
  };
  return amount(jitter_, draws_of_chips, chip) +
         amount(host_jitter_, draws_of_hosts, hosts_ ? hosts_->host_of(chip) : 0);
}

std::vector<NodeId> Faults::dead_chips() const {
  std::vector<NodeId> dead;
  for (std::size_t chip = 0; chip < chips_.size(); ++chip) {
    if (chips_[chip].dead) dead.push_back(NodeId(chip));
  }
  return dead;
}

void Faults::kill_chip(const Topology& topology, NodeId chip) {
  chips_[chip].dead = any_dead_ = true;
  for (LinkId id = 0; id < topology.link_ids(); ++id) {
    const auto link = topology.link(id);
    if (link && (link->from == chip || link->to == chip)) links_[id].dead = true;
  }
}

NodeId Faults::chip_of(const Topology& topology, const Fault& fault) {
  Coordinates at{};
  bool inside = int(fault.chip.size()) == topology.dimensions();
  for (int d = 0; inside && d < topology.dimensions(); ++d) {
    at[d] = fault.chip[d];
    inside = at[d] < topology.size(d);
  }
  if (inside) return topology.node(at);
  throw base::InputError(fmt::format("'{}': a slice of {} has no chip ({})", to_string(fault), to_string(topology),
                                     fmt::join(fault.chip, ",")));
}

std::vector<LinkId> Faults::links_of(const Topology& topology, const Fault& fault) {
  std::vector<LinkId> links;
  if (fault.chip.empty()) {
    for (LinkId id = 0; id < topology.link_ids(); ++id) links.push_back(id);
    return links;
  }
  const NodeId chip = chip_of(topology, fault);
  for (int direction : {1, -1}) {
    if (fault.direction == -direction || fault.dimension >= topology.dimensions()) continue;
    if (topology.neighbour(chip, fault.dimension, direction)) {
      links.push_back(topology.link_id(chip, fault.dimension, direction));
    }
  }
  if (links.empty()) throw base::InputError(fmt::format("'{}': there is no such link", to_string(fault)));
  return links;
}

}  // namespace podsim::noc
