// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "hlo/build/graph_builder.h"

/// Operations on the matrices in the last two dimensions of arrays; the dimensions before are batches.
namespace podsim::hlo::expanders {

/// Rows and columns of a block (xla/hlo/transforms/expanders/cholesky_expander.cc, triangular_solve_expander.cc).
inline constexpr std::int64_t factorisation_block = 128;

struct Factor {
  InstructionId matrices = -1;
  bool transposed = false;
};

/// The products of a matrix of `a` and one of `b`, in the highest precision.
InstructionId matrix_product(build::GraphBuilder& builder, Factor a, Factor b);

InstructionId transposed_matrices(build::GraphBuilder& builder, InstructionId x);

/// Rows [row, end_row) and columns [column, end_column).
InstructionId matrix_slice(build::GraphBuilder& builder, InstructionId x, std::int64_t row, std::int64_t end_row,
                           std::int64_t column, std::int64_t end_column);
/// x with `part` from (row, column).
InstructionId with_matrix_slice(build::GraphBuilder& builder, InstructionId x, InstructionId part, std::int64_t row,
                                std::int64_t column);

/// As above, with starts that are s32[] values.
InstructionId matrix_part(build::GraphBuilder& builder, InstructionId x, InstructionId row, InstructionId column,
                          std::int64_t rows, std::int64_t columns);
InstructionId with_matrix_part(build::GraphBuilder& builder, InstructionId x, InstructionId part, InstructionId row,
                               InstructionId column);

std::int64_t row_count(const build::GraphBuilder& builder, InstructionId x);
std::int64_t column_count(const build::GraphBuilder& builder, InstructionId x);

/// The sizes of x with other rows and columns.
std::vector<std::int64_t> matrix_sizes(const build::GraphBuilder& builder, InstructionId x, std::int64_t rows,
                                       std::int64_t columns);

/// Whether an instruction is a custom call of this target and number of operands on real matrices.
bool is_call_on_matrices(const Computation& computation, const Instruction& call, std::string_view target,
                         std::size_t operands);

/// The row, or the column, of each element of arrays of these sizes, in s32.
InstructionId row_numbers(build::GraphBuilder& builder, std::vector<std::int64_t> sizes);
InstructionId column_numbers(build::GraphBuilder& builder, std::vector<std::int64_t> sizes);

/// Sums of columns, [.., 1, columns].
InstructionId column_sums(build::GraphBuilder& builder, InstructionId x);

/// Ones on the diagonals of matrices of these sizes.
InstructionId identities(build::GraphBuilder& builder, ElementType type, std::vector<std::int64_t> sizes);

/// Repeats x along its dimensions of one element.
InstructionId repeated(build::GraphBuilder& builder, InstructionId x, std::vector<std::int64_t> sizes);

}  // namespace podsim::hlo::expanders
