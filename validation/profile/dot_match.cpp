// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/dot_match.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace podsim::validation::profile {
namespace {

using Dimensions = std::vector<int>;

/// Takes dimension numbers of a given size, lowest first.
class Pool {
 public:
  explicit Pool(const hlo::Shape& shape) {
    for (int d = 0; d < shape.rank(); ++d) by_size_[shape.dimensions[d]].push_back(d);
  }
  int take(std::int64_t size) {
    std::vector<int>& left = by_size_[size];
    const int d = left.front();
    left.erase(left.begin());
    return d;
  }
  int count(std::int64_t size) const {
    auto found = by_size_.find(size);
    return found == by_size_.end() ? 0 : int(found->second.size());
  }
  std::vector<std::int64_t> sizes() const {
    std::vector<std::int64_t> result;
    for (const auto& [size, dimensions] : by_size_) {
      if (size > 1) result.push_back(size);
    }
    return result;
  }

 private:
  std::map<std::int64_t, std::vector<int>> by_size_;
};

/// The shape of a dot with its dimensions in the order of a dot; `order[i]` is the dimension of the result at position
/// i.
hlo::Shape reordered(const hlo::Shape& result, const std::vector<int>& order) {
  hlo::Shape shape = result;
  std::vector<int> place(result.dimensions.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) place[std::size_t(order[i])] = int(i);
  shape.dimensions.clear();
  for (int d : order) shape.dimensions.push_back(result.dimensions[d]);
  shape.minor_to_major.clear();
  for (int i = 0; i < result.rank(); ++i) {
    if (const int at = place[std::size_t(result.minor_dimension(i))]; at >= 0) shape.minor_to_major.push_back(at);
  }
  return shape;
}

/// The order of dimensions, minor to major, with the least padding of the last two; the usual order if none has less.
std::vector<int> min_padded_layout(const hlo::Shape& shape) {
  hlo::Shape tried = shape;
  base::Bytes least = hlo::padded_bytes(tried);
  std::vector<int> best;
  for (int lanes = shape.rank() - 1; lanes >= 0; --lanes) {
    for (int sublanes = shape.rank() - 1; sublanes >= 0; --sublanes) {
      if (sublanes == lanes) continue;
      tried.minor_to_major = {lanes, sublanes};
      for (int d = shape.rank() - 1; d >= 0; --d) {
        if (d != lanes && d != sublanes) tried.minor_to_major.push_back(d);
      }
      if (hlo::padded_bytes(tried) >= least) continue;
      least = hlo::padded_bytes(tried);
      best = tried.minor_to_major;
    }
  }
  return best;
}

/// Numbers of dimensions of one size that are batch, rows, columns and contraction.
struct Share {
  std::int64_t size = 0;
  int batch = 0, rows = 0, columns = 0, contraction = 0;
};

std::vector<Share> shares_of(std::int64_t size, int lhs, int rhs, int result) {
  std::vector<Share> shares;
  for (int batch = 0; batch <= std::min({lhs, rhs, result}); ++batch) {
    const int rows = lhs + result - rhs - batch, columns = rhs + result - lhs - batch,
              contraction = lhs + rhs - result - batch;
    if (rows < 0 || columns < 0 || contraction < 0 || rows % 2 || columns % 2 || contraction % 2) continue;
    shares.push_back({size, batch, rows / 2, columns / 2, contraction / 2});
  }
  return shares;
}

hlo::Instruction dot_of(const hlo::Shape& result, const hlo::Shape& lhs, const hlo::Shape& rhs,
                        const std::vector<Share>& shares) {
  Pool from_lhs(lhs), from_rhs(rhs), from_result(result);
  hlo::Instruction dot;
  dot.opcode = hlo::Opcode::dot;
  std::vector<int> batch, rows, columns;
  for (const Share& share : shares) {
    for (int i = 0; i < share.batch; ++i) {
      dot.dot.edit().lhs_batch.push_back(from_lhs.take(share.size));
      dot.dot.edit().rhs_batch.push_back(from_rhs.take(share.size));
      batch.push_back(from_result.take(share.size));
    }
    for (int i = 0; i < share.contraction; ++i) {
      dot.dot.edit().lhs_contracting.push_back(from_lhs.take(share.size));
      dot.dot.edit().rhs_contracting.push_back(from_rhs.take(share.size));
    }
  }
  for (const Share& share : shares) {
    for (int i = 0; i < share.rows; ++i) rows.push_back(from_result.take(share.size));
    for (int i = 0; i < share.columns; ++i) columns.push_back(from_result.take(share.size));
  }
  std::vector<int> order = batch;
  order.insert(order.end(), rows.begin(), rows.end());
  order.insert(order.end(), columns.begin(), columns.end());
  dot.shape = reordered(result, order);
  return dot;
}

/// Appends the dimensions of an operand that are neither batch nor contracted to a dot's shape.
void append_free(hlo::Shape& shape, const hlo::Shape& operand, const std::vector<int>& batch,
                 const std::vector<int>& contracted) {
  for (int d = 0; d < operand.rank(); ++d) {
    const bool used =
        std::ranges::find(batch, d) != batch.end() || std::ranges::find(contracted, d) != contracted.end();
    if (!used && operand.dimensions[d] > 1) shape.dimensions.push_back(operand.dimensions[d]);
  }
}

}  // namespace

