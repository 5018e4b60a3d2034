// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/bundle/vector_register.h"
#include "hw/isa/opcode.h"

/// What the vector, transcendental and cross-lane operations compute, on registers, without time. The same bits on
/// every host: variants for wider vector instructions are chosen at run time and agree with the plain loops.
/// Floats are IEEE single precision to nearest even, denormals kept; a NaN result is the quiet NaN 0x7fc00000, so that
/// payloads do not depend on the order of operands.
namespace podsim::hw {

/// d = x op y in the lanes of `mask` for the opcodes of the vector slots that write a vector register (v_*, without
/// compares). v_select uses `mask` as its choice and writes every lane. v_splat, v_mov with a literal and the like: `y`
/// has the value in every lane already. x is ignored where the opcode has none. d may be x or y.
void vector_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, const VectorRegister& y,
                      const MaskRegister& mask);
/// The compares: d = mask and (x op y).
void vector_compare(isa::Opcode opcode, MaskRegister& d, const VectorRegister& x, const VectorRegister& y,
                    const MaskRegister& mask);
/// m_and, m_or, m_xor, m_andn.
void mask_operation(isa::Opcode opcode, MaskRegister& d, const MaskRegister& x, const MaskRegister& y);
void fill(VectorRegister& d, std::uint32_t word);
/// e_*: to within 2 units in the last place of the exact value (measured in tests), IEEE at the ends.
void transcendental_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& y);
/// x_rotate_*, x_broadcast_lane, x_sum/max/min_* with `amount`; the transpose apart.
void cross_lane_operation(isa::Opcode opcode, VectorRegister& d, const VectorRegister& x, std::int32_t amount);
/// x_permute_lanes.
void permute_lanes(VectorRegister& d, const VectorRegister& x, const VectorRegister& index);

}  // namespace podsim::hw
