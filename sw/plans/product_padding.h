// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "hlo/spmd/propagate/classed_program.h"
#include "sw/target_machine.h"

namespace podsim::sw::plans {

/// How much longer a product takes since its columns, and what it sums, do not fill the sides of a matrix unit: one of
/// its operands is latched, the other streams. `parts(f)` is the number of parts of its factor number f.
template <class Parts>
double padding_of(const hlo::spmd::propagate::ClassedProduct& product, const TargetMachine& machine, Parts parts) {
  double streamed = 1, latched = 1, summed = 1;
  for (std::size_t f = 0; f < product.factors.size(); ++f) {
    const hlo::spmd::propagate::ClassedFactor& factor = product.factors[f];
    const double size = double(factor.size) / double(parts(f));
    const bool in_first = factor.at.front() >= 0, in_second = factor.at.size() > 2 && factor.at[1] >= 0;
    if (factor.reduced) {
      summed *= size;
    } else if (in_first && !in_second) {
      streamed *= size;
    } else if (in_second && !in_first) {
      latched *= size;
    }
  }
  const double side = double(machine.mxu.size);
  const auto padded = [side](double size) { return std::ceil(size / side) * side / size; };
  return padded(summed) * std::min(padded(streamed), padded(latched));
}

/// The same of the whole product: the parts of a division fill no more.
inline double least_padding(const hlo::spmd::propagate::ClassedProduct& product, const TargetMachine& machine) {
  return padding_of(product, machine, [](std::size_t) { return 1; });
}

}  // namespace podsim::sw::plans
