// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/dot_strength.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/expanders/replace.h"

namespace podsim::sw::compiler::fuse {
namespace {

using hlo::ElementType;
using hlo::InstructionId;

/// A product of 16 x 16 by 16 x 16. The matrix unit takes as long for it as for one of 128 x 128 by 128 x 8
/// (hw/parts/mxu), the vector unit no longer than that in any layout: with 16 of 128 lanes in use it has 32 registers
/// of products.
constexpr std::int64_t max_small_product = 16 * 16 * 16;

ElementType type_of_sums(ElementType type) {
  return hlo::is_floating_point(type) && type != ElementType::f64 ? ElementType::f32 : type;
}

/// One operand of a dot, with the dimensions of its roles.
struct Side {
  hlo::Shape shape;
  std::vector<int> batch, contracting;

  bool has_own_dimensions() const { return shape.dimensions.size() > batch.size() + contracting.size(); }
  bool is_own(int dimension) const {
    return std::ranges::find(batch, dimension) == batch.end() &&
           std::ranges::find(contracting, dimension) == contracting.end();
  }
};

/// Writes the ops that replace a dot, as a module with the operands of the dot as parameters.
class Replacement {
 public:
  Replacement(const hlo::Instruction& dot, const hlo::Shape& lhs, const hlo::Shape& rhs)
      : builder_("replacement"),
        shape_(dot.shape),
        sums_(type_of_sums(dot.shape.element_type)),
        sides_{Side{lhs, dot.dot->lhs_batch, dot.dot->lhs_contracting},
               Side{rhs, dot.dot->rhs_batch, dot.dot->rhs_contracting}},
        operands_{builder_.parameter(lhs, "lhs"), builder_.parameter(rhs, "rhs")} {}

  /// std::nullopt if the dot is a matrix product.
  std::optional<hlo::Module> write() && {
    if (sides_[0].contracting.empty()) return std::move(*this).finish(outer_product());
    for (const std::size_t vector : {1, 0}) {
      if (!sides_[vector].has_own_dimensions()) return std::move(*this).finish(sum_of_products(1 - vector, vector));
    }
    if (is_small()) return std::move(*this).finish(sum_of_small_products());
    return std::nullopt;
  }

 private:
  /// Products of a batch that are fewer than those of max_small_product.
  bool is_small() const {
    const Side &lhs = sides_[0], &rhs = sides_[1];
    if (lhs.batch.empty()) return false;
    std::int64_t products = 1;
    for (int i = 0; i < lhs.shape.rank(); ++i) {
      if (std::ranges::find(lhs.batch, i) == lhs.batch.end()) products *= lhs.shape.dimensions[std::size_t(i)];
    }
    for (int i = 0; i < rhs.shape.rank(); ++i) products *= rhs.is_own(i) ? rhs.shape.dimensions[std::size_t(i)] : 1;
    return products <= max_small_product;
  }

  hlo::Module finish(InstructionId result) && {
    const InstructionId root = builder_.convert(result, shape_.element_type);
    return std::move(builder_).build(root);
  }

