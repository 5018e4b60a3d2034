// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/dma_descriptor.h"

namespace podsim::hw::isa {

std::array<std::uint32_t, descriptor_words> to_words(const DmaDescriptor& descriptor) {
  std::uint32_t control = std::uint32_t(descriptor.route) | (descriptor.flag & 0xffff) << 8;
  return {control,         descriptor.source,        descriptor.destination,        descriptor.words,
          descriptor.rows, descriptor.source_stride, descriptor.destination_stride, descriptor.name};
}

DmaDescriptor descriptor_of(const std::array<std::uint32_t, descriptor_words>& words) {
  DmaDescriptor descriptor;
  descriptor.route = DmaRoute(words[0] & 0xff);
  descriptor.flag = words[0] >> 8 & 0xffff;
  descriptor.source = words[1];
  descriptor.destination = words[2];
  descriptor.words = words[3];
  descriptor.rows = words[4];
  descriptor.source_stride = words[5];
  descriptor.destination_stride = words[6];
  descriptor.name = words[7];
  return descriptor;
}

}  // namespace podsim::hw::isa
