// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/text/utf8.h"

namespace podsim::studies::charts {

/// Sizes in px, of the charts' 12 px font.
inline constexpr double letter_width = 6.6, text_height = 14;

inline double text_width(std::string_view text) {
  return letter_width * double(base::text::utf8_characters(text).size());
}

}  // namespace podsim::studies::charts
