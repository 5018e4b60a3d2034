// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/isa/pasm/expression.h"
#include "hw/isa/pasm/syntax.h"

namespace podsim::hw::isa::pasm {

/// Most words of data that a program may have: what a slip in a count must not exceed.
inline constexpr std::int64_t most_data_words = std::int64_t(1) << 26;

/// The words that data directives stand for. bf16 elements stand two to a word, the first in the low half; every
/// directive begins a new word.
class DataWords {
 public:
  DataWords(Report& report, Evaluator& evaluator) : report_(report), evaluator_(evaluator) {}
  /// Nothing if a count has no value, which has been reported.
  std::optional<std::int64_t> count(std::span<const DataItem> items);
  /// Appends the words; those whose values have been reported are missing.
  void append(std::span<const DataItem> items, std::vector<std::uint32_t>& words);

 private:
  std::optional<std::int64_t> count(const DataItem& item);
  void append(const DataItem& item, std::vector<std::uint32_t>& words);
  std::vector<std::uint32_t> elements(const DataItem& item);
  std::vector<std::uint32_t> listed(const DataItem& item);
  std::vector<std::uint32_t> filled(const DataItem& item, std::size_t count);
  std::vector<std::uint32_t> counted(const DataItem& item, std::size_t count);
  std::vector<std::uint32_t> random(const DataItem& item, std::size_t count);
  std::optional<std::uint32_t> element(ElementType type, const Expression& expression);

  Report& report_;
  Evaluator& evaluator_;
};

/// The generator behind .random: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014), whose output number i depends on seed and i only.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

}  // namespace podsim::hw::isa::pasm
