// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/collective_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <set>

#include "base/diagnostic.h"

namespace podsim::sw::collectives {
namespace {

using Ranks = CollectiveGroups::Ranks;
constexpr const char* forms = "{{0,1},{2,3}}, [2,2]<=[4], mesh axes such as y, or chips:{{0,1}}";

[[noreturn]] void malformed(std::string_view text) {
  throw base::InputError(fmt::format("'{}' is not a list of groups", text), fmt::format("such as {}", forms));
}

/// Reads a text from left to right and skips blanks.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    for (char c : text) {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) rest_ += c;
    }
  }
  bool take(std::string_view what) {
    if (rest_.compare(at_, what.size(), what) != 0) return false;
    at_ += what.size();
    return true;
  }
  void expect(std::string_view what) {
    if (!take(what)) malformed(text_);
  }
  bool done() const { return at_ == rest_.size(); }
  std::int32_t number() {
    std::int64_t value = 0;
    const std::size_t begin = at_;
    for (; at_ < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[at_])) != 0 && at_ - begin < 9; ++at_) {
      value = 10 * value + (rest_[at_] - '0');
    }
    if (at_ == begin) malformed(text_);
    return std::int32_t(value);
  }
  Ranks numbers(std::string_view open, std::string_view close) {
    Ranks result;
    expect(open);
    do result.push_back(number());
    while (take(","));
    expect(close);
    return result;
  }
  void expect_end() const {
    if (!done()) malformed(text_);
  }

 private:
  std::string_view text_;
  std::string rest_;
  std::size_t at_ = 0;
};

std::vector<Ranks> parse_lists(std::string_view text) {
  Reader reader(text);
  std::vector<Ranks> groups;
  reader.expect("{");
  do groups.push_back(reader.numbers("{", "}"));
  while (reader.take(","));
  reader.expect("}");
  reader.expect_end();
  return groups;
}

