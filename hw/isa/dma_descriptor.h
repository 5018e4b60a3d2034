// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace podsim::hw::isa {

enum class DmaRoute : std::uint8_t { hbm_to_vmem, vmem_to_hbm, hbm_to_hbm, hbm_to_smem, smem_to_hbm, hbm_to_imem };
inline constexpr int dma_routes = 6;

/// A two-dimensional copy, stored in SMEM as eight words. Addresses, lengths and strides are in 32-bit words (a VMEM
/// row is 128 words). A destination in instruction memory is a bundle address, with its stride in bundles. Row r of
/// `rows` begins at source + r * source_stride and destination + r * destination_stride. Completion raises `flag` by
/// one.
///
///   word 0: bits 0..7 route, bits 8..23 flag;  1: source;  2: destination;  3: words per row;  4: rows;
///   5: source stride;  6: destination stride;  7: number of the string that names it in traces
struct DmaDescriptor {
  DmaRoute route = DmaRoute::hbm_to_vmem;
  std::uint32_t flag = 0;
  std::uint32_t source = 0, destination = 0;
  std::uint32_t words = 0;  ///< per row
  std::uint32_t rows = 1;
  std::uint32_t source_stride = 0, destination_stride = 0;
  std::uint32_t name = 0;
  bool operator==(const DmaDescriptor&) const = default;
};
inline constexpr int descriptor_words = 8;

std::array<std::uint32_t, descriptor_words> to_words(const DmaDescriptor& descriptor);
/// Reads a descriptor. A route that does not exist is kept as its number, to be checked when the descriptor starts.
DmaDescriptor descriptor_of(const std::array<std::uint32_t, descriptor_words>& words);

}  // namespace podsim::hw::isa