  /// An operand in the type of sums, broadcast to `sizes`. to[i] is the dimension there of dimension i.
  InstructionId broadcast(std::size_t side, const std::vector<std::int64_t>& sizes, const std::vector<int>& to) {
    std::vector<std::int64_t> order(to.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::int64_t(i);
    std::ranges::sort(order, {}, [&](std::int64_t i) { return to[std::size_t(i)]; });
    std::vector<std::int64_t> dimensions;
    for (const std::int64_t i : order) dimensions.push_back(to[std::size_t(i)]);
    const bool is_sorted = std::ranges::is_sorted(order);
    const InstructionId sorted = is_sorted ? operands_[side] : builder_.transpose(operands_[side], order);
    const InstructionId wide = builder_.convert(sorted, sums_);
    return sizes.size() == to.size() ? wide : builder_.broadcast(wide, sizes, dimensions);
  }

  /// The result has the batch dimensions, then the other dimensions of the left operand, then those of the right one.
  InstructionId outer_product() {
    std::vector<InstructionId> factors;
    int next = int(sides_[0].batch.size());
    for (std::size_t side = 0; side < 2; ++side) {
      std::vector<int> to(sides_[side].shape.dimensions.size());
      for (std::size_t i = 0; i < to.size(); ++i) {
        if (sides_[side].is_own(int(i))) to[i] = next++;
      }
      for (std::size_t i = 0; i < sides_[side].batch.size(); ++i) to[std::size_t(sides_[side].batch[i])] = int(i);
      factors.push_back(broadcast(side, shape_.dimensions, to));
    }
    return builder_.multiply(factors[0], factors[1]);
  }

  InstructionId sum_of_products(std::size_t matrix, std::size_t vector) {
    const Side &whole = sides_[matrix], &narrow = sides_[vector];
    std::vector<int> to(narrow.shape.dimensions.size());
    for (std::size_t i = 0; i < narrow.batch.size(); ++i) to[std::size_t(narrow.batch[i])] = whole.batch[i];
    for (std::size_t i = 0; i < narrow.contracting.size(); ++i) {
      to[std::size_t(narrow.contracting[i])] = whole.contracting[i];
    }
    const InstructionId products =
        builder_.multiply(builder_.convert(operands_[matrix], sums_), broadcast(vector, whole.shape.dimensions, to));
    std::vector<std::int64_t> contracting(whole.contracting.begin(), whole.contracting.end());
    std::ranges::sort(contracting);
    const InstructionId sums = builder_.reduce_add(products, contracting);
    return in_order_of_the_dot(builder_.convert(sums, shape_.element_type), whole);
  }

  /// All products, with the dimensions of the result and then the contracting ones, and their sums.
  InstructionId sum_of_small_products() {
    std::vector<std::int64_t> sizes = shape_.dimensions, contracting;
    for (const int dimension : sides_[0].contracting) {
      contracting.push_back(std::int64_t(sizes.size()));
      sizes.push_back(sides_[0].shape.dimensions[std::size_t(dimension)]);
    }
    std::vector<InstructionId> factors;
    int next = int(sides_[0].batch.size());
    for (std::size_t side = 0; side < 2; ++side) {
      const Side& s = sides_[side];
      std::vector<int> to(s.shape.dimensions.size());
      for (std::size_t i = 0; i < to.size(); ++i) {
        if (s.is_own(int(i))) to[i] = next++;
      }
      for (std::size_t i = 0; i < s.batch.size(); ++i) to[std::size_t(s.batch[i])] = int(i);
      for (std::size_t i = 0; i < s.contracting.size(); ++i) to[std::size_t(s.contracting[i])] = int(contracting[i]);
      factors.push_back(broadcast(side, sizes, to));
    }
    return builder_.reduce_add(builder_.multiply(factors[0], factors[1]), std::move(contracting));
  }

  /// Sums have the dimensions of the matrix in their order; a dot has the batch dimensions first.
  InstructionId in_order_of_the_dot(InstructionId sums, const Side& whole) {
    std::vector<int> left, wanted = whole.batch;
    for (int i = 0; i < whole.shape.rank(); ++i) {
      if (std::ranges::find(whole.contracting, i) == whole.contracting.end()) left.push_back(i);
      if (whole.is_own(i)) wanted.push_back(i);
    }
    std::vector<std::int64_t> permutation;
    for (const int dimension : wanted) permutation.push_back(std::ranges::find(left, dimension) - left.begin());
    return std::ranges::is_sorted(permutation) ? sums : builder_.transpose(sums, permutation);
  }

  hlo::build::GraphBuilder builder_;
  hlo::Shape shape_;
  ElementType sums_;
  Side sides_[2];
  InstructionId operands_[2];
};

bool is_plain_dot(const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::dot && instruction.operands.size() == 2 &&
         instruction.shape.element_type != ElementType::pred &&
         (instruction.target.empty() || instruction.target == "dot_f32_f32_f32");
}

}  // namespace

void replace_weak_dots(hlo::Module& module) {
  hlo::expanders::replace_instructions(
      module, [](const hlo::Computation& computation, InstructionId id) -> std::optional<hlo::Module> {
        const hlo::Instruction& dot = computation[id];
        if (!is_plain_dot(dot)) return std::nullopt;
        return Replacement(dot, computation[dot.operands[0]].shape, computation[dot.operands[1]].shape).write();
      });
}

}  // namespace podsim::sw::compiler::fuse