std::int64_t product(const Ranks& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

/// The numbers of an iota of these sizes (the last fastest), read in the order of the permuted dimensions.
Ranks transposed_iota(const Ranks& sizes, const Ranks& permutation) {
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  Ranks result;
  for (std::int64_t i = 0; i < product(sizes); ++i) {
    std::int64_t rest = i, value = 0;
    for (std::size_t d = permutation.size(); d-- > 0;) {
      const auto from = std::size_t(permutation[d]);
      value += rest % sizes[from] * strides[from];
      rest /= sizes[from];
    }
    result.push_back(std::int32_t(value));
  }
  return result;
}

std::vector<Ranks> parse_iota(std::string_view text, std::int64_t most) {
  Reader reader(text);
  const Ranks shape = reader.numbers("[", "]");
  reader.expect("<=");
  const Ranks sizes = reader.numbers("[", "]");
  Ranks permutation(sizes.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  if (reader.take("T")) {
    const Ranks natural = permutation;
    permutation = reader.numbers("(", ")");
    if (!std::is_permutation(natural.begin(), natural.end(), permutation.begin(), permutation.end())) malformed(text);
  }
  reader.expect_end();
  const bool positive = std::ranges::all_of(shape, [](auto n) { return n > 0; });
  if (shape.size() != 2 || !positive || product(shape) != product(sizes)) malformed(text);
  if (product(shape) > most) {
    throw base::InputError(fmt::format("'{}' has {} ranks, the slice {}", text, product(shape), most));
  }
  const Ranks numbers = transposed_iota(sizes, permutation);
  std::vector<Ranks> groups;
  for (auto begin = numbers.begin(); begin != numbers.end(); begin += shape[1]) {
    groups.emplace_back(begin, begin + shape[1]);
  }
  return groups;
}

/// The dimensions that a text of axes such as "xy" names; nothing for any other text, and for an axis named twice.
std::optional<std::vector<bool>> parse_axes(std::string_view text, const noc::Topology& slice) {
  std::vector<bool> marked(std::size_t(slice.dimensions()), false);
  for (char c : text) {
    int dimension = 0;
    while (dimension < slice.dimensions() && noc::dimension_name(dimension) != std::string(1, c)) ++dimension;
    if (dimension == slice.dimensions() || marked[std::size_t(dimension)]) return std::nullopt;
    marked[std::size_t(dimension)] = true;
  }
  return text.empty() ? std::nullopt : std::optional(marked);
}

std::vector<Ranks> chips_along(const std::vector<bool>& axes, const noc::Topology& slice) {
  std::vector<Ranks> groups;
  std::vector<int> group_of(std::size_t(slice.nodes()), -1);
  for (noc::NodeId chip = 0; chip < slice.nodes(); ++chip) {
    noc::Coordinates origin = slice.coordinates(chip);
    for (int d = 0; d < slice.dimensions(); ++d) {
      if (axes[std::size_t(d)]) origin[std::size_t(d)] = 0;
    }
    int& group = group_of[std::size_t(slice.node(origin))];
    if (group < 0) {
      group = int(groups.size());
      groups.emplace_back();
    }
    groups[std::size_t(group)].push_back(chip);
  }
  return groups;
}

std::vector<Ranks> cores_of(const std::vector<Ranks>& chips, int cores_per_chip) {
  std::vector<Ranks> result;
  for (const Ranks& group : chips) {
    Ranks& cores = result.emplace_back();
    for (std::int32_t chip : group) {
      for (int core = 0; core < cores_per_chip; ++core) cores.push_back(chip * cores_per_chip + core);
    }
  }
  return result;
}

void check_existence(const std::vector<Ranks>& groups, std::int64_t ranks, std::string_view what) {
  for (const Ranks& group : groups) {
    for (std::int32_t rank : group) {
      if (rank < ranks) continue;
      throw base::InputError(fmt::format("there is no {} {} in the slice, the last is {}", what, rank, ranks - 1));
    }
  }
}

void check_disjoint(const std::vector<Ranks>& groups, std::int64_t ranks, std::string_view what) {
  std::vector<bool> seen(std::size_t(ranks), false);
  for (const Ranks& group : groups) {
    for (std::int32_t rank : group) {
      if (seen[std::size_t(rank)]) throw base::InputError(fmt::format("{} {} is in the groups twice", what, rank));
      seen[std::size_t(rank)] = true;
    }
  }
}

}  // namespace

CollectiveGroups CollectiveGroups::all(const noc::Topology& slice, int cores_per_chip) {
  Ranks everyone(std::size_t(slice.nodes()) * std::size_t(cores_per_chip));
  std::iota(everyone.begin(), everyone.end(), 0);
  return CollectiveGroups({everyone});
}

CollectiveGroups CollectiveGroups::parse(std::string_view text, const noc::Topology& slice, int cores_per_chip) {
  if (auto axes = parse_axes(text, slice)) return CollectiveGroups(cores_of(chips_along(*axes, slice), cores_per_chip));
  const bool chips = text.starts_with("chips:");
  if (chips) text.remove_prefix(6);
  const std::int64_t ranks = slice.nodes() * std::int64_t(chips ? 1 : cores_per_chip);
  const std::string_view what = chips ? "chip" : "core";
  auto groups = text.starts_with("[") ? parse_iota(text, ranks) : parse_lists(text);
  check_existence(groups, ranks, what);
  check_disjoint(groups, ranks, what);
  return CollectiveGroups(chips ? cores_of(groups, cores_per_chip) : std::move(groups));
}

CollectiveGroups CollectiveGroups::parse_pairs(std::string_view text, const noc::Topology& slice, int cores_per_chip) {
  auto pairs = parse_lists(text);
  check_existence(pairs, slice.nodes() * std::int64_t(cores_per_chip), "core");
  std::set<std::int32_t> sources, targets;
  for (const Ranks& pair : pairs) {
    if (pair.size() != 2) throw base::InputError("a pair is a source and a target, such as {{0,1},{1,2}}");
    if (!sources.insert(pair[0]).second) throw base::InputError(fmt::format("core {} is a source twice", pair[0]));
    if (!targets.insert(pair[1]).second) throw base::InputError(fmt::format("core {} is a target twice", pair[1]));
  }
  return CollectiveGroups(std::move(pairs));
}

std::int64_t CollectiveGroups::largest() const {
  std::size_t most = 0;
  for (const Ranks& group : groups_) most = std::max(most, group.size());
  return std::int64_t(most);
}

bool CollectiveGroups::equal_sizes() const {
  return std::ranges::all_of(groups_, [&](const Ranks& group) { return group.size() == groups_[0].size(); });
}

std::string to_string(const CollectiveGroups& groups) {
  constexpr std::size_t most = 64;
  std::string text = "{";
  for (const Ranks& group : groups.groups()) {
    if (text.size() > most) return text + ",...}";
    text += fmt::format(
        "{}{{{}}}", text.size() > 1 ? "," : "",
        fmt::join(group.begin(), group.begin() + std::ptrdiff_t(std::min<std::size_t>(group.size(), 16)), ","));
    if (group.size() > 16) text.insert(text.size() - 1, ",...");
  }
  return text + "}";
}

}  // namespace podsim::sw::collectives
