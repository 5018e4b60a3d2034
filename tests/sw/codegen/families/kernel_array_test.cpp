// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/kernel_array.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families {
namespace {

constexpr std::uint32_t address = 4096;

hw::memory::DeviceMemory memory() { return hw::memory::DeviceMemory(base::Bytes(1 << 26)); }

std::uint32_t word_at(const hw::memory::DeviceMemory& hbm, std::uint64_t word) {
  std::uint32_t value = 0;
  hbm.read(word, {&value, 1});
  return value;
}

float float_at(const hw::memory::DeviceMemory& hbm, std::uint64_t word) {
  return std::bit_cast<float>(word_at(hbm, word));
}

/// Elements 1, 2, 3, ... in row-major order; small enough that even bf16 distinguishes neighbours.
hlo::Literal counted(hlo::Shape shape) {
  hlo::Literal value{shape, std::vector<double>(std::size_t(shape.element_count())), {}};
  for (std::size_t i = 0; i < value.values.size(); ++i) value.values[i] = double(1 + i % 256);
  return value;
}

hlo::Shape with_layout(hlo::Shape shape, std::vector<int> minor_to_major) {
  shape.minor_to_major = std::move(minor_to_major);
  return shape;
}

TEST(KernelArray, AnF32MatrixIsRowsOf8X128Tiles) {
  const KernelArray array{"x", hlo::make_shape(hlo::ElementType::f32, {10, 130}), address};
  ASSERT_EQ(array_words(array.shape), 4u * 1024);
  hw::memory::DeviceMemory hbm = memory();
  hlo::Literal value = counted(array.shape);
  value.values[9 * 130 + 129] = 7.5;  // row 9 is row 1 of the second row of tiles, column 129 lane 1 of the second tile
  value.values[7 * 130 + 127] = 8.5;
  value.values[8 * 130 + 0] = 9.5;
  write_array(hbm, array, value);
  EXPECT_EQ(float_at(hbm, address + 3 * 1024 + 1 * 128 + 1), 7.5f);
  EXPECT_EQ(float_at(hbm, address + 7 * 128 + 127), 8.5f);
  EXPECT_EQ(float_at(hbm, address + 2 * 1024), 9.5f);
}

TEST(KernelArray, AColumnMajorMatrixIsTiledAlongItsColumns) {
  const KernelArray array{"x", with_layout(hlo::make_shape(hlo::ElementType::f32, {130, 10}), {0, 1}), address};
  ASSERT_EQ(array_words(array.shape), 4u * 1024);
  hw::memory::DeviceMemory hbm = memory();
  hlo::Literal value = counted(array.shape);
  value.values[129 * 10 + 9] = 7.5;
  write_array(hbm, array, value);
  EXPECT_EQ(float_at(hbm, address + 3 * 1024 + 1 * 128 + 1), 7.5f);
}

TEST(KernelArray, TwoRowsOfBf16ShareAWordTheEvenOneInTheLowHalf) {
  const KernelArray array{"x", hlo::make_shape(hlo::ElementType::bf16, {16, 200}), address};
  ASSERT_EQ(array_words(array.shape), 4u * 512);
  hw::memory::DeviceMemory hbm = memory();
  hlo::Literal value = counted(array.shape);
  value.values[12 * 200 + 130] = 1;   // 0x3f80
  value.values[13 * 200 + 130] = -2;  // 0xc000
  write_array(hbm, array, value);
  // Rows 12 and 13 are rows 4 and 5 of the second row of tiles: word row 2 of its second tile.
  EXPECT_EQ(word_at(hbm, address + 3 * 512 + 2 * 128 + 2), 0xc0003f80u);
}

TEST(KernelArray, AVectorIsRowsOf128LanesInTilesOf1024) {
  const KernelArray words{"x", hlo::make_shape(hlo::ElementType::s32, {1100}), address};
  ASSERT_EQ(array_words(words.shape), 2u * 1024);
  hw::memory::DeviceMemory hbm = memory();
  hlo::Literal value = counted(words.shape);
  value.values[1090] = -5;
  write_array(hbm, words, value);
  EXPECT_EQ(std::int32_t(word_at(hbm, address + 1090)), -5);

  const KernelArray halves{"x", hlo::make_shape(hlo::ElementType::bf16, {1100}), address};
  ASSERT_EQ(array_words(halves.shape), 2u * 512);
  hlo::Literal half_value = counted(halves.shape);
  half_value.values[3 * 128 + 5] = -2;  // the odd one of rows 2 and 3
  write_array(hbm, halves, half_value);
  EXPECT_EQ(word_at(hbm, address + 128 + 5) >> 16, 0xc000u);
}

TEST(KernelArray, MajorDimensionsCountPlanesTheMostMajorOutermost) {
  const KernelArray array{"x", hlo::make_shape(hlo::ElementType::f32, {2, 3, 9, 5}), address};
  ASSERT_EQ(array_words(array.shape), 2u * 3 * 2 * 1024);
  hw::memory::DeviceMemory hbm = memory();
  hlo::Literal value = counted(array.shape);
  value.values[((1 * 3 + 2) * 9 + 8) * 5 + 4] = 0.5;
  write_array(hbm, array, value);
  EXPECT_EQ(float_at(hbm, address + (1 * 3 + 2) * 2 * 1024 + 1024 + 4), 0.5f);
}

TEST(KernelArray, PaddingHoldsNans) {
  hw::memory::DeviceMemory hbm = memory();
  const KernelArray array{"x", hlo::make_shape(hlo::ElementType::f32, {2, 3}), address};
  write_array(hbm, array, counted(array.shape));
  int numbers = 0;
  for (std::uint64_t word = 0; word < 1024; ++word) numbers += std::isnan(float_at(hbm, address + word)) ? 0 : 1;
  EXPECT_EQ(numbers, 6);

  const KernelArray halves{"x", hlo::make_shape(hlo::ElementType::bf16, {1, 1}), address};
  write_array(hbm, halves, hlo::Literal{halves.shape, {1}, {}});
  EXPECT_EQ(word_at(hbm, address), 0x7fc03f80u);
  EXPECT_EQ(word_at(hbm, address + 511), 0x7fc07fc0u);
}

TEST(KernelArray, AScalarTakesATileAndAnEmptyArrayTakesNothing) {
  EXPECT_EQ(array_words(hlo::make_shape(hlo::ElementType::f32, {})), 1024u);
  EXPECT_EQ(array_words(hlo::make_shape(hlo::ElementType::f32, {0})), 0u);
  EXPECT_EQ(array_words(hlo::make_shape(hlo::ElementType::f32, {0, 7})), 0u);
  EXPECT_EQ(array_words(hlo::make_shape(hlo::ElementType::bf16, {7, 0})), 0u);
  hw::memory::DeviceMemory hbm = memory();
  const KernelArray scalar{"x", hlo::make_shape(hlo::ElementType::f32, {}), address};
  write_array(hbm, scalar, hlo::Literal{scalar.shape, {2.5}, {}});
  EXPECT_EQ(float_at(hbm, address), 2.5f);
  const KernelArray empty{"x", hlo::make_shape(hlo::ElementType::f32, {0, 7}), address};
  write_array(hbm, empty, hlo::Literal{empty.shape, {}, {}});
  EXPECT_TRUE(read_array(hbm, empty).values.empty());
}

TEST(KernelArray, SpecialValuesSurviveAndEveryNanIsTheQuietOne) {
  const double infinity = std::numeric_limits<double>::infinity();
  hw::memory::DeviceMemory hbm = memory();
  for (const hlo::ElementType type : {hlo::ElementType::f32, hlo::ElementType::bf16}) {
    const KernelArray array{"x", hlo::make_shape(type, {4}), address};
    write_array(hbm, array, hlo::Literal{array.shape, {-0.0, infinity, -infinity, -std::nan("1")}, {}});
    const hlo::Literal back = read_array(hbm, array);
    EXPECT_TRUE(std::signbit(back.values[0]));
    EXPECT_EQ(back.values[1], infinity);
    EXPECT_EQ(back.values[2], -infinity);
    EXPECT_TRUE(std::isnan(back.values[3]));
    EXPECT_EQ(word_at(hbm, address + 3) & 0xffff, type == hlo::ElementType::f32 ? 0u : 0x7fc0u);
  }
}

TEST(KernelArray, AnElementTypeThatKernelsLackIsRefused) {
  EXPECT_THROW(array_words(hlo::make_shape(hlo::ElementType::f64, {3})), std::logic_error);
}

TEST(KernelArray, WhatIsWrittenIsReadBackAndNothingLiesOutsideOfTheArray) {
  rc::check([] {
    hlo::Shape shape;
    shape.element_type = *rc::gen::element(hlo::ElementType::f32, hlo::ElementType::s32, hlo::ElementType::bf16);
    const int rank = *rc::gen::inRange(0, 5);
    for (int i = 0; i < rank; ++i) shape.dimensions.push_back(*rc::gen::inRange<std::int64_t>(0, rank < 3 ? 300 : 20));
    std::vector<int> layout(static_cast<std::size_t>(rank));
    std::iota(layout.begin(), layout.end(), 0);
    for (int i = rank - 1; i > 0; --i) {
      std::swap(layout[std::size_t(i)], layout[std::size_t(*rc::gen::inRange(0, i + 1))]);
    }
    shape.minor_to_major = layout;
    const KernelArray array{"x", shape, address};
    hw::memory::DeviceMemory hbm = memory();
    const std::uint32_t guard = 0x12345678;
    const std::uint64_t end = address + array_words(shape);
    hbm.write(address - 1, {&guard, 1});
    hbm.write(end, {&guard, 1});
    const hlo::Literal value = counted(shape);
    write_array(hbm, array, value);
    RC_ASSERT(read_array(hbm, array).values == value.values);
    RC_ASSERT(word_at(hbm, address - 1) == guard);
    RC_ASSERT(word_at(hbm, end) == guard);
  });
}

}  // namespace
}  // namespace podsim::sw::codegen::families
