// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/named_flags.h"

#include <algorithm>
#include <array>
#include <optional>

#include "hw/isa/dma_descriptor.h"

namespace podsim::hw::bundle {

namespace {

bool takes_flag(isa::Opcode opcode) {
  return opcode == isa::Opcode::sync_set || opcode == isa::Opcode::sync_add || opcode == isa::Opcode::sync_wait;
}

/// Returns the flag of a block that looks like a descriptor: eight words of SMEM that describe a copy.
std::optional<std::int64_t> flag_in(const isa::DataBlock& block) {
  if (block.space != isa::MemorySpace::smem || block.words.size() != isa::descriptor_words) return std::nullopt;
  std::array<std::uint32_t, isa::descriptor_words> words;
  std::ranges::copy(block.words, words.begin());
  const isa::DmaDescriptor descriptor = isa::descriptor_of(words);
  const bool copies = int(descriptor.route) < isa::dma_routes && descriptor.words > 0 && descriptor.rows > 0;
  if (!copies || isa::to_words(descriptor) != words) return std::nullopt;
  return descriptor.flag;
}

}  // namespace

std::set<std::size_t> named_flags(const isa::Program& program, std::int64_t count) {
  std::set<std::size_t> flags;
  const auto add = [&](std::int64_t flag) {
    if (flag >= 0 && flag < count) flags.insert(std::size_t(flag));
  };
  for (const isa::DataBlock& block : program.data) {
    if (const auto flag = flag_in(block)) add(*flag);
  }
  const bool described = !flags.empty();
  for (const isa::Segment& segment : program.segments) {
    for (const isa::Bundle& bundle : segment.bundles) {
      const auto& misc = bundle[isa::Slot::misc];
      if (!misc || !takes_flag(misc->opcode)) continue;
      if (misc->x.literal) {
        add(misc->x.value);
      } else if (!described) {
        for (std::int64_t flag = 0; flag < count; ++flag) add(flag);
        return flags;
      }
    }
  }
  return flags;
}

}  // namespace podsim::hw::bundle
