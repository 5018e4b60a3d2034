// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/isa/pasm/expression.h"
#include "hw/isa/pasm/syntax.h"

namespace podsim::hw::isa::pasm {

/// Maximum number of data words in a program. It keeps a mistyped count from exhausting memory.
inline constexpr std::int64_t max_data_words = std::int64_t(1) << 26;

/// Evaluates data directives to words. A word holds two bf16 elements, the first in the low half. Every directive
/// begins a new word.
class DataWords {
 public:
  DataWords(Report& report, Evaluator& evaluator) : report_(report), evaluator_(evaluator) {}
  /// Returns the number of words, or std::nullopt after reporting a count in error.
  std::optional<std::int64_t> count(std::span<const DataItem> items);
  /// Appends the words. Values in error are reported and become 0.
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

/// The random number generator of .random: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014). Output number i depends only on the seed and i.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

}  // namespace podsim::hw::isa::pasm
