// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/host/interrupt.h"
#include "hlo/eval/evaluator.h"
#include "validation/kernels/error_bound.h"

namespace podsim::validation::kernels {
namespace {

/// The finaliser of SplitMix64: every bit of the result depends on every bit of x.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Random numbers of an element, or of another stream of draws.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t input, std::uint64_t stream)
      : state_(mixed(mixed(mixed(seed) + input) + stream)) {}
  std::uint64_t bits() { return state_ = mixed(state_); }
  std::int64_t below(std::int64_t count) { return std::int64_t(bits() % std::uint64_t(count)); }
  /// Returns a number in [0, 1).
  double fraction() { return double(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

double random_float(Draw draw) {
  switch (draw.below(16)) {
    case 0:
      return draw.below(2) == 0 ? 0.0 : -0.0;
    case 1:
    case 2:
    case 3:
      return std::ldexp(2 * draw.fraction() - 1, int(draw.below(27)) - 20);
    default:
      return 4 * draw.fraction() - 2;
  }
}

double random_element(hlo::ElementType type, Draw draw) {
  if (hlo::is_floating_point(type)) return random_float(draw);
  return type == hlo::ElementType::pred ? double(draw.below(2)) : double(draw.below(201) - 100);
}

/// Streams of draws other than those of the elements.
constexpr std::uint64_t places = std::uint64_t(1) << 63;

void place_specials(hlo::Literal& literal, bool infinities, std::uint64_t seed, std::uint64_t input) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::int64_t count = std::int64_t(literal.values.size());
  if (count == 0 || !hlo::is_floating_point(literal.shape.element_type)) return;
  Draw draw(seed, input, places);
  for (double special : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    if (std::isinf(special) && !infinities) continue;
    literal.values[std::size_t(draw.below(count))] = special;
  }
}

std::vector<std::int64_t> index_of(std::int64_t element, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> index(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0; element /= sizes[i]) index[i] = element % sizes[i];
  return index;
}

/// Returns the ratio of an element's error to the allowed error; more than 1 is too much.
double used(double expected, double found, double allowed) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found) ? 0 : infinity;
  if (expected == found) return 0;
  if (std::isinf(expected)) return infinity;
  const double error = std::abs(found - expected);
  return error <= allowed ? (allowed > 0 && std::isfinite(allowed) ? error / allowed : 0)
                          : (allowed > 0 ? error / allowed : infinity);
}

void compare(const sw::codegen::families::KernelArray& output, const hlo::Literal& expected,
             const hlo::Literal& allowed, const hlo::Literal& found, Verification& verification) {
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    ++verification.elements;
    const double ratio = used(expected.values[i], found.values[i], allowed.values[i]);
    if (!(ratio <= 1)) ++verification.differing;
    if (ratio <= verification.worst_ratio) continue;
    verification.worst_ratio = ratio;
    verification.worst = {output.name, index_of(std::int64_t(i), output.shape.dimensions), expected.values[i],
                          found.values[i], allowed.values[i]};
  }
}

}  // namespace

std::vector<hlo::Literal> random_inputs(const sw::codegen::families::Kernel& kernel, std::uint64_t seed,
                                        InputKind kind) {
  std::vector<hlo::Literal> inputs;
  for (const sw::codegen::families::KernelArray& array : kernel.inputs) {
    const std::uint64_t number = inputs.size();
    hlo::Literal& literal = inputs.emplace_back(
        hlo::Literal{array.shape, std::vector<double>(std::size_t(array.shape.element_count())), {}});
    const hlo::ElementType type = array.shape.element_type;
    for (std::size_t i = 0; i < literal.values.size(); ++i) {
      base::host::end_if_interrupted();
      literal.values[i] = hlo::round_to(type, random_element(type, Draw(seed, number, i)));
    }
    if (kind == InputKind::special) place_specials(literal, array.infinities, seed, number);
  }
  return inputs;
}

Verification verify_outputs(const sw::codegen::families::Kernel& kernel, std::span<const hlo::Literal> inputs,
                            const hw::memory::DeviceMemory& hbm) {
  const hlo::Literal results = hlo::eval::evaluate(with_error_bounds(kernel.reference, kernel.rounding_steps), inputs);
  Verification verification;
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i) {
    const hlo::Literal found = sw::codegen::families::read_array(hbm, kernel.outputs[i]);
    compare(kernel.outputs[i], results.elements[i], results.elements[kernel.outputs.size() + i], found, verification);
  }
  return verification;
}

void merge(Verification& all, const Verification& more) {
  all.elements += more.elements;
  all.differing += more.differing;
  if (more.worst_ratio <= all.worst_ratio) return;
  all.worst_ratio = more.worst_ratio;
  all.worst = more.worst;
}

}  // namespace podsim::validation::kernels
