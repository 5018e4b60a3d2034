// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

/// The opcodes of HLO in one table: name, operand count, class and required attributes. The names are those of XLA's
/// operation semantics (openxla.org/xla/operation_semantics) and of the text that XLA prints; `tuple-select` is from
/// older dumps. Enumerators and table rows are in the alphabetical order of the HLO names.
namespace podsim::sw::ir {

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

/// Part of an asynchronous operation. Any opcode may have such a suffix in text, "fusion-start". Opcodes that the table
/// lists with the suffix, such as "copy-start", have phase `none`.
enum class AsyncPhase : std::uint8_t { none, start, update, done };

/// elementwise: operands have the dimensions of the result. collective: reads from or writes to other devices.
enum class OpcodeClass : std::uint8_t { elementwise, collective, other };

struct OpcodeRow {
  std::string_view name;
  int least_operands, most_operands;  ///< most_operands < 0: no limit
  OpcodeClass kind;
  std::array<std::string_view, 2> required;  ///< attributes; "" if there are fewer than two
};

/// Row i describes Opcode(i).
std::span<const OpcodeRow> opcode_table();
/// Requires an opcode other than `unknown`.
const OpcodeRow& row(Opcode opcode);

struct OpcodeName {
  Opcode opcode = Opcode::unknown;
  AsyncPhase phase = AsyncPhase::none;
};

/// HLO's name of an opcode, "get-tuple-element", "reduce-window"; "unknown" for Opcode::unknown.
std::string_view to_string(Opcode opcode);
/// True if the operands have the dimensions of the result, or are scalars next to such operands (select, clamp).
bool is_elementwise(Opcode opcode);
/// True if the opcode reads from or writes to other devices.
bool is_collective(Opcode opcode);

/// Finds a name with or without an asynchronous suffix; Opcode::unknown if the base name is not in the table.
OpcodeName find_opcode(std::string_view name);

}  // namespace podsim::sw::ir
