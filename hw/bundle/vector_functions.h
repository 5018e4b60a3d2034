// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hw/bundle/vector_register.h"
#include "hw/isa/opcode.h"

/// What the vector, transcendental and cross-lane operations compute, on registers, without time. The same bits on
/// every host: variants for wider vector instructions are chosen at run time and agree with the plain loops
/// (bundle/vector_kernels.h). Floats are IEEE single precision to nearest even, denormals kept; a NaN result is the
/// quiet NaN 0x7fc00000, so that payloads do not depend on the order of operands. Operations that only move words keep
/// them as they are.
namespace podsim::hw {

/// d = x op y in the lanes of `mask` for the opcodes of the vector slots that write a vector register (v_*, without
/// compares). v_select uses `mask` as its choice and writes every lane. v_splat, v_mov with a literal and the like: `y`
/// has the value in every lane already. x is ignored where the opcode has none. d may be x or y.
///
/// Shifts take y modulo 32. Of +0 and -0, v_max_f32 gives +0 and v_min_f32 gives -0. A pair of bf16 tiles is one
/// register: the word in lane l of sublane i has row 2i in its low half and row 2i + 1 in its high half, sublanes 0..3
/// of the first tile, sublanes 4..7 of the second. v_pack_bf16 makes a pair of f32 tiles x and y, v_unpack_lo gives the
/// first and v_unpack_hi the second tile of pair y.
void vector_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, const VectorRegister& y,
                      const MaskRegister& mask);
/// The compares: d = mask and (x op y). d may be `mask`.
void vector_compare(isa::Opcode opcode, MaskRegister& d, const VectorRegister& x, const VectorRegister& y,
                    const MaskRegister& mask);
/// m_and, m_or, m_xor, m_andn. d may be x or y.
void mask_operation(isa::Opcode opcode, MaskRegister& d, const MaskRegister& x, const MaskRegister& y);
void fill(VectorRegister& d, std::uint32_t word);

/// e_*, IEEE at the ends. e_sqrt and e_recip are rounded to nearest; e_exp, e_log and e_tanh are within 1 unit in the
/// last place of the exact value, e_rsqrt within 1.5. d may be y.
void transcendental_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& y);

/// x_rotate_*, x_broadcast_lane, x_sum/max/min_* with `amount`, which counts modulo 128 lanes or 8 sublanes; the
/// transpose apart. d is not x.
///
/// Sums are in a tree of halves: of n values, value i and value i + n/2 are added for every i < n/2, and so on with the
/// n/2 sums until one is left: lanes l and l + 64, then l and l + 32, ..., 0 and 1; sublanes s and s + 4, then s + 2,
/// then 0 and 1. Maxima and minima are those of v_max_f32 and v_min_f32.
void cross_lane_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, std::int32_t amount);
/// x_permute_lanes. d is neither x nor index.
void permute_lanes(VectorRegister& d, const VectorRegister& x, const VectorRegister& index);

/// Registers of a 128 x 128 tile: register r holds rows 8r to 8r + 7.
inline constexpr int tile_registers = lanes / sublanes;
/// d = register r of the transposed tile: its rows are columns 8r to 8r + 7 of `tile`. d is none of the tile's.
void transpose(VectorRegister& d, std::span<const VectorRegister, tile_registers> tile, int r);

}  // namespace podsim::hw
