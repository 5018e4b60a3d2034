// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/accessed_arrays.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

#include "validation/profile/body_builder.h"

namespace podsim::validation::profile {
namespace {

/// A fusion accesses all of its arrays if XLA's bytes and those of padded arrays agree better than this.
constexpr double accesses_all = 0.97;
/// Parts of one index explain XLA's bytes if they agree better than this.
constexpr double one_index_tolerance = 0.03;
/// An operand of which less than this share is read is a slice of unknown shape.
constexpr double mostly_read = 0.5;

double bytes_of(const hlo::Shape& shape) { return double(hlo::padded_bytes(shape).value()); }

hlo::Shape part_of(const hlo::Shape& whole, double bytes) {
  BodyBuilder scratch;
  return scratch.shape(scratch.slice(scratch.parameter(whole), base::Bytes(std::int64_t(bytes))));
}

double slowest_size(const hlo::Shape& shape) {
  return shape.rank() < 2 ? 1 : double(shape.dimensions[std::size_t(shape.minor_dimension(shape.rank() - 1))]);
}

hlo::Shape one_index(hlo::Shape shape) {
  if (shape.rank() >= 2) shape.dimensions[std::size_t(shape.minor_dimension(shape.rank() - 1))] = 1;
  return shape;
}

bool is_scalar_index(const hlo::Shape& shape) { return shape.rank() == 0 && hlo::is_integer(shape.element_type); }

/// An array of which the fusion may access a part: an operand, or a result with the operand that it replaces.
struct Partial {
  int result = -1;  ///< -1 if the array is only read
  int operand = -1;
  hlo::Shape shape;
  bool as_updated = false;                             ///< an operand with the shape of one that is updated
  double times() const { return result < 0 ? 1 : 2; }  ///< that XLA counts it
};

/// Takes the largest arrays as accessed in part until XLA's bytes hold the others.
class PartialReading {
 public:
  PartialReading(const FusionFacts& facts, bool with_updates) : facts_(facts) {
    for (int result = 0; with_updates && result < int(facts.results.size()); ++result) add_update(result);
    for (int operand = 0; operand < int(facts.operands.size()); ++operand) {
      const hlo::Shape& shape = facts.operands[std::size_t(operand)];
      if (!is_updated(operand)) open_.push_back({-1, operand, shape, is_updated(shape)});
    }
    for (const hlo::Shape& shape : facts.results) rest_ += bytes_of(shape);
    for (const hlo::Shape& shape : facts.operands) rest_ += bytes_of(shape);
    find();
  }

  bool updates() const {
    return std::ranges::any_of(parts_, [](const Partial& part) { return part.result >= 0; });
  }

  bool is_one_index() const {
    double counted = rest_;
    for (const Partial& part : parts_) counted += part.times() * bytes_of(part.shape) / slowest_size(part.shape);
    return std::abs(counted - *facts_.bytes) <= one_index_tolerance * *facts_.bytes;
  }

  AccessedArrays arrays() const {
    double partial = 0;
    for (const Partial& part : parts_) partial += part.times() * bytes_of(part.shape);
    const double share = std::max(0.0, *facts_.bytes - rest_) / std::max(1.0, partial);
    AccessedArrays arrays{facts_.results, {}, {}};
    std::vector<hlo::Shape> operands = facts_.operands;
    std::vector<bool> known(operands.size(), true), updated(operands.size(), false);
    const bool index = is_one_index();
    for (const Partial& part : parts_) {
      const hlo::Shape shape = index ? one_index(part.shape) : part_of(part.shape, share * bytes_of(part.shape));
      operands[std::size_t(part.operand)] = shape;
      known[std::size_t(part.operand)] = index;
      if (part.result < 0) continue;
      arrays.results[std::size_t(part.result)] = shape;
      updated[std::size_t(part.operand)] = true;
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (updated[i]) continue;
      arrays.operands.push_back(operands[i]);
      arrays.factors.push_back(known[i] ? std::optional(operands[i]) : std::nullopt);
    }
    return arrays;
  }

 private:
  void find() {
    const auto order = [](const Partial& p) { return std::tuple(bytes_of(p.shape), p.result >= 0, p.as_updated); };
    std::ranges::stable_sort(open_, std::greater<>{}, order);
    for (const Partial& next : open_) {
      if (rest_ <= *facts_.bytes * (1 + one_index_tolerance)) return;
      rest_ -= next.times() * bytes_of(next.shape);
      parts_.push_back(next);
    }
  }

  bool is_updated(int operand) const {
    return std::ranges::any_of(open_, [&](const Partial& p) { return p.operand == operand; });
  }

  bool is_updated(const hlo::Shape& shape) const {
    return std::ranges::any_of(open_, [&](const Partial& p) { return p.result >= 0 && p.shape == shape; });
  }

  void add_update(int result) {
    const hlo::Shape& shape = facts_.results[std::size_t(result)];
    if (shape.rank() == 0) return;
    for (int operand = 0; operand < int(facts_.operands.size()); ++operand) {
      if (facts_.operands[std::size_t(operand)] != shape || is_updated(operand)) continue;
      open_.push_back({result, operand, shape, true});
      return;
    }
  }

  const FusionFacts& facts_;
  std::vector<Partial> open_;   ///< arrays that may be accessed in part
  std::vector<Partial> parts_;  ///< those that are
  double rest_ = 0;             ///< bytes of the arrays that are accessed as a whole
};

AccessedArrays slices(const FusionFacts& facts, double excess) {
  AccessedArrays arrays{facts.results, facts.operands, {facts.operands.begin(), facts.operands.end()}};
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < facts.operands.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return bytes_of(facts.operands[i]); });
  for (std::size_t i : order) {
    if (excess <= 0) break;
    const double whole = bytes_of(facts.operands[i]), kept = std::max(whole - excess, 0.0);
    excess -= whole - kept;
    arrays.operands[i] = part_of(facts.operands[i], kept);
    if (kept <= mostly_read * whole) arrays.factors[i].reset();
  }
  return arrays;
}

}  // namespace

AccessedArrays accessed_arrays(const FusionFacts& facts) {
  double written = 0, all = 0;
  for (const hlo::Shape& result : facts.results) written += bytes_of(result);
  all = written;
  for (const hlo::Shape& operand : facts.operands) all += bytes_of(operand);
  if (!facts.bytes || *facts.bytes > accesses_all * all || facts.operands.empty()) return slices(facts, 0);
  const bool indexed = std::ranges::any_of(facts.operands, is_scalar_index);
  const PartialReading in_place(facts, true), sliced(facts, false);
  if (in_place.updates() && (*facts.bytes < written || (indexed && in_place.is_one_index()))) return in_place.arrays();
  return sliced.is_one_index() ? sliced.arrays() : slices(facts, all - *facts.bytes);
}

}  // namespace podsim::validation::profile
