// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/matrices.h"

#include <numeric>
#include <utility>

namespace podsim::hlo::expanders {

using build::GraphBuilder;

InstructionId matrix_product(GraphBuilder& builder, Factor a, Factor b) {
  const Shape &left = builder.shape(a.matrices), &right = builder.shape(b.matrices);
  const int batches = left.rank() - 2;
  Instruction dot;
  dot.opcode = Opcode::dot;
  dot.operands = {a.matrices, b.matrices};
  DotDimensions dimensions;
  dimensions.lhs_batch.resize(std::size_t(batches));
  std::iota(dimensions.lhs_batch.begin(), dimensions.lhs_batch.end(), 0);
  dimensions.rhs_batch = dimensions.lhs_batch;
  dimensions.lhs_contracting = {a.transposed ? batches : batches + 1};
  dimensions.rhs_contracting = {b.transposed ? batches + 1 : batches};
  std::vector<std::int64_t> sizes(left.dimensions.begin(), left.dimensions.begin() + batches);
  sizes.push_back(left.dimensions[std::size_t(a.transposed ? batches + 1 : batches)]);
  sizes.push_back(right.dimensions[std::size_t(b.transposed ? batches : batches + 1)]);
  dot.shape = make_shape(left.element_type, std::move(sizes));
  dot.dot = std::move(dimensions);
  dot.operand_precision = "{highest,highest}";
  return builder.add(std::move(dot));
}

InstructionId transposed_matrices(GraphBuilder& builder, InstructionId x) {
  std::vector<std::int64_t> order(builder.shape(x).dimensions.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return builder.transpose(x, std::move(order));
}

InstructionId matrix_slice(GraphBuilder& builder, InstructionId x, std::int64_t row, std::int64_t end_row,
                           std::int64_t column, std::int64_t end_column) {
  std::vector<SliceDimension> slice;
  for (const std::int64_t size : builder.shape(x).dimensions) slice.push_back({0, size, 1});
  if (row == 0 && column == 0 && slice[slice.size() - 2].limit == end_row && slice.back().limit == end_column) return x;
  slice[slice.size() - 2] = {row, end_row, 1};
  slice.back() = {column, end_column, 1};
  return builder.slice(x, std::move(slice));
}

namespace {

std::vector<InstructionId> starts(GraphBuilder& builder, InstructionId x, InstructionId row, InstructionId column) {
  std::vector<InstructionId> starts(builder.shape(x).dimensions.size() - 2, builder.constant(ElementType::s32, 0));
  starts.push_back(row);
  starts.push_back(column);
  return starts;
}

}  // namespace

InstructionId with_matrix_slice(GraphBuilder& builder, InstructionId x, InstructionId part, std::int64_t row,
                                std::int64_t column) {
  return with_matrix_part(builder, x, part, builder.constant(ElementType::s32, double(row)),
                          builder.constant(ElementType::s32, double(column)));
}

InstructionId matrix_part(GraphBuilder& builder, InstructionId x, InstructionId row, InstructionId column,
                          std::int64_t rows, std::int64_t columns) {
  std::vector<std::int64_t> sizes = builder.shape(x).dimensions;
  sizes[sizes.size() - 2] = rows;
  sizes.back() = columns;
  return builder.dynamic_slice(x, starts(builder, x, row, column), std::move(sizes));
}

InstructionId with_matrix_part(GraphBuilder& builder, InstructionId x, InstructionId part, InstructionId row,
                               InstructionId column) {
  return builder.dynamic_update_slice(x, part, starts(builder, x, row, column));
}

std::int64_t row_count(const GraphBuilder& builder, InstructionId x) { return builder.shape(x).dimensions.end()[-2]; }
std::int64_t column_count(const GraphBuilder& builder, InstructionId x) { return builder.shape(x).dimensions.back(); }

std::vector<std::int64_t> matrix_sizes(const GraphBuilder& builder, InstructionId x, std::int64_t rows,
                                       std::int64_t columns) {
  std::vector<std::int64_t> sizes = builder.shape(x).dimensions;
  sizes.end()[-2] = rows;
  sizes.back() = columns;
  return sizes;
}

bool is_call_on_matrices(const Computation& computation, const Instruction& call, std::string_view target,
                         std::size_t operands) {
  if (call.opcode != Opcode::custom_call || call.target != target || call.operands.size() != operands) return false;
  const Shape& shape = computation[call.operands[0]].shape;
  return !shape.is_tuple() && shape.rank() >= 2 && shape.element_count() > 0 && is_floating_point(shape.element_type);
}

InstructionId row_numbers(GraphBuilder& builder, std::vector<std::int64_t> sizes) {
  const auto dimension = std::int64_t(sizes.size()) - 2;
  return builder.iota(make_shape(ElementType::s32, std::move(sizes)), dimension);
}

InstructionId column_numbers(GraphBuilder& builder, std::vector<std::int64_t> sizes) {
  const auto dimension = std::int64_t(sizes.size()) - 1;
  return builder.iota(make_shape(ElementType::s32, std::move(sizes)), dimension);
}

InstructionId column_sums(GraphBuilder& builder, InstructionId x) {
  std::vector<std::int64_t> sizes = matrix_sizes(builder, x, 1, column_count(builder, x));
  const InstructionId sums = builder.reduce_add(x, {std::int64_t(sizes.size()) - 2});
  return builder.reshape(sums, std::move(sizes));
}

InstructionId identities(GraphBuilder& builder, ElementType type, std::vector<std::int64_t> sizes) {
  const InstructionId rows = row_numbers(builder, sizes), columns = column_numbers(builder, std::move(sizes));
  const InstructionId is_diagonal = builder.compare(rows, columns, ComparisonDirection::eq);
  return builder.convert(is_diagonal, type);
}

InstructionId repeated(GraphBuilder& builder, InstructionId x, std::vector<std::int64_t> sizes) {
  std::vector<std::int64_t> kept, dimensions;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (builder.shape(x).dimensions[d] != sizes[d]) continue;
    kept.push_back(sizes[d]);
    dimensions.push_back(std::int64_t(d));
  }
  if (kept.size() == sizes.size()) return x;
  const InstructionId narrow = builder.reshape(x, std::move(kept));
  return builder.broadcast(narrow, std::move(sizes), std::move(dimensions));
}

}  // namespace podsim::hlo::expanders
