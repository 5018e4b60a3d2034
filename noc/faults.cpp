// SPDX-License-Identifier: Apache-2.0
#include "noc/faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
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

constexpr std::array<KindText, 7> kinds{
    {{Kind::dead_link, "dead-link", "dead-link:(0,0)x+"},
     {Kind::slow_link, "slow-link", "slow-link:(1,0)y-:0.5"},
     {Kind::dead_chip, "dead-chip", "dead-chip:(2,2)"},
     {Kind::slow_chip, "slow-chip", "slow-chip:(2,2):0.8"},
     {Kind::bit_errors, "bit-errors", "bit-errors:1e-12 or bit-errors:(0,0)x+:1e-12"},
     {Kind::stalls, "stalls", "stalls:0.2 or stalls:(0,0)x+:0.2"},
     {Kind::jitter, "jitter", "jitter:5us"}}};

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

/// Returns the valid range of a fault's value as a sentence if `value` is outside it, else an empty text.
std::string_view value_problem(Kind kind, double value) {
  switch (kind) {
    case Kind::bit_errors:
      return value >= 0 && value < 1e-3 ? "" : "a bit error rate is from 0 to less than 1e-3";
    case Kind::stalls:
      return value >= 0 && value <= 0.9 ? "" : "a chance to stall is from 0 to 0.9";
    case Kind::jitter:
      return value >= 0 && value <= 1 ? "" : "jitter is at most 1 s";
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
    if (kind == Kind::jitter) {
      read_duration();
      return fault_;
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

Fault parse_fault(std::string_view text) { return Parser(text).parse(); }

std::string to_string(const Fault& fault) {
  std::string text(text_of(fault.kind).name);
  if (fault.kind == Kind::jitter) return text + ":" + base::to_string(base::Duration(fault.value));
  if (!fault.chip.empty()) text += fmt::format(":({})", fmt::join(fault.chip, ","));
  if (!fault.chip.empty() && names_link(fault.kind)) {
    text += dimension_name(fault.dimension) + (fault.direction > 0 ? "+" : fault.direction < 0 ? "-" : "");
  }
  if (fault.kind == Kind::dead_link || fault.kind == Kind::dead_chip) return text;
  return text + fmt::format(":{}", fault.value);
}

Faults::Faults(const Topology& topology, std::span<const Fault> faults) : any_(!faults.empty()) {
  if (!any_) return;
  links_.resize(std::size_t(topology.link_ids()));
  chips_.resize(std::size_t(topology.nodes()));
  for (const Fault& fault : faults) apply(topology, fault);
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
      chips_[chip_of(topology, fault)].speed = fault.value;
      return;
    case Kind::jitter:
      jitter_ = base::to_time(base::Duration(fault.value));
      return;
  }
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
