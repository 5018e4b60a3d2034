// SPDX-License-Identifier: Apache-2.0
#include "base/text/text_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/text/utf8.h"

namespace podsim::base::text {

void TextTable::row(std::vector<std::string> cells) {
  if (cells.size() > columns_.size()) throw std::logic_error("a row has more cells than its table has columns");
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& cells : rows_) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], utf8_characters(cells[i]).size());
  }
  std::string text;
  for (const auto& cells : rows_) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::string padding(widths[i] - utf8_characters(cells[i]).size(), ' ');
      text += columns_[i] == Align::left ? cells[i] + padding : padding + cells[i];
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace podsim::base::text