std::vector<hlo::Instruction> matching_dots(const hlo::Shape& result, const hlo::Shape& lhs, const hlo::Shape& rhs) {
  const Pool in_lhs(lhs), in_rhs(rhs), in_result(result);
  std::vector<std::int64_t> sizes = in_lhs.sizes();
  for (const Pool* pool : {&in_rhs, &in_result}) {
    for (std::int64_t size : pool->sizes()) {
      if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
    }
  }
  std::vector<std::vector<Share>> combinations{{}};
  for (std::int64_t size : sizes) {
    std::vector<std::vector<Share>> longer;
    for (const Share& share : shares_of(size, in_lhs.count(size), in_rhs.count(size), in_result.count(size))) {
      for (const std::vector<Share>& before : combinations) {
        longer.push_back(before);
        longer.back().push_back(share);
      }
    }
    combinations = std::move(longer);
  }
  std::vector<hlo::Instruction> dots;
  for (const std::vector<Share>& shares : combinations) dots.push_back(dot_of(result, lhs, rhs, shares));
  return dots;
}

std::optional<HalfMatch> matching_half(const hlo::Shape& result, const hlo::Shape& rhs) {
  Pool from_result(result);
  std::vector<int> rows, columns;
  HalfMatch match;
  match.dot.opcode = hlo::Opcode::dot;
  std::int64_t contraction = 1;
  for (int d = 0; d < rhs.rank(); ++d) {
    const std::int64_t size = rhs.dimensions[d];
    if (size > 1 && from_result.count(size) > 0) {
      columns.push_back(from_result.take(size));
    } else {
      match.dot.dot.edit().rhs_contracting.push_back(d);
      contraction *= size;
    }
  }
  if (columns.empty()) return std::nullopt;
  std::int64_t row_count = 1;
  std::vector<int> order;
  for (int d = 0; d < result.rank(); ++d) {
    if (std::ranges::find(columns, d) != columns.end() || result.dimensions[d] == 1) continue;
    rows.push_back(d);
    row_count *= result.dimensions[d];
  }
  order = rows;
  std::ranges::sort(columns);
  order.insert(order.end(), columns.begin(), columns.end());
  match.dot.shape = reordered(result, order);
  for (int d : rows) match.lhs.dimensions.push_back(result.dimensions[d]);
  for (int d : match.dot.dot->rhs_contracting) {
    match.dot.dot.edit().lhs_contracting.push_back(int(match.lhs.dimensions.size()));
    match.lhs.dimensions.push_back(rhs.dimensions[d]);
  }
  match.lhs.element_type = rhs.element_type;
  match.lhs.minor_to_major = min_padded_layout(match.lhs);
  return match;
}

std::vector<hlo::Instruction> intermediate_dots(const hlo::Shape& lhs, const hlo::Shape& rhs) {
  const Pool in_lhs(lhs), in_rhs(rhs);
  std::vector<std::int64_t> shared;
  for (std::int64_t size : in_lhs.sizes()) {
    if (in_rhs.count(size) > 0) shared.push_back(size);
  }
  // For every shared size, at most one dimension of each side is not kept.
  enum Role { batch, contracted, kept, roles };
  std::vector<hlo::Instruction> dots;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < shared.size(); ++i) combinations *= roles;
  for (std::size_t combination = 0; combination < combinations; ++combination) {
    Pool from_lhs(lhs), from_rhs(rhs);
    hlo::Instruction dot;
    dot.opcode = hlo::Opcode::dot;
    std::size_t rest = combination;
    for (std::int64_t size : shared) {
      const auto role = Role(rest % roles);
      rest /= roles;
      if (role == kept) continue;
      (role == batch ? dot.dot.edit().lhs_batch : dot.dot.edit().lhs_contracting).push_back(from_lhs.take(size));
      (role == batch ? dot.dot.edit().rhs_batch : dot.dot.edit().rhs_contracting).push_back(from_rhs.take(size));
    }
    if (dot.dot->lhs_contracting.empty()) continue;
    dot.shape = hlo::make_shape(lhs.element_type, {});
    for (int d : dot.dot->lhs_batch) dot.shape.dimensions.push_back(lhs.dimensions[d]);
    append_free(dot.shape, lhs, dot.dot->lhs_batch, dot.dot->lhs_contracting);
    append_free(dot.shape, rhs, dot.dot->rhs_batch, dot.dot->rhs_contracting);
    if (dot.shape.rank() > 0) dots.push_back(std::move(dot));
  }
  return dots;
}

hlo::Instruction plain_dot(std::int64_t rows, std::int64_t columns) {
  hlo::Instruction dot;
  dot.opcode = hlo::Opcode::dot;
  dot.shape = hlo::make_shape(hlo::ElementType::bf16, {rows, columns});
  dot.dot.edit().lhs_contracting = {1};
  dot.dot.edit().rhs_contracting = {0};
  return dot;
}

}  // namespace podsim::validation::profile
