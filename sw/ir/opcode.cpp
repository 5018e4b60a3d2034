// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/opcode.h"

#include <algorithm>
#include <utility>

namespace podsim::sw::ir {
namespace {

constexpr int any = -1;

constexpr std::array<OpcodeRow, std::size_t(Opcode::unknown)> opcode_rows{{
    {"abs", 1, 1, OpcodeClass::elementwise, {}},
    {"acos", 1, 1, OpcodeClass::elementwise, {}},
    {"acosh", 1, 1, OpcodeClass::elementwise, {}},
    {"add", 2, 2, OpcodeClass::elementwise, {}},
    {"add-dependency", 2, 2, OpcodeClass::other, {}},
    {"after-all", 0, any, OpcodeClass::other, {}},
    {"all-gather", 1, any, OpcodeClass::collective, {"dimensions"}},
    {"all-gather-done", 1, 1, OpcodeClass::other, {}},
    {"all-gather-start", 1, any, OpcodeClass::collective, {"dimensions"}},
    {"all-reduce", 0, any, OpcodeClass::collective, {"to_apply"}},
    {"all-reduce-done", 1, 1, OpcodeClass::other, {}},
    {"all-reduce-start", 0, any, OpcodeClass::collective, {"to_apply"}},
    {"all-to-all", 0, any, OpcodeClass::collective, {}},
    {"and", 2, 2, OpcodeClass::elementwise, {}},
    {"asin", 1, 1, OpcodeClass::elementwise, {}},
    {"asinh", 1, 1, OpcodeClass::elementwise, {}},
    {"async-done", 1, 1, OpcodeClass::other, {}},
    {"async-start", 0, any, OpcodeClass::other, {}},
    {"async-update", 1, 1, OpcodeClass::other, {}},
    {"atan2", 2, 2, OpcodeClass::elementwise, {}},
    {"atanh", 1, 1, OpcodeClass::elementwise, {}},
    {"batch-norm-grad", 5, 5, OpcodeClass::other, {"epsilon", "feature_index"}},
    {"batch-norm-inference", 5, 5, OpcodeClass::other, {"epsilon", "feature_index"}},
    {"batch-norm-training", 3, 3, OpcodeClass::other, {"epsilon", "feature_index"}},
    {"bitcast", 1, 1, OpcodeClass::other, {}},
    {"bitcast-convert", 1, 1, OpcodeClass::other, {}},
    {"broadcast", 1, 1, OpcodeClass::other, {}},
    {"call", 0, any, OpcodeClass::other, {"to_apply"}},
    {"cbrt", 1, 1, OpcodeClass::elementwise, {}},
    {"ceil", 1, 1, OpcodeClass::elementwise, {}},
    {"cholesky", 1, 1, OpcodeClass::other, {}},
    {"clamp", 3, 3, OpcodeClass::other, {}},
    {"collective-broadcast", 1, any, OpcodeClass::collective, {}},
    {"collective-permute", 1, any, OpcodeClass::collective, {"source_target_pairs"}},
    {"collective-permute-done", 1, 1, OpcodeClass::other, {}},
    {"collective-permute-start", 1, any, OpcodeClass::collective, {"source_target_pairs"}},
    {"compare", 2, 2, OpcodeClass::elementwise, {"direction"}},
    {"complex", 2, 2, OpcodeClass::elementwise, {}},
    {"concatenate", 1, any, OpcodeClass::other, {"dimensions"}},
    {"conditional", 2, any, OpcodeClass::other, {}},
    {"constant", 0, 0, OpcodeClass::other, {}},
    {"convert", 1, 1, OpcodeClass::elementwise, {}},
    {"convolution", 2, 2, OpcodeClass::other, {"dim_labels"}},
    {"copy", 1, 1, OpcodeClass::elementwise, {}},
    {"copy-done", 1, 1, OpcodeClass::other, {}},
    {"copy-start", 1, 1, OpcodeClass::other, {}},
    {"cosh", 1, 1, OpcodeClass::elementwise, {}},
    {"cosine", 1, 1, OpcodeClass::elementwise, {}},
    {"count-leading-zeros", 1, 1, OpcodeClass::elementwise, {}},
    {"custom-call", 0, any, OpcodeClass::other, {"custom_call_target"}},
    {"divide", 2, 2, OpcodeClass::elementwise, {}},
    {"domain", 1, 1, OpcodeClass::other, {"domain"}},
    {"dot", 2, any, OpcodeClass::other, {}},
    {"dynamic-reshape", 1, any, OpcodeClass::other, {}},
    {"dynamic-slice", 1, any, OpcodeClass::other, {"dynamic_slice_sizes"}},
    {"dynamic-update-slice", 2, any, OpcodeClass::other, {}},
    {"erf", 1, 1, OpcodeClass::elementwise, {}},
    {"exponential", 1, 1, OpcodeClass::elementwise, {}},
    {"exponential-minus-one", 1, 1, OpcodeClass::elementwise, {}},
    {"fft", 1, 1, OpcodeClass::other, {"fft_type", "fft_length"}},
    {"floor", 1, 1, OpcodeClass::elementwise, {}},
    {"fusion", 0, any, OpcodeClass::other, {"calls"}},
    {"gather", 2, 2, OpcodeClass::other, {"offset_dims", "slice_sizes"}},
    {"get-dimension-size", 1, 1, OpcodeClass::other, {"dimensions"}},
    {"get-tuple-element", 1, 1, OpcodeClass::other, {"index"}},
    {"imag", 1, 1, OpcodeClass::elementwise, {}},
    {"infeed", 1, 1, OpcodeClass::other, {}},
    {"iota", 0, 0, OpcodeClass::other, {"iota_dimension"}},
    {"is-finite", 1, 1, OpcodeClass::elementwise, {}},
    {"log", 1, 1, OpcodeClass::elementwise, {}},
    {"log-plus-one", 1, 1, OpcodeClass::elementwise, {}},
    {"logistic", 1, 1, OpcodeClass::elementwise, {}},
    {"map", 0, any, OpcodeClass::other, {"to_apply"}},
    {"maximum", 2, 2, OpcodeClass::elementwise, {}},
    {"minimum", 2, 2, OpcodeClass::elementwise, {}},
    {"multiply", 2, 2, OpcodeClass::elementwise, {}},
    {"negate", 1, 1, OpcodeClass::elementwise, {}},
    {"not", 1, 1, OpcodeClass::elementwise, {}},
    {"opt-barrier", 1, any, OpcodeClass::other, {}},
    {"or", 2, 2, OpcodeClass::elementwise, {}},
    {"outfeed", 2, 2, OpcodeClass::other, {}},
    {"pad", 2, 2, OpcodeClass::other, {"padding"}},
    {"parameter", 0, 0, OpcodeClass::other, {}},
    {"partition-id", 0, 0, OpcodeClass::other, {}},
    {"popcnt", 1, 1, OpcodeClass::elementwise, {}},
    {"power", 2, 2, OpcodeClass::elementwise, {}},
    {"ragged-all-to-all", 6, 6, OpcodeClass::collective, {}},
    {"ragged-dot", 3, 3, OpcodeClass::other, {}},
    {"real", 1, 1, OpcodeClass::elementwise, {}},
    {"recv", 1, 1, OpcodeClass::collective, {}},
    {"recv-done", 1, 1, OpcodeClass::other, {}},
    {"reduce", 2, any, OpcodeClass::other, {"dimensions", "to_apply"}},
    {"reduce-precision", 1, 1, OpcodeClass::elementwise, {"exponent_bits", "mantissa_bits"}},
    {"reduce-scatter", 1, any, OpcodeClass::collective, {"to_apply"}},
    {"reduce-window", 2, any, OpcodeClass::other, {"to_apply"}},
    {"remainder", 2, 2, OpcodeClass::elementwise, {}},
    {"replica-id", 0, 0, OpcodeClass::other, {}},
    {"reshape", 1, 1, OpcodeClass::other, {}},
    {"reverse", 1, 1, OpcodeClass::other, {"dimensions"}},
    {"rng", 0, any, OpcodeClass::other, {"distribution"}},
    {"rng-bit-generator", 1, 1, OpcodeClass::other, {}},
    {"rng-get-and-update-state", 0, 0, OpcodeClass::other, {"delta"}},
    {"round-nearest-afz", 1, 1, OpcodeClass::elementwise, {}},
    {"round-nearest-even", 1, 1, OpcodeClass::elementwise, {}},
    {"rsqrt", 1, 1, OpcodeClass::elementwise, {}},
    {"scaled-dot", 2, any, OpcodeClass::other, {}},
    {"scan", 1, any, OpcodeClass::other, {}},
    {"scatter", 3, any, OpcodeClass::other, {"to_apply"}},
    {"select", 3, 3, OpcodeClass::other, {}},
    {"select-and-scatter", 3, 3, OpcodeClass::other, {"select", "scatter"}},
    {"send", 2, 2, OpcodeClass::collective, {}},
    {"send-done", 1, 1, OpcodeClass::other, {}},
    {"set-dimension-size", 2, 2, OpcodeClass::other, {"dimensions"}},
    {"shift-left", 2, 2, OpcodeClass::elementwise, {}},
    {"shift-right-arithmetic", 2, 2, OpcodeClass::elementwise, {}},
    {"shift-right-logical", 2, 2, OpcodeClass::elementwise, {}},
    {"sign", 1, 1, OpcodeClass::elementwise, {}},
    {"sine", 1, 1, OpcodeClass::elementwise, {}},
    {"sinh", 1, 1, OpcodeClass::elementwise, {}},
    {"slice", 1, 1, OpcodeClass::other, {"slice"}},
    {"sort", 1, any, OpcodeClass::other, {"dimensions"}},
    {"sqrt", 1, 1, OpcodeClass::elementwise, {}},
    {"stochastic-convert", 2, 2, OpcodeClass::elementwise, {}},
    {"subtract", 2, 2, OpcodeClass::elementwise, {}},
    {"tan", 1, 1, OpcodeClass::elementwise, {}},
    {"tanh", 1, 1, OpcodeClass::elementwise, {}},
    {"topk", 1, 1, OpcodeClass::other, {"k"}},
    {"transpose", 1, 1, OpcodeClass::other, {"dimensions"}},
    {"triangular-solve", 2, 2, OpcodeClass::other, {}},
    {"tuple", 0, any, OpcodeClass::other, {}},
    {"tuple-select", 3, 3, OpcodeClass::other, {}},
    {"while", 1, 1, OpcodeClass::other, {"condition", "body"}},
    {"xor", 2, 2, OpcodeClass::elementwise, {}},
}};

static_assert(std::ranges::is_sorted(opcode_rows, {}, &OpcodeRow::name));

Opcode find_base(std::string_view name) {
  const auto found = std::ranges::lower_bound(opcode_rows, name, {}, &OpcodeRow::name);
  return found != opcode_rows.end() && found->name == name ? Opcode(found - opcode_rows.begin()) : Opcode::unknown;
}

constexpr std::array<std::pair<std::string_view, AsyncPhase>, 3> suffixes{
    {{"-start", AsyncPhase::start}, {"-update", AsyncPhase::update}, {"-done", AsyncPhase::done}}};

}  // namespace

std::span<const OpcodeRow> opcode_table() { return opcode_rows; }

const OpcodeRow& row(Opcode opcode) { return opcode_rows[std::size_t(opcode)]; }

std::string_view to_string(Opcode opcode) { return opcode == Opcode::unknown ? "unknown" : row(opcode).name; }

bool is_elementwise(Opcode opcode) {
  return opcode == Opcode::select || opcode == Opcode::clamp ||
         (opcode != Opcode::unknown && row(opcode).kind == OpcodeClass::elementwise);
}

bool is_collective(Opcode opcode) { return opcode != Opcode::unknown && row(opcode).kind == OpcodeClass::collective; }

OpcodeName find_opcode(std::string_view name) {
  if (const Opcode opcode = find_base(name); opcode != Opcode::unknown) return {opcode, AsyncPhase::none};
  for (const auto& [suffix, phase] : suffixes) {
    if (!name.ends_with(suffix)) continue;
    const Opcode opcode = find_base(name.substr(0, name.size() - suffix.size()));
    if (opcode != Opcode::unknown) return {opcode, phase};
  }
  return {};
}

}  // namespace podsim::sw::ir
