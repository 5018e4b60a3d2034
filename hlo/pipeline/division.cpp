// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/division.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/text/counted.h"

namespace podsim::hlo::pipeline {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double tolerance = 1.05;  // of the most expensive chunk's cost

/// What divisions are chosen by. Boundary i is before activation i.
class Boundaries {
 public:
  Boundaries(const Network& network, std::span<const double> costs)
      : network_(network), origins_(find_origins(network)), position_(origins_.of.size(), -1) {
    for (std::size_t i = 0; i < size(); ++i) position_[std::size_t(activation(i))] = std::ptrdiff_t(i);
    costs_.push_back(0);
    for (const InstructionId id : origins_.activations) {
      costs_.push_back(costs_.back() + (costs.empty() ? 0 : costs[std::size_t(id)]));
    }
    add_bytes();
    forbid_given();
  }

  std::size_t size() const { return origins_.activations.size(); }
  InstructionId activation(std::size_t i) const { return origins_.activations[i]; }
  /// Cost of the activations in [first, end).
  double cost(std::size_t first, std::size_t end) const { return costs_[end] - costs_[first]; }
  /// Bytes that are sent over boundary i; infinite if no chunk can begin there.
  double bytes(std::size_t i) const { return bytes_[i]; }

 private:
  void add_bytes() {
    std::vector<std::size_t> last(size());
    for (std::size_t i = 0; i < size(); ++i) {
      last[i] = i;
      for (const InstructionId operand : network_.graph[activation(i)].operands) {
        if (const std::ptrdiff_t at = position_[std::size_t(operand)]; at >= 0) last[std::size_t(at)] = i;
      }
    }
    std::vector<double> change(size() + 1, 0);
    std::vector<int> tuples(size() + 1, 0);
    for (std::size_t i = 0; i < size(); ++i) {
      if (last[i] == i) continue;
      const Shape& shape = network_.graph.shape(activation(i));
      const bool is_array = !shape.is_tuple() && byte_width(shape.element_type) > 0;
      const double bytes = is_array ? double(logical_bytes(shape).value()) : 0;
      change[i + 1] += bytes;
      change[last[i] + 1] -= bytes;
      tuples[i + 1] += is_array ? 0 : 1;
      tuples[last[i] + 1] -= is_array ? 0 : 1;
    }
    double sent = 0;
    int tuples_sent = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      sent += change[i];
      tuples_sent += tuples[i];
      bytes_.push_back(i == 0 || tuples_sent > 0 ? infinite : sent);
    }
  }

  /// Forbids boundaries between the operations that a given gradient replaces.
  void forbid_given() {
    for (const transform::GivenGradient& given : network_.given) {
      const std::ptrdiff_t result = position_[std::size_t(given.result)];
      if (result < 0) continue;
      std::vector<bool> seen(size(), false);
      std::vector<std::ptrdiff_t> left{result};
      std::ptrdiff_t first = result;
      while (!left.empty()) {
        const std::ptrdiff_t at = left.back();
        left.pop_back();
        if (seen[std::size_t(at)]) continue;
        seen[std::size_t(at)] = true;
        first = std::min(first, at);
        for (const InstructionId operand : network_.graph[activation(std::size_t(at))].operands) {
          const bool is_source = std::ranges::find(given.operands, operand) != given.operands.end();
          if (const std::ptrdiff_t next = position_[std::size_t(operand)];
              next >= 0 && !is_source && origins_.trained[std::size_t(operand)]) {
            left.push_back(next);
          }
        }
      }
      for (std::ptrdiff_t i = first + 1; i <= result; ++i) bytes_[std::size_t(i)] = infinite;
    }
  }

  const Network& network_;
  Origins origins_;
  std::vector<std::ptrdiff_t> position_;  ///< by instruction: among the activations; -1 if it is none
  std::vector<double> costs_;             ///< of all activations before each
  std::vector<double> bytes_;
};

/// Whether chunks that cost `most` at most suffice.
bool suffices(const Boundaries& boundaries, std::size_t chunks, double most) {
  std::size_t begin = 0, end = 0;  // of the chunk that is filled; its last possible end
  for (std::size_t i = 1; i <= boundaries.size(); ++i) {
    if (i < boundaries.size() && boundaries.bytes(i) == infinite) continue;
    if (boundaries.cost(begin, i) > most) {
      if (end == begin || --chunks == 0 || boundaries.cost(end, i) > most) return false;
      begin = end;
    }
    end = i;
  }
  return true;
}

double least_cost(const Boundaries& boundaries, std::size_t chunks) {
  double too_little = 0, enough = boundaries.cost(0, boundaries.size());
  for (int i = 0; i < 50; ++i) {
    const double middle = (too_little + enough) / 2;
    (suffices(boundaries, chunks, middle) ? enough : too_little) = middle;
  }
  return enough;
}

struct Chosen {
  std::vector<std::size_t> begins;  ///< empty if there are none
  double sent = infinite;           ///< bytes
};

