// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/dma_transfer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "hw/bundle/vector/vector_register.h"
#include "hw/isa/encoding.h"

namespace podsim::hw::bundle {
namespace {

using isa::DmaRoute;

isa::DmaDescriptor any_descriptor(isa::DmaRoute route) {
  isa::DmaDescriptor descriptor;
  descriptor.route = route;
  descriptor.source = *rc::gen::inRange<std::uint32_t>(0, 1000);
  descriptor.destination = *rc::gen::inRange<std::uint32_t>(0, 1000);
  descriptor.words = *rc::gen::inRange<std::uint32_t>(0, 500);
  descriptor.rows = *rc::gen::inRange<std::uint32_t>(0, 6);
  descriptor.source_stride = *rc::gen::inRange<std::uint32_t>(0, 700);
  descriptor.destination_stride = *rc::gen::inRange<std::uint32_t>(0, 700);
  return descriptor;
}

/// Word by word; a VMEM row counts once for each row of the transfer that touches it.
std::int64_t rows_touched(std::uint64_t start, std::uint64_t stride, const isa::DmaDescriptor& descriptor) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> touched;
  for (std::uint64_t row = 0; row < descriptor.rows; ++row) {
    for (std::uint64_t word = 0; word < descriptor.words; ++word) {
      touched.emplace(row, (start + row * stride + word) / vector::lanes);
    }
  }
  return std::int64_t(touched.size());
}

RC_GTEST_PROP(DmaTransfer, CountsTheVmemRowsThatItsWordsLieIn, ()) {
  const isa::DmaDescriptor in = any_descriptor(isa::DmaRoute::hbm_to_vmem);
  RC_ASSERT(DmaTransfer(in, 0).count_vmem_rows() == rows_touched(in.destination, in.destination_stride, in));
  const isa::DmaDescriptor out = any_descriptor(isa::DmaRoute::vmem_to_hbm);
  RC_ASSERT(DmaTransfer(out, 0).count_vmem_rows() == rows_touched(out.source, out.source_stride, out));
}

RC_GTEST_PROP(DmaTransfer, TouchesNoVmemOnOtherRoutes, ()) {
  using enum DmaRoute;
  const isa::DmaRoute route = *rc::gen::element(hbm_to_hbm, hbm_to_smem, smem_to_hbm, hbm_to_imem);
  RC_ASSERT(DmaTransfer(any_descriptor(route), 0).count_vmem_rows() == 0);
}

TEST(DmaTransfer, MovesWholeAtomsOf32BytesInEveryRow) {
  isa::DmaDescriptor descriptor;
  descriptor.rows = 3;
  for (const auto& [words, bytes_per_row] : {std::pair(0, 0), std::pair(1, 32), std::pair(8, 32), std::pair(9, 64)}) {
    descriptor.words = std::uint32_t(words);
    EXPECT_EQ(DmaTransfer(descriptor, 0).bytes(), base::Bytes(3 * bytes_per_row)) << words << " words";
  }
}

TEST(DmaTransfer, ACopyWithinHbmReadsFirstAndThenWrites) {
  isa::DmaDescriptor descriptor;
  descriptor.route = isa::DmaRoute::hbm_to_hbm;
  DmaTransfer transfer(descriptor, 0);
  EXPECT_EQ(transfer.direction(), Direction::read);
  transfer.second_half = true;
  EXPECT_EQ(transfer.direction(), Direction::write);
}

TEST(DmaTransfer, CoversInstructionMemoryInBundles) {
  isa::DmaDescriptor descriptor;
  descriptor.route = isa::DmaRoute::hbm_to_imem;
  descriptor.words = 3 * isa::bundle_words;
  const DmaTransfer transfer(descriptor, 0);
  EXPECT_EQ(transfer.destination.words, 3U);
  EXPECT_EQ(transfer.source.words, descriptor.words);
}

}  // namespace
}  // namespace podsim::hw::bundle
