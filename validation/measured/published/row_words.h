// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// Numbers in the words of a published row.
namespace podsim::validation::measured::published {

/// The number that `text` begins with; std::nullopt if there is none.
std::optional<std::int64_t> leading_number(std::string_view text);

/// The number behind the first `word` of `text`: 4 of "data parallel 256 x spatial 4".
std::optional<std::int64_t> number_after(std::string_view text, std::string_view word);

/// The number in front of the first `word` of `text`: 6 of "(6 layers; d 512)" for " layers".
std::optional<std::int64_t> number_before(std::string_view text, std::string_view word);

}  // namespace podsim::validation::measured::published
