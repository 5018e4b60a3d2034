// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/odometer.h"

#include <utility>

namespace podsim::sw {

using hw::isa::Opcode;

namespace {

/// Whether stepping the outer dimension once moves every base as the inner one does by all its trips.
bool continues(const OdometerDimension& outer, const OdometerDimension& inner) {
  if (outer.group != inner.group) return false;
  for (std::size_t base = 0; base < outer.steps.size(); ++base) {
    const bool both_still = outer.steps[base] == 0 && inner.steps[base] == 0;
    if (both_still) continue;
    if (!inner.trips.literal || outer.steps[base] != inner.trips.value * inner.steps[base]) return false;
  }
  return true;
}

}  // namespace

ScalarReg in_register(KernelBuilder& builder, ScalarOperand x) {
  return x.literal ? builder.constant(x.value) : ScalarReg{x.value};
}

ScalarOperand product(KernelBuilder& builder, ScalarOperand x, ScalarOperand y) {
  if (x.literal && y.literal) return x.value * y.value;
  if (x.literal) std::swap(x, y);
  if (y.literal && y.value == 1) return x;
  return builder.op(Opcode::s_mul, ScalarReg{x.value}, y);
}

Odometer::Odometer(KernelBuilder& builder, const std::vector<OdometerDimension>& dimensions,
                   std::vector<ScalarReg> bases)
    : builder_(builder), bases_(std::move(bases)) {
  for (const OdometerDimension& dimension : dimensions) add(dimension);
  for (const OdometerDimension& dimension : dimensions_) {
    indices_.push_back(builder_.constant(0));
    rewinds_.emplace_back();
    for (std::int32_t step : dimension.steps) rewinds_.back().push_back(product(builder_, dimension.trips, step));
  }
}

void Odometer::add(const OdometerDimension& dimension) {
  if (dimension.trips.literal && dimension.trips.value == 1) return;
  if (dimensions_.empty() || !continues(dimensions_.back(), dimension)) {
    dimensions_.push_back(dimension);
    return;
  }
  OdometerDimension& outer = dimensions_.back();
  outer.trips = product(builder_, outer.trips, dimension.trips);
  outer.steps = dimension.steps;
}

void Odometer::advance() const {
  if (dimensions_.empty()) return;
  builder_.assign(indices_.back(), Opcode::s_add, indices_.back(), 1);
  for (std::size_t base = 0; base < bases_.size(); ++base) {
    const std::int32_t step = dimensions_.back().steps[base];
    if (step != 0) builder_.assign(bases_[base], Opcode::s_add, bases_[base], step);
  }
  for (std::size_t d = dimensions_.size(); d-- > 0;) {
    const PredicateReg wraps = builder_.compare(Opcode::s_eq, indices_[d], dimensions_[d].trips);
    builder_.when(wraps, false, [&] {
      builder_.set(indices_[d], 0);
      if (d > 0) builder_.assign(indices_[d - 1], Opcode::s_add, indices_[d - 1], 1);
      for (std::size_t base = 0; base < bases_.size(); ++base) {
        builder_.assign(bases_[base], Opcode::s_sub, bases_[base], rewinds_[d][base]);
        if (d > 0) builder_.assign(bases_[base], Opcode::s_add, bases_[base], dimensions_[d - 1].steps[base]);
      }
    });
  }
}

std::vector<ScalarReg> Odometer::indices(int group) const {
  std::vector<ScalarReg> found;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (dimensions_[d].group == group) found.push_back(indices_[d]);
  }
  return found;
}

ScalarOperand Odometer::trips() const {
  ScalarOperand trips = 1;
  for (const OdometerDimension& dimension : dimensions_) trips = product(builder_, trips, dimension.trips);
  return trips;
}

}  // namespace podsim::sw
