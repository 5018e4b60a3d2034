// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/opcode.h"

#include <array>

namespace podsim::hw::isa {
namespace {

using enum Opcode;
using enum OperandKind;

/// Make rows of the table, by the kinds of their operands.
constexpr OpcodeInfo scalar_alu(Opcode opcode, std::string_view mnemonic) {
  return {opcode, mnemonic, SlotKind::scalar, scalar, scalar, scalar_or_literal, none};
}
constexpr OpcodeInfo scalar_compare(Opcode opcode, std::string_view mnemonic) {
  return {opcode, mnemonic, SlotKind::scalar, predicate, scalar, scalar_or_literal, none};
}
constexpr OpcodeInfo predicate_logic(Opcode opcode, std::string_view mnemonic) {
  return {opcode, mnemonic, SlotKind::scalar, predicate, predicate, predicate, none};
}
constexpr OpcodeInfo vector_alu(Opcode opcode, std::string_view mnemonic) {
  return {opcode, mnemonic, SlotKind::vector, vector, vector, vector_or_literal, none, true};
}
constexpr OpcodeInfo vector_unary(Opcode opcode, std::string_view mnemonic) {
  return {opcode, mnemonic, SlotKind::vector, vector, none, vector_or_literal, none, true};
}
constexpr OpcodeInfo vector_number(Opcode opcode, std::string_view mnemonic) {
  return {opcode, mnemonic, SlotKind::vector, vector, none, none, none, true};
}
constexpr OpcodeInfo vector_compare(Opcode opcode, std::string_view mnemonic) {
  return {opcode, mnemonic, SlotKind::vector, OperandKind::mask, vector, vector_or_literal, none, true};
}
constexpr OpcodeInfo mask_logic(Opcode opcode, std::string_view mnemonic) {
  return {opcode, mnemonic, SlotKind::vector, OperandKind::mask, OperandKind::mask, OperandKind::mask, none};
}
constexpr OpcodeInfo transcendental(Opcode opcode, std::string_view mnemonic) {
  return {opcode, mnemonic, SlotKind::vector, none, none, vector_or_literal, none};
}
constexpr OpcodeInfo vector_memory(Opcode opcode, std::string_view mnemonic, SlotKind slot) {
  bool store = slot == SlotKind::store;
  return {opcode, mnemonic, slot, vector, scalar, scalar_or_literal, scalar_or_literal, true, store};
}
constexpr OpcodeInfo matrix_push(Opcode opcode, std::string_view mnemonic, OperandKind x) {
  return {opcode, mnemonic, SlotKind::push, none, x, none, none, false, false, true};
}
constexpr OpcodeInfo cross_lane(Opcode opcode, std::string_view mnemonic, OperandKind y = none) {
  return {opcode, mnemonic, SlotKind::push, none, vector, y, none};
}
constexpr OpcodeInfo misc(Opcode opcode, std::string_view mnemonic, OperandKind x = none, OperandKind y = none) {
  return {opcode, mnemonic, SlotKind::misc, none, x, y, none};
}

constexpr std::array<OpcodeInfo, opcodes> table = {
    scalar_alu(s_add, "s.add"),
    scalar_alu(s_sub, "s.sub"),
    scalar_alu(s_mul, "s.mul"),
    scalar_alu(s_and, "s.and"),
    scalar_alu(s_or, "s.or"),
    scalar_alu(s_xor, "s.xor"),
    scalar_alu(s_shl, "s.shl"),
    scalar_alu(s_shr, "s.shr"),
    scalar_alu(s_sar, "s.sar"),
    scalar_alu(s_min, "s.min"),
    scalar_alu(s_max, "s.max"),
    {s_mov, "s.mov", SlotKind::scalar, scalar, none, scalar_or_literal, none},
    scalar_alu(s_load, "s.load"),
    {s_store, "s.store", SlotKind::scalar, scalar, scalar, scalar_or_literal, none, false, true},
    scalar_compare(s_eq, "s.eq"),
    scalar_compare(s_ne, "s.ne"),
    scalar_compare(s_lt, "s.lt"),
    scalar_compare(s_le, "s.le"),
    scalar_compare(s_ltu, "s.ltu"),
    scalar_compare(s_leu, "s.leu"),
    predicate_logic(p_and, "p.and"),
    predicate_logic(p_or, "p.or"),
    predicate_logic(p_xor, "p.xor"),
    {s_branch, "s.branch", SlotKind::scalar, none, none, target, none},
    {s_loop, "s.loop", SlotKind::scalar, none, scalar, target, none},
    {s_pop, "s.pop", SlotKind::scalar, scalar, none, none, none},

    vector_alu(v_add_f32, "v.add.f32"),
    vector_alu(v_sub_f32, "v.sub.f32"),
    vector_alu(v_mul_f32, "v.mul.f32"),
    vector_alu(v_max_f32, "v.max.f32"),
    vector_alu(v_min_f32, "v.min.f32"),
    vector_alu(v_add_s32, "v.add.s32"),
    vector_alu(v_sub_s32, "v.sub.s32"),
    vector_alu(v_mul_s32, "v.mul.s32"),
    vector_alu(v_max_s32, "v.max.s32"),
    vector_alu(v_min_s32, "v.min.s32"),
    vector_alu(v_and, "v.and"),
    vector_alu(v_or, "v.or"),
    vector_alu(v_xor, "v.xor"),
    vector_alu(v_shl, "v.shl"),
    vector_alu(v_shr, "v.shr"),
    vector_alu(v_sar, "v.sar"),
    vector_unary(v_mov, "v.mov"),
    {v_splat, "v.splat", SlotKind::vector, vector, none, scalar, none, true},
    vector_alu(v_select, "v.select"),
    vector_compare(v_eq_f32, "v.eq.f32"),
    vector_compare(v_ne_f32, "v.ne.f32"),
    vector_compare(v_lt_f32, "v.lt.f32"),
    vector_compare(v_le_f32, "v.le.f32"),
    vector_compare(v_eq_s32, "v.eq.s32"),
    vector_compare(v_ne_s32, "v.ne.s32"),
    vector_compare(v_lt_s32, "v.lt.s32"),
    vector_compare(v_le_s32, "v.le.s32"),
    vector_compare(v_ltu_s32, "v.ltu.s32"),
    mask_logic(m_and, "m.and"),
    mask_logic(m_or, "m.or"),
    mask_logic(m_xor, "m.xor"),
    mask_logic(m_andn, "m.andn"),
    {m_splat, "m.splat", SlotKind::vector, OperandKind::mask, none, scalar_or_literal, none},
    vector_number(v_lane, "v.lane"),
    vector_number(v_sublane, "v.sublane"),
    vector_unary(v_cvt_f32_s32, "v.cvt.f32.s32"),
    vector_unary(v_cvt_s32_f32, "v.cvt.s32.f32"),
    vector_unary(v_round_bf16, "v.round.bf16"),
    vector_alu(v_pack_bf16, "v.pack.bf16"),
    vector_unary(v_unpack_lo, "v.unpack.lo"),
    vector_unary(v_unpack_hi, "v.unpack.hi"),
    transcendental(e_exp, "e.exp"),
    transcendental(e_log, "e.log"),
    transcendental(e_tanh, "e.tanh"),
    transcendental(e_rsqrt, "e.rsqrt"),
    transcendental(e_sqrt, "e.sqrt"),
    transcendental(e_recip, "e.recip"),

    vector_memory(v_load, "vld", SlotKind::load),
    vector_memory(v_load_shuffle, "vld.shuffle", SlotKind::load),
    vector_memory(v_store, "vst", SlotKind::store),
    vector_memory(v_store_shuffle, "vst.shuffle", SlotKind::store),

    matrix_push(mxu_lhs, "mxu.lhs", vector),
    matrix_push(mxu_weights, "mxu.weights", vector),
    matrix_push(mxu_weights_transposed, "mxu.weights.transposed", vector),
    matrix_push(mxu_latch, "mxu.latch", none),
    cross_lane(x_rotate_lanes, "x.rotate.lanes", scalar_or_literal),
    cross_lane(x_rotate_sublanes, "x.rotate.sublanes", scalar_or_literal),
    cross_lane(x_broadcast_lane, "x.broadcast.lane", scalar_or_literal),
    cross_lane(x_permute_lanes, "x.permute.lanes", vector),
    cross_lane(x_sum_lanes, "x.sum.lanes"),
    cross_lane(x_max_lanes, "x.max.lanes"),
    cross_lane(x_min_lanes, "x.min.lanes"),
    cross_lane(x_sum_sublanes, "x.sum.sublanes"),
    cross_lane(x_max_sublanes, "x.max.sublanes"),
    cross_lane(x_min_sublanes, "x.min.sublanes"),
    cross_lane(x_transpose, "x.transpose"),
    cross_lane(x_transpose_end, "x.transpose.end"),
    {push_scalar, "push.scalar", SlotKind::push, none, vector, none, none},

    {pop, "pop", SlotKind::pop, vector, none, none, none, false, false, true},

    misc(dma, "dma", scalar_or_literal),
    misc(sync_set, "sync.set", scalar_or_literal, scalar_or_literal),
    misc(sync_add, "sync.add", scalar_or_literal, scalar_or_literal),
    misc(sync_wait, "sync.wait", scalar_or_literal, scalar_or_literal),
    misc(fence, "fence"),
    misc(mark, "mark", text),
    misc(halt, "halt"),
};

constexpr bool in_the_order_of_opcode() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].opcode != Opcode(i)) return false;
  }
  return true;
}
static_assert(in_the_order_of_opcode());

}  // namespace

const OpcodeInfo& info(Opcode opcode) { return table[std::size_t(opcode)]; }

std::span<const OpcodeInfo> opcode_table() { return table; }

std::string_view to_string(SlotKind kind) {
  constexpr std::string_view names[] = {"scalar", "vector", "load", "store", "push", "pop", "misc"};
  return names[std::size_t(kind)];
}

}  // namespace podsim::hw::isa
