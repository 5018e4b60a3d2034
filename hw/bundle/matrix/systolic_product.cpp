// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/systolic_product.h"

#include <algorithm>
#include <vector>

#include "hw/bundle/matrix/product_kernels.h"

namespace podsim::hw::bundle::matrix {

void ExponentRange::include(const ExponentRange& other) {
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

void WeightTile::put_rows(int number, const OperandRegister& rows) {
  const int first_row = vector::lanes - vector::sublanes * (number + 1);
  for (int i = 0; i < vector::sublanes; ++i) {
    for (int n = 0; n < vector::lanes; n += strip_columns) {
      std::copy_n(&rows.values[std::size_t(i * vector::lanes + n)], strip_columns, &values[index(first_row + i, n)]);
    }
  }
  exponents.include(rows.exponents);
}

void WeightTile::put_columns(int number, const OperandRegister& columns) {
  for (int k = 0; k < vector::lanes; ++k) {
    float* const first = &values[index(k, number * vector::sublanes)];
    for (int i = 0; i < vector::sublanes; ++i) first[i] = columns.values[std::size_t(i * vector::lanes + k)];
  }
  exponents.include(columns.exponents);
}

std::span<const ProductCode> product_codes() {
  static const std::vector<ProductCode> codes = [] {
    std::vector<ProductCode> found{plain_product_code()};
    if (const auto code = avx2_product_code()) found.push_back(*code);
    if (const auto code = avx512_product_code()) found.push_back(*code);
    return found;
  }();
  return codes;
}

}  // namespace podsim::hw::bundle::matrix
