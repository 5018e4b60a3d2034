// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "hlo/opcode.h"

namespace podsim::hlo {

/// An opcode's answer to a question, such as "what is its gradient": a rule, or no rule and the reason, a
/// clause such as "it counts bits".
template <class Rule>
struct OpAnswer {
  Rule rule{};
  const char* why_not = nullptr;  ///< nullptr if there is a rule

  constexpr explicit operator bool() const { return why_not == nullptr; }
};

/// The compiler's message names the opcode.
template <Opcode opcode>
constexpr void check_answers(int answers) {
  if (answers == 0) throw std::logic_error("an opcode has no answer");
  if (answers > 1) throw std::logic_error("an opcode has two answers");
}

/// The answers of all opcodes to one question. A table that leaves one out does not compile, nor does one that names
/// one twice:
///
///   constexpr OpTable<Rule> rules({yes<Rule>(sum, Opcode::add, Opcode::subtract), no<Rule>("it has none",
///   Opcode::rng), ...});
template <class Rule>
class OpTable {
 public:
  static constexpr std::size_t size = std::size_t(Opcode::unknown);

  /// Opcodes with the same answer.
  struct Entry {
    OpAnswer<Rule> answer;
    std::array<Opcode, size> opcodes{};
    std::size_t count = 0;
  };

  template <std::size_t n>
  consteval explicit OpTable(const Entry (&entries)[n]) {
    std::array<int, size> count{};
    for (const Entry& entry : entries) {
      for (std::size_t i = 0; i < entry.count; ++i) {
        const auto at = std::size_t(entry.opcodes[i]);
        ++count[at];
        answers_[at] = entry.answer;
      }
    }
    [&]<std::size_t... at>(std::index_sequence<at...>) { (check_answers<Opcode(at)>(count[at]), ...); }
    (std::make_index_sequence<size>());
  }

  /// Requires an opcode other than `unknown`.
  constexpr const OpAnswer<Rule>& operator[](Opcode opcode) const { return answers_[std::size_t(opcode)]; }
  /// nullptr if the opcode has a rule.
  constexpr const char* why_not(Opcode opcode) const { return (*this)[opcode].why_not; }

 private:
  std::array<OpAnswer<Rule>, size> answers_{};
};

template <class Rule, class... Opcodes>
consteval typename OpTable<Rule>::Entry yes(Rule rule, Opcodes... opcodes) {
  return {.answer = {rule, nullptr}, .opcodes = {opcodes...}, .count = sizeof...(opcodes)};
}

template <class Rule, class... Opcodes>
consteval typename OpTable<Rule>::Entry no(const char* why, Opcodes... opcodes) {
  return {.answer = {Rule{}, why}, .opcodes = {opcodes...}, .count = sizeof...(opcodes)};
}

/// Opcodes of texts alone: a graph has the operation that they start or end, with a phase (AsyncPhase).
template <class Rule>
consteval typename OpTable<Rule>::Entry no_of_text_forms() {
  return no<Rule>("it is in a graph as the operation that it starts or ends", Opcode::all_gather_start,
                  Opcode::all_gather_done, Opcode::all_reduce_start, Opcode::all_reduce_done, Opcode::async_start,
                  Opcode::async_update, Opcode::async_done, Opcode::collective_permute_start,
                  Opcode::collective_permute_done, Opcode::copy_start, Opcode::copy_done);
}

/// As is_elementwise(), which is no constant expression.
consteval bool is_elementwise_row(Opcode opcode) {
  return opcode_rows[std::size_t(opcode)].kind == OpcodeClass::elementwise || opcode == Opcode::select ||
         opcode == Opcode::clamp;
}

/// The answer of all elementwise operations but those named; select and clamp are among them.
template <class Rule, class... Opcodes>
consteval typename OpTable<Rule>::Entry of_elementwise(OpAnswer<Rule> answer, Opcodes... others) {
  typename OpTable<Rule>::Entry entry{.answer = answer};
  for (std::size_t at = 0; at < OpTable<Rule>::size; ++at) {
    const auto opcode = Opcode(at);
    if (is_elementwise_row(opcode) && !((opcode == others) || ...)) entry.opcodes[entry.count++] = opcode;
  }
  return entry;
}

/// The reason of all operations that are not elementwise.
template <class Rule>
consteval typename OpTable<Rule>::Entry no_of_others(const char* why) {
  typename OpTable<Rule>::Entry entry{.answer = {Rule{}, why}};
  for (std::size_t at = 0; at < OpTable<Rule>::size; ++at) {
    if (!is_elementwise_row(Opcode(at))) entry.opcodes[entry.count++] = Opcode(at);
  }
  return entry;
}

/// The answer of all collectives; send and recv are none.
template <class Rule>
consteval typename OpTable<Rule>::Entry of_collectives(OpAnswer<Rule> answer) {
  return {.answer = answer,
          .opcodes = {Opcode::all_gather, Opcode::all_reduce, Opcode::all_to_all, Opcode::collective_broadcast,
                      Opcode::collective_permute, Opcode::ragged_all_to_all, Opcode::reduce_scatter},
          .count = 7};
}

}  // namespace podsim::hlo
