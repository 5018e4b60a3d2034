// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/systolic_product.h"

#include <algorithm>
#include <vector>

#include "hw/bundle/product_kernels.h"

namespace podsim::hw {

void ExponentRange::include(const ExponentRange& other) {
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

void WeightTile::put_rows(int number, const OperandRegister& rows) {
  const int first_row = lanes - sublanes * (number + 1);
  for (int i = 0; i < sublanes; ++i) {
    for (int n = 0; n < lanes; n += strip_columns) {
      std::copy_n(&rows.values[std::size_t(i * lanes + n)], strip_columns, &values[place(first_row + i, n)]);
    }
  }
  exponents.include(rows.exponents);
}

void WeightTile::put_columns(int number, const OperandRegister& columns) {
  for (int k = 0; k < lanes; ++k) {
    float* const first = &values[place(k, number * sublanes)];
    for (int i = 0; i < sublanes; ++i) first[i] = columns.values[std::size_t(i * lanes + k)];
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

}  // namespace podsim::hw
