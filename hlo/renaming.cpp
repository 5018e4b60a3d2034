// SPDX-License-Identifier: Apache-2.0
#include "hlo/renaming.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "hlo/array_tile.h"

namespace podsim::hlo {
namespace {

/// A digit of the row-major number of an element: numbers that differ by `number` within it have memory locations that
/// differ by `place`. The digit ends where the next one begins, the last one with the array.
struct NumberDigit {
  std::int64_t number = 1, place = 1;
  bool operator==(const NumberDigit&) const = default;
};

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.dimensions.size(), 1);
  for (std::size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * shape.dimensions[d];
  return strides;
}

/// Collects the digits of a number from the fastest, and joins neighbours that count on.
class Digits {
 public:
  void append(NumberDigit digit) {
    if (!digits_.empty()) {
      const NumberDigit& last = digits_.back();
      const std::int64_t times = digit.number / last.number;
      if (digit.number % last.number == 0 && digit.place == last.place * times) return;
    }
    digits_.push_back(digit);
  }

  std::vector<NumberDigit> take() && { return std::move(digits_); }

 private:
  std::vector<NumberDigit> digits_;
};

/// The digits of the rows or the lanes of tiles: `packed` neighbours lie next to each other in a word.
struct TiledDimension {
  std::int64_t tile = 1, packed = 1;
  std::int64_t in_word = 1, in_tile = 1, of_tiles = 1;  ///< distance in memory between neighbours, in elements

  void append(Digits& digits, std::int64_t size, std::int64_t stride) const {
    if (packed > 1) digits.append({stride, in_word});
    if (size > packed) digits.append({packed * stride, in_tile});
    if (size > tile) digits.append({tile * stride, of_tiles});
  }
};

/// The digits of the elements of an array of two or more dimensions: tiles of `rows` x `lanes` elements, row by row,
/// and the other dimensions around them. Elements of narrow types share words with those of the next rows.
std::vector<NumberDigit> digits_of_tiles(const Shape& shape, std::int64_t rows, std::int64_t lanes) {
  const std::int64_t in_word = 4 / std::clamp(byte_width(shape.element_type), 1, 4), packed = std::min(in_word, rows);
  const int lane = shape.minor_dimension(0), row = shape.minor_dimension(1);
  const std::int64_t across = base::divide_round_up(shape.dimensions[std::size_t(lane)], lanes);
  const TiledDimension in_lanes{lanes, 1, packed, packed, rows * lanes};
  const TiledDimension in_rows{rows, packed, 1, packed * lanes, across * rows * lanes};
  std::vector<std::int64_t> places(shape.dimensions.size());
  std::int64_t place = across * base::divide_round_up(shape.dimensions[std::size_t(row)], rows) * rows * lanes;
  for (int i = 2; i < shape.rank(); ++i) {
    const auto d = std::size_t(shape.minor_dimension(i));
    places[d] = place;
    place *= shape.dimensions[d];
  }
  const std::vector<std::int64_t> strides = row_major_strides(shape);
  Digits digits;
  for (int d = shape.rank(); d-- > 0;) {
    const std::int64_t size = shape.dimensions[std::size_t(d)], stride = strides[std::size_t(d)];
    if (size == 1) continue;
    if (d == lane) {
      in_lanes.append(digits, size, stride);
    } else if (d == row) {
      in_rows.append(digits, size, stride);
    } else {
      digits.append({stride, places[std::size_t(d)]});
    }
  }
  return std::move(digits).take();
}

/// Dimensions of a shape that have more than one element, major to minor in the text or in memory.
std::vector<int> long_dimensions(const Shape& shape, bool in_memory) {
  std::vector<int> dimensions;
  for (int i = 0; i < shape.rank(); ++i) {
    const int dimension = in_memory ? shape.minor_dimension(shape.rank() - 1 - i) : i;
    if (shape.dimensions[std::size_t(dimension)] != 1) dimensions.push_back(dimension);
  }
  return dimensions;
}

/// Numbers the runs of dimensions that two shapes of one number of elements have in common: [2,3,4] and [6,4] have
/// the runs {2,3} and {4}, which are {6} and {4}. Returns the run of every dimension of each.
std::pair<std::vector<int>, std::vector<int>> common_runs(const Shape& a, const Shape& b) {
  std::vector<int> run_of_a(a.dimensions.size(), -1), run_of_b(b.dimensions.size(), -1);
  const std::vector<int> in_a = long_dimensions(a, false), in_b = long_dimensions(b, false);
  std::int64_t product_a = 1, product_b = 1;
  int run = 0;
  for (std::size_t i = 0, j = 0; i < in_a.size() || j < in_b.size();) {
    if (i < in_a.size() && (product_a <= product_b || j == in_b.size())) {
      product_a *= a.dimensions[std::size_t(in_a[i])];
      run_of_a[std::size_t(in_a[i++])] = run;
    } else {
      product_b *= b.dimensions[std::size_t(in_b[j])];
      run_of_b[std::size_t(in_b[j++])] = run;
    }
    if (product_a == product_b && product_a != 1) {
      ++run;
      product_a = product_b = 1;
    }
  }
  return {run_of_a, run_of_b};
}

/// The runs of a shape from major to minor in memory; empty if one is not in the order of the text.
std::vector<int> runs_in_memory(const Shape& shape, const std::vector<int>& run_of) {
  std::vector<int> runs;
  int last = -1;
  for (const int dimension : long_dimensions(shape, true)) {
    const int run = run_of[std::size_t(dimension)];
    const bool goes_on = !runs.empty() && runs.back() == run;
    if (goes_on ? dimension < last : std::ranges::find(runs, run) != runs.end()) return {};
    if (!goes_on) runs.push_back(run);
    last = dimension;
  }
  return runs;
}

/// The digits of a vector, which fills rows of lanes, or of an array of tiles; nothing for tiles of other ranks.
std::optional<std::vector<NumberDigit>> number_digits(const Shape& shape) {
  if (shape.rank() == 1) {
    Shape rows = make_shape(shape.element_type, {base::divide_round_up(shape.dimensions[0], tile_lanes), tile_lanes});
    return digits_of_tiles(rows, tile_rows(rows), tile_lanes);
  }
  if (shape.tile.size() > 2) return std::nullopt;
  return digits_of_tiles(shape, tile_rows(shape), shape.tile.empty() ? tile_lanes : shape.tile.back());
}

}  // namespace

