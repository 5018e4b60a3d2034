// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hw/bundle/vector/vector_register.h"
#include "hw/isa/opcode.h"

/// The vector, transcendental and cross-lane operations on registers, without timing. They give the same bits on every
/// host: variants for wider vector instructions are chosen at run time and agree with the plain loops
/// (hw/bundle/vector/vector_kernels.h). Floats are IEEE single precision, rounded to nearest even, with denormals. A
/// NaN result is the quiet NaN 0x7fc00000, so that payloads do not depend on the order of operands. Operations that
/// only move words do not change them.
namespace podsim::hw::bundle::vector {

/// d = x op y in the lanes of `mask`, for the opcodes of the vector slots that write a vector register (v_* except
/// compares). v_select uses `mask` as its condition and writes every lane. For v_splat, v_mov with a literal and
/// similar opcodes, `y` already has the value in every lane. x is ignored for opcodes without x. d may be x or y.
///
/// Shifts use y modulo 32. Given +0 and -0, v_max_f32 returns +0 and v_min_f32 returns -0. A pair of bf16 tiles is one
/// register: sublanes 0..3 hold the first tile, sublanes 4..7 the second, and the word in lane l of a tile's sublane i
/// has row 2i in its low half and row 2i + 1 in its high half. v_pack_bf16 makes a pair from f32 tiles x and y;
/// v_unpack_lo returns the first and v_unpack_hi the second tile of pair y.
void vector_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, const VectorRegister& y,
                      const MaskRegister& mask);
/// The compares: d = mask and (x op y). d may be `mask`.
void vector_compare(isa::Opcode opcode, MaskRegister& d, const VectorRegister& x, const VectorRegister& y,
                    const MaskRegister& mask);
/// m_and, m_or, m_xor, m_andn. d may be x or y.
void mask_operation(isa::Opcode opcode, MaskRegister& d, const MaskRegister& x, const MaskRegister& y);
void fill(VectorRegister& d, std::uint32_t word);

/// The e_* opcodes, with IEEE results for zeros, infinities and arguments out of range. e_sqrt and e_recip are rounded
/// to nearest; e_exp, e_log and e_tanh are within 1 ulp of the exact value, e_rsqrt within 1.5. d may be y.
void transcendental_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& y);

/// x_rotate_*, x_broadcast_lane and x_sum/max/min_*, but not the transposes. `amount` is taken modulo 128 lanes or 8
/// sublanes. d must not be x.
///
/// Sums are a tree of halves: value i and value i + n/2 of n values are added for every i < n/2, and so on with the n/2
/// sums until one is left. That is lanes l and l + 64, then l and l + 32, ..., 0 and 1; sublanes s and s + 4, then s
/// and s + 2, then 0 and 1. Maxima and minima are those of v_max_f32 and v_min_f32.
void cross_lane_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, std::int32_t amount);
/// x_permute_lanes. d must be neither x nor index.
void permute_lanes(VectorRegister& d, const VectorRegister& x, const VectorRegister& index);

/// d = register r of the transposed tile: its rows are columns 8r to 8r + 7 of `tile`. d must not be a register of
/// `tile`.
void transpose(VectorRegister& d, std::span<const VectorRegister, tile_registers> tile, int r);

}  // namespace podsim::hw::bundle::vector
