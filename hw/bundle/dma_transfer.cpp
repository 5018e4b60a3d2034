// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/dma_transfer.h"

#include <iterator>

#include "hw/bundle/vector/vector_register.h"
#include "hw/isa/encoding.h"

namespace podsim::hw::bundle {

namespace {

constexpr std::int64_t hbm_atom = 32;  // bytes of a burst

struct Route {
  DmaSpace from, to;
};
constexpr Route route_of(isa::DmaRoute route) {
  using enum DmaSpace;
  constexpr Route routes[] = {{hbm, vmem}, {vmem, hbm}, {hbm, hbm}, {hbm, smem}, {smem, hbm}, {hbm, instructions}};
  static_assert(std::size(routes) == isa::dma_routes);
  return routes[int(route)];
}

}  // namespace

const char* to_string(DmaSpace space) {
  constexpr const char* names[] = {"HBM", "VMEM", "SMEM", "instruction memory"};
  return names[int(space)];
}

DmaTransfer::DmaTransfer(const isa::DmaDescriptor& d, std::uint32_t issued_by)
    : descriptor(d),
      from(route_of(d.route).from),
      to(route_of(d.route).to),
      source{d.source, d.words, d.rows, d.source_stride},
      destination{d.destination, d.words, d.rows, d.destination_stride},
      bundle(issued_by) {
  if (to == DmaSpace::instructions) destination.words /= isa::bundle_words;
}

base::Bytes DmaTransfer::bytes() const {
  return base::Bytes(base::round_up(4 * std::int64_t(descriptor.words), hbm_atom) * descriptor.rows);
}

std::int64_t DmaTransfer::count_vmem_rows() const {
  if (from != DmaSpace::vmem && to != DmaSpace::vmem) return 0;
  const vector::Region& region = from == DmaSpace::vmem ? source : destination;
  if (region.empty()) return 0;
  std::int64_t touched = 0;
  for (std::uint64_t r = 0; r < region.rows; ++r) {
    const std::uint64_t begin = region.row(r);
    touched += std::int64_t((begin + region.words - 1) / vector::lanes - begin / vector::lanes) + 1;
  }
  return touched;
}

}  // namespace podsim::hw::bundle
