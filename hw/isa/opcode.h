// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// The operations of a bundle. Slots and units are the published ones of TPU v2 and v3 (HC20, CACM20). Encoding,
/// mnemonics and the choice of operations are podsim's. docs/isa.md describes every operation.
///
/// d is the destination, x a register, y and z a register or a literal (hw/isa/bundle.h). Words are 32 bits. All slots
/// of a bundle read before any of them writes.
namespace podsim::hw::isa {

/// Scalar registers; s0 reads as zero.
inline constexpr int scalar_registers = 32;
/// Vector registers of 8 sublanes x 128 lanes x 32 bits.
inline constexpr int vector_registers = 32;
/// Vector masks of 8 x 128 bits; vm0 is all true.
inline constexpr int mask_registers = 8;
/// Predicates of one bit; p0 is true.
inline constexpr int predicate_registers = 8;

/// The slots that an operation may use. There are two scalar and two vector slots.
enum class SlotKind : std::uint8_t { scalar, vector, load, store, push, pop, misc };

enum class Opcode : std::uint8_t {
  // scalar: s[d] = x op y, int32 (wrapping)
  s_add,
  s_sub,
  s_mul,
  s_and,
  s_or,
  s_xor,
  s_shl,
  s_shr,
  s_sar,
  s_min,
  s_max,
  s_mov,    ///< s[d] = y
  s_load,   ///< s[d] = SMEM[x + y], word address
  s_store,  ///< SMEM[x + y] = s[d]: d is a source here
  s_eq,
  s_ne,
  s_lt,
  s_le,
  s_ltu,
  s_leu,  ///< p[d] = x op y; signed, except s_ltu and s_leu
  p_and,
  p_or,
  p_xor,     ///< p[d] = p[x] op p[y]; y is a predicate's number
  s_branch,  ///< go to bundle y; scalar slot 0 only
  s_loop,    ///< s[x] -= 1; go to bundle y if it is not 0 now; scalar slot 0 only
  s_pop,     ///< s[d] = the oldest word that push_scalar sent

  // vector: v[d] = v[x] op y in the lanes where mask vm[m] is set; other lanes keep v[d]. y is a vector register or a
  // literal for all lanes.
  v_add_f32,
  v_sub_f32,
  v_mul_f32,
  v_max_f32,
  v_min_f32,  ///< IEEE; max and min give NaN if either is NaN
  v_add_s32,
  v_sub_s32,
  v_mul_s32,
  v_max_s32,
  v_min_s32,
  v_and,
  v_or,
  v_xor,
  v_shl,
  v_shr,
  v_sar,
  v_mov,     ///< v[d] = y
  v_splat,   ///< v[d] = s[y], in every lane
  v_select,  ///< v[d] = m ? x : y
  v_eq_f32,
  v_ne_f32,
  v_lt_f32,
  v_le_f32,  ///< vm[d] = m and (x op y); false for NaN, except ne
  v_eq_s32,
  v_ne_s32,
  v_lt_s32,
  v_le_s32,
  v_ltu_s32,
  m_and,
  m_or,
  m_xor,    ///< vm[d] = vm[x] op vm[y]; y is a mask's number
  m_andn,   ///< vm[d] = vm[x] and not vm[y]
  m_splat,  ///< vm[d] = (s[y] != 0) in all lanes; y is a scalar register or a literal
  v_lane,
  v_sublane,      ///< v[d] = number of the lane, or of the sublane
  v_cvt_f32_s32,  ///< float to integer, towards zero, saturating; NaN gives 0
  v_cvt_s32_f32,  ///< integer to float, to nearest even
  v_round_bf16,   ///< f32 rounded to the nearest bf16 (even), still f32
  v_pack_bf16,    ///< two registers of rows (x first) as one tile pair of T(8,128)(2,1): see docs/isa.md
  v_unpack_lo,
  v_unpack_hi,  ///< the first, or the second, 8 rows of such a pair y as f32
  e_exp,
  e_log,
  e_tanh,
  e_rsqrt,
  e_sqrt,
  e_recip,  ///< push f(y) to the transcendental unit; no destination

