// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "hlo/shape.h"
#include "hw/tile_op.h"
#include "sw/codegen/builder/kernel_builder.h"

/// Loads and stores of elements in vector kernels. They compute in f32, on pairs of 8 x 128 tiles that are neighbours
/// in VMEM: two registers of f32 words, or one register of bf16 words, in which each word holds elements of two rows.
namespace podsim::sw::codegen::builder {

/// The two tiles of a pair, as f32.
using TilePair = std::array<registers::VectorReg, 2>;

/// VMEM rows of an 8 x 128 tile: 8, or 4 if two elements share a word.
std::int64_t tile_rows(hlo::ElementType type);
/// Words of an 8 x 128 tile.
std::int64_t tile_words(hlo::ElementType type);

/// Loads a pair of tiles; `address` is its first VMEM row. f32 and s32 are loaded unchanged, bf16 is widened to f32.
TilePair load_pair(KernelBuilder& builder, hlo::ElementType type, registers::RowAddress address);
/// Stores a pair of tiles: f32 and s32 unchanged, bf16 rounded to nearest even.
void store_pair(KernelBuilder& builder, hlo::ElementType type, registers::RowAddress address, const TilePair& pair);

/// Work of load_pair() and store_pair().
hw::VectorWork load_pair_work(hlo::ElementType type);
hw::VectorWork store_pair_work(hlo::ElementType type);

/// Sums and multiples of work.
hw::VectorWork sum(const hw::VectorWork& a, const hw::VectorWork& b);
hw::VectorWork times(std::int64_t count, const hw::VectorWork& work);

}  // namespace podsim::sw::codegen::builder
