// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/array_allocator.h"

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"

namespace podsim::sw::codegen::families {

namespace {
/// DMA addresses are 32 bits wide.
constexpr std::uint64_t addressable_words = std::uint64_t(1) << 32;
}  // namespace

ArrayAllocator::ArrayAllocator(const hw::Machine& machine)
    : limit_(std::min(addressable_words, std::uint64_t(machine.hbm.capacity_per_core.value() / 4))) {}

KernelArray ArrayAllocator::place(std::string name, hlo::Shape shape) {
  const std::uint64_t words = array_words(shape);
  if (words > limit_ - next_) throw base::InputError("the kernel's arrays do not fit the HBM of a core");
  KernelArray array{std::move(name), std::move(shape), std::uint32_t(next_)};
  next_ += words;
  return array;
}

}  // namespace podsim::sw::codegen::families
