// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/odometer.h"

#include <algorithm>
#include <utility>

namespace podsim::sw::codegen::builder {

using hw::isa::Opcode;

namespace {

/// Returns true if one step of the outer dimension moves every base as far as all trips of the inner one do.
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

registers::ScalarReg in_register(KernelBuilder& builder, registers::ScalarOperand x) {
  return x.literal ? builder.constant(x.value) : registers::ScalarReg{x.value};
}

registers::ScalarOperand product(KernelBuilder& builder, registers::ScalarOperand x, registers::ScalarOperand y) {
  if (x.literal && y.literal) return x.value * y.value;
  if (x.literal) std::swap(x, y);
  if (y.literal && y.value == 0) return 0;
  if (y.literal && y.value == 1) return x;
  return builder.op(hw::isa::Opcode::s_mul, registers::ScalarReg{x.value}, y);
}

Odometer::Odometer(KernelBuilder& builder, const std::vector<OdometerDimension>& dimensions, std::vector<Base> bases)
    : builder_(builder), bases_(std::move(bases)) {
  for (const OdometerDimension& dimension : dimensions) add(dimension);
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    remaining_.push_back(builder_.op(hw::isa::Opcode::s_add, {}, dimensions_[d].trips));
    carries_.emplace_back();
    for (std::size_t base = 0; base < bases_.size(); ++base) {
      if (d == 0 && !bases_[base].returns) {
        carries_.back().push_back(0);
        continue;
      }
      const std::int32_t outer = d > 0 ? dimensions_[d - 1].steps[base] : 0;
      const registers::ScalarOperand back = product(builder_, dimensions_[d].trips, dimensions_[d].steps[base]);
      carries_.back().push_back(back.literal ? registers::ScalarOperand(outer - back.value)
                                             : builder_.op(hw::isa::Opcode::s_sub, builder_.constant(outer), back));
    }
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
  builder_.assign(remaining_.back(), hw::isa::Opcode::s_sub, remaining_.back(), 1);
  for (std::size_t base = 0; base < bases_.size(); ++base) add(bases_[base].reg, dimensions_.back().steps[base]);
  for (std::size_t d = dimensions_.size(); d-- > 0;) {
    if (d == 0 && std::ranges::none_of(bases_, &Base::returns)) break;
    const registers::ScalarReg stays = builder_.op(hw::isa::Opcode::s_min, remaining_[d], 1);
    const registers::ScalarReg wraps = builder_.op(hw::isa::Opcode::s_sub, stays, 1);  // all bits, or none
    if (d > 0) {
      add(remaining_[d], builder_.op(hw::isa::Opcode::s_and, wraps, dimensions_[d].trips));
      add(remaining_[d - 1], wraps);
    }
    for (std::size_t base = 0; base < bases_.size(); ++base) {
      const registers::ScalarOperand carry = carries_[d][base];
      if (!carry.literal || carry.value != 0) add(bases_[base].reg, builder_.op(hw::isa::Opcode::s_and, wraps, carry));
    }
  }
}

void Odometer::add(registers::ScalarReg base, registers::ScalarOperand step) const {
  if (!step.literal || step.value != 0) builder_.assign(base, hw::isa::Opcode::s_add, base, step);
}

registers::ScalarReg Odometer::begun(int group) const {
  registers::ScalarReg any;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (dimensions_[d].group != group) continue;
    const registers::ScalarReg steps = builder_.op(hw::isa::Opcode::s_xor, remaining_[d], dimensions_[d].trips);
    any = any.id == 0 ? steps : builder_.op(hw::isa::Opcode::s_or, any, steps);
  }
  return any;
}

bool Odometer::has(int group) const {
  return std::ranges::any_of(dimensions_, [&](const OdometerDimension& d) { return d.group == group; });
}

registers::ScalarOperand Odometer::trips() const {
  registers::ScalarOperand trips = 1;
  for (const OdometerDimension& dimension : dimensions_) trips = product(builder_, trips, dimension.trips);
  return trips;
}

}  // namespace podsim::sw::codegen::builder
