// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "hw/tile_op.h"
#include "sw/graph/shape.h"
#include "sw/kernels/kernel_builder.h"

/// How vector kernels bring elements into registers and back. They compute in f32, on pairs of 8 x 128 tiles that are
/// neighbours in VMEM: two registers of f32 words, or one of bf16 words, two rows of elements in each.
namespace podsim::sw {

/// The two tiles of a pair, as f32.
using TilePair = std::array<VectorReg, 2>;

/// VMEM rows of one 8 x 128 tile: 8, or 4 of shared words.
std::int64_t tile_rows(ElementType type);
/// Words of one 8 x 128 tile.
std::int64_t tile_words(ElementType type);

/// f32, s32 (as they are) or bf16 (widened), from a pair's first row on.
TilePair load_pair(KernelBuilder& builder, ElementType type, RowAddress address);
/// f32 and s32 as they are, bf16 rounded to nearest even.
void store_pair(KernelBuilder& builder, ElementType type, RowAddress address, const TilePair& pair);

/// What those cost.
hw::VectorWork load_pair_work(ElementType type);
hw::VectorWork store_pair_work(ElementType type);

/// Sums and multiples of work.
hw::VectorWork sum(const hw::VectorWork& a, const hw::VectorWork& b);
hw::VectorWork times(std::int64_t count, const hw::VectorWork& work);

}  // namespace podsim::sw