/// Begins of the chunks that send the least bytes if no chunk may cost more than `most`.
Chosen least_sent(const Boundaries& boundaries, std::size_t chunks, double most) {
  const std::size_t size = boundaries.size();
  std::vector<double> sent(size + 1, infinite);  // by end of the chunks so far
  std::vector<std::vector<std::size_t>> begins;  // by chunk, by its end
  sent[0] = 0;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    std::vector<double> next(size + 1, infinite);
    std::vector<std::size_t>& from = begins.emplace_back(size + 1, 0);
    std::deque<std::size_t> window;  // possible begins, by ascending bytes
    for (std::size_t end = 1; end <= size; ++end) {
      while (!window.empty() && sent[window.back()] >= sent[end - 1]) window.pop_back();
      if (sent[end - 1] < infinite) window.push_back(end - 1);
      while (!window.empty() && boundaries.cost(window.front(), end) > most) window.pop_front();
      if (window.empty() || (end < size && boundaries.bytes(end) == infinite)) continue;
      next[end] = sent[window.front()] + (end < size ? boundaries.bytes(end) : 0);
      from[end] = window.front();
    }
    sent = std::move(next);
  }
  if (sent[size] == infinite) return {};
  Chosen result{{}, sent[size]};
  for (std::size_t chunk = chunks, end = size; chunk-- > 0;) result.begins.push_back(end = begins[chunk][end]);
  std::ranges::reverse(result.begins);
  return result;
}

/// As above if the most expensive chunk may cost `tolerance` times `least`: of those that send as little, the one whose
/// most expensive chunk costs least.
Chosen least_sent_of_balanced(const Boundaries& boundaries, std::size_t chunks, double least) {
  double too_little = least, enough = least * tolerance;
  Chosen best = least_sent(boundaries, chunks, enough);
  for (int i = 0; i < 20 && !best.begins.empty(); ++i) {
    const double middle = (too_little + enough) / 2;
    Chosen tighter = least_sent(boundaries, chunks, middle);
    const bool is_as_good = tighter.sent <= best.sent;
    (is_as_good ? enough : too_little) = middle;
    if (is_as_good) best = std::move(tighter);
  }
  return best;
}

bool begins_with(std::string_view op_name, std::string_view prefix) {
  return op_name.starts_with(prefix) && (op_name.size() == prefix.size() || op_name[prefix.size()] == '/');
}

}  // namespace

std::size_t Division::chunk_of(InstructionId activation) const {
  return std::size_t(std::ranges::upper_bound(begins, activation) - begins.begin()) - 1;
}

Division balanced_division(const Network& network, std::int64_t chunks, std::span<const double> costs) {
  const Boundaries boundaries(network, costs);
  const double most = least_cost(boundaries, std::size_t(chunks));
  std::vector<std::size_t> begins = least_sent_of_balanced(boundaries, std::size_t(chunks), most).begins;
  // Where operations cost nothing, few chunks may be within the tolerance.
  if (begins.empty()) begins = least_sent(boundaries, std::size_t(chunks), infinite).begins;
  if (begins.empty()) {
    throw base::InputError(fmt::format("the network cannot be divided into {}", base::text::counted(chunks, "chunk")),
                           "it has too few operations between which a chunk can begin");
  }
  Division division;
  for (const std::size_t begin : begins) division.begins.push_back(boundaries.activation(begin));
  return division;
}

Division division_at(const Network& network, std::span<const std::string> prefixes) {
  const Boundaries boundaries(network, {});
  Division division{{boundaries.activation(0)}};
  for (const std::string& prefix : prefixes) {
    std::size_t at = 0;
    while (at < boundaries.size() && !begins_with(network.graph[boundaries.activation(at)].op_name, prefix)) ++at;
    if (at == boundaries.size()) {
      throw base::InputError(fmt::format("no operation's name begins with '{}'", prefix),
                             "names are those that podsim ops prints, such as layer3");
    }
    if (boundaries.activation(at) <= division.begins.back()) {
      throw base::InputError(fmt::format("'{}' does not begin behind the chunk before", prefix),
                             "chunks are in the order of the network, and the first has no name");
    }
    if (boundaries.bytes(at) == infinite) {
      throw base::InputError(fmt::format("a chunk cannot begin at '{}'", prefix),
                             "it is within operations that have one gradient together, or sends a tuple");
    }
    division.begins.push_back(boundaries.activation(at));
  }
  return division;
}

std::vector<std::vector<InstructionId>> sent_activations(const Network& network, const Origins& origins,
                                                         const Division& division) {
  std::vector<std::size_t> last(origins.of.size(), 0);  // chunk that reads an activation last
  for (const InstructionId id : origins.activations) {
    for (const InstructionId operand : network.graph[id].operands) {
      last[std::size_t(operand)] = std::max(last[std::size_t(operand)], division.chunk_of(id));
    }
  }
  std::vector<std::vector<InstructionId>> sent(division.chunks());
  for (const InstructionId id : origins.activations) {
    for (std::size_t chunk = division.chunk_of(id) + 1; chunk <= last[std::size_t(id)]; ++chunk) {
      sent[chunk].push_back(id);
    }
  }
  return sent;
}

}  // namespace podsim::hlo::pipeline
