// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

/// The opcodes of HLO as one table: name, operand count, class and the attributes without which an instruction
/// means nothing. The names are those of XLA's operation semantics (openxla.org/xla/operation_semantics) and of the
/// text that XLA prints; `tuple-select` is from older dumps.
namespace podsim::sw {

enum class Opcode : std::uint8_t {
  abs,
  acos,
  acosh,
  add,
  add_dependency,
  after_all,
  all_gather,
  all_gather_done,
  all_gather_start,
  all_reduce,
  all_reduce_done,
  all_reduce_start,
  all_to_all,
  logical_and,
  asin,
  asinh,
  async_done,
  async_start,
  async_update,
  atan2,
  atanh,
  batch_norm_grad,
  batch_norm_inference,
  batch_norm_training,
  bitcast,
  bitcast_convert,
  broadcast,
  call,
  cbrt,
  ceil,
  cholesky,
  clamp,
  collective_broadcast,
  collective_permute,
  collective_permute_done,
  collective_permute_start,
  compare,
  complex,
  concatenate,
  conditional,
  constant,
  convert,
  convolution,
  copy,
  copy_done,
  copy_start,
  cosh,
  cosine,
  count_leading_zeros,
  custom_call,
  divide,
  domain,
  dot,
  dynamic_reshape,
  dynamic_slice,
  dynamic_update_slice,
  erf,
  exponential,
  exponential_minus_one,
  fft,
  floor,
  fusion,
  gather,
  get_dimension_size,
  get_tuple_element,
  imag,
  infeed,
  iota,
  is_finite,
  log,
  log_plus_one,
  logistic,
  map,
  maximum,
  minimum,
  multiply,
  negate,
  logical_not,
  opt_barrier,
  logical_or,
  outfeed,
  pad,
  parameter,
  partition_id,
  popcnt,
  power,
  ragged_all_to_all,
  ragged_dot,
  real,
  recv,
  recv_done,
  reduce,
  reduce_precision,
  reduce_scatter,
  reduce_window,
  remainder,
  replica_id,
  reshape,
  reverse,
  rng,
  rng_bit_generator,
  rng_get_and_update_state,
  round_nearest_afz,
  round_nearest_even,
  rsqrt,
  scaled_dot,
  scan,
  scatter,
  select,
  select_and_scatter,
  send,
  send_done,
  set_dimension_size,
  shift_left,
  shift_right_arithmetic,
  shift_right_logical,
  sign,
  sine,
  sinh,
  slice,
  sort,
  sqrt,
  stochastic_convert,
  subtract,
  tan,
  tanh,
  topk,
  transpose,
  triangular_solve,
  tuple,
  tuple_select,
  while_loop,
  logical_xor,
  unknown,
};

/// Any opcode may be split into asynchronous parts by a suffix, "fusion-start"; opcodes of the table that end so, such
/// as "copy-start", have no phase here.
enum class AsyncPhase : std::uint8_t { none, start, update, done };

/// elementwise: operands have the dimensions of the result. collective: reads from or writes to other devices.
enum class OpcodeClass : std::uint8_t { elementwise, collective, other };

struct OpcodeRow {
  std::string_view name;
  int least_operands, most_operands;  ///< most_operands < 0: any number
  OpcodeClass kind;
  std::array<std::string_view, 2> required;  ///< attributes; "" where there are fewer
};

/// Row i describes Opcode(i).
std::span<const OpcodeRow> opcode_table();
/// Of a known opcode.
const OpcodeRow& row(Opcode opcode);

struct OpcodeName {
  Opcode opcode = Opcode::unknown;
  AsyncPhase phase = AsyncPhase::none;
};

/// HLO's name of an opcode: "get-tuple-element", "reduce-window"; "unknown" of one that is not known.
std::string_view to_string(Opcode opcode);
/// Operands have the dimensions of the result, or are scalars beside it (select, clamp).
bool is_elementwise(Opcode opcode);
/// Reads from or writes to other devices.
bool is_collective(Opcode opcode);

/// `name` with or without an asynchronous suffix; Opcode::unknown when its base is not in the table.
OpcodeName find_opcode(std::string_view name);

}  // namespace podsim::sw