  // load: v[d]
  v_load,          ///< sublane i = VMEM row x + y + i * z; lanes outside mask m read 0
  v_load_shuffle,  ///< sublane i = VMEM row x + y + nibble i of z (the lowest is nibble 0)
  // store
  v_store,          ///< VMEM row x + y + i * z = sublane i of v[d], in the lanes of mask m; later sublanes win
  v_store_shuffle,  ///< VMEM row x + y + nibble i of z = sublane i of v[d], in the lanes of mask m; later sublanes win

  // push of v[x]
  mxu_lhs,      ///< 8 rows into matrix unit `unit`, rounded to bf16; gives one result register
  mxu_weights,  ///< 8 rows of weights into its shadow registers, rounded to bf16, from the last rows to the first
  mxu_weights_transposed,  ///< 8 columns of weights of a transposed tile, rounded to bf16, from the first to the last
  mxu_latch,               ///< the shadow registers become the weights of the following pushes; no operand
  x_rotate_lanes,          ///< lane l of the result = lane (l - y) mod 128; y a scalar register or a literal
  x_rotate_sublanes,       ///< sublane s = sublane (s - y) mod 8
  x_broadcast_lane,        ///< every lane = lane y
  x_permute_lanes,         ///< lane l of each sublane = its lane number v[y] (modulo 128); y is a vector register
  x_sum_lanes,
  x_max_lanes,
  x_min_lanes,  ///< reduction over the 128 lanes, into every lane; f32, in a tree
  x_sum_sublanes,
  x_max_sublanes,
  x_min_sublanes,   ///< reduction over the 8 sublanes, into every sublane; f32, in a tree
  x_transpose,      ///< 8 of up to 128 rows to be transposed; no result yet
  x_transpose_end,  ///< the last 8 rows; gives 16 result registers, in which rows that were not pushed count as 0
  push_scalar,      ///< sublane 0, lane 0 of v[x] to the scalar unit, for s_pop

  // pop: v[d] = the oldest result of a unit
  pop,

  // misc
  dma,        ///< starts the descriptor at SMEM word x (hw/isa/dma_descriptor.h); x is a register or literal
  sync_set,   ///< flag x = y; both registers or literals
  sync_add,   ///< flag x += y
  sync_wait,  ///< waits until flag x is at least y
  fence,      ///< waits until all VMEM stores are visible to loads and DMA
  mark,       ///< gives the following code the name of string x in waveforms and listings
  halt,       ///< ends the program
};
inline constexpr int opcodes = int(Opcode::halt) + 1;

/// Kind of an operand; `none` for a field that is not used and must be zero.
enum class OperandKind : std::uint8_t {
  none,
  scalar,     ///< s0..s31
  vector,     ///< v0..v31
  mask,       ///< vm0..vm7
  predicate,  ///< p0..p7
  scalar_or_literal,
  vector_or_literal,
  target,  ///< bundle address: a literal, a label in text
  text,    ///< number of a string of the program
};

struct OpcodeInfo {
  Opcode opcode;
  std::string_view mnemonic;  ///< "s.add", "v.add.f32", "vld", "mxu.lhs", "x.sum.lanes", "pop", "sync.wait"
  SlotKind slot;
  OperandKind destination, x, y, z;
  bool masked = false;             ///< takes a vector mask
  bool reads_destination = false;  ///< d is a source, as in stores
  bool takes_unit = false;         ///< names a matrix unit, or the unit that is popped
};

/// The table's row of an opcode, and the whole table in the order of Opcode.
const OpcodeInfo& info(Opcode opcode);
std::span<const OpcodeInfo> opcode_table();
constexpr bool is_branch(Opcode opcode) { return opcode == Opcode::s_branch || opcode == Opcode::s_loop; }
/// "scalar", "vector", "load", ...
std::string_view to_string(SlotKind kind);

}  // namespace podsim::hw::isa