bool is_renaming(const Shape& from, const Shape& to) {
  if (from.element_count() != to.element_count()) return false;
  if (to.element_count() <= 1) return true;
  const auto before = number_digits(from), after = number_digits(to);
  return before && after && *before == *after;
}

bool keeps_order(const Shape& from, const Shape& to) {
  if (is_renaming(from, to)) return true;
  const auto [of_from, of_to] = common_runs(from, to);
  const std::vector<int> before = runs_in_memory(from, of_from);
  return !before.empty() && before == runs_in_memory(to, of_to);
}

std::optional<std::vector<int>> order_for_renaming(const Shape& from, const Shape& to) {
  const auto [of_from, of_to] = common_runs(from, to);
  std::vector<int> runs = runs_in_memory(from, of_from);
  if (runs.empty()) return std::nullopt;
  const std::vector<int> dimensions = long_dimensions(to, false);
  std::vector<int> order;
  std::ranges::reverse(runs);
  for (const int run : runs) {
    for (std::size_t i = dimensions.size(); i-- > 0;) {
      if (of_to[std::size_t(dimensions[i])] == run) order.push_back(dimensions[i]);
    }
  }
  for (int dimension = to.rank(); dimension-- > 0;) {
    if (to.dimensions[std::size_t(dimension)] == 1) order.push_back(dimension);
  }
  return order;
}

std::int64_t neighbour_distance(const Shape& shape, int i) {
  return i < shape.rank() ? row_major_strides(shape)[std::size_t(shape.minor_dimension(i))] : 0;
}

bool keeps_lanes(const Shape& from, const Shape& to) {
  return from.rank() == 0 || to.rank() == 0 || neighbour_distance(from, 0) == neighbour_distance(to, 0);
}

}  // namespace podsim::hlo
