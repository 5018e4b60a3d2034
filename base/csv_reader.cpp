// SPDX-License-Identifier: Apache-2.0
#include "base/csv_reader.h"

#include <algorithm>
#include <utility>

namespace podsim::base {

CsvReader::CsvReader(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

bool CsvReader::next(std::vector<CsvField>& fields) {
  fields.clear();
  while (at_ < text_.size() && at_line_end()) skip_line_end();
  line_ += int(std::count(text_.begin() + std::ptrdiff_t(line_at_), text_.begin() + std::ptrdiff_t(at_), '\n'));
  line_at_ = at_;
  if (at_ >= text_.size()) return false;
  while (true) {
    fields.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted() : plain());
    if (at_ >= text_.size() || at_line_end()) break;
    ++at_;  // the comma
  }
  skip_line_end();
  return true;
}

SourceLocation CsvReader::location(const CsvField& field) const {
  return locate(file_, text_, std::min(field.offset, text_.size()), field.length);
}

CsvField CsvReader::quoted() {
  CsvField field{.value = "", .offset = at_, .length = 1};
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] != '"') {
      field.value += text_[at_];
    } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
      field.value += text_[++at_];
    } else {
      break;
    }
  }
  if (at_ >= text_.size()) {
    throw InputError({.message = "this quoted field has no end", .location = location(field), .hint = ""});
  }
  ++at_;
  if (at_ < text_.size() && text_[at_] != ',' && !at_line_end()) {
    const CsvField here{.value = "", .offset = at_, .length = 1};
    throw InputError({.message = "expected ',' or the end of the line after a quoted field",
                      .location = location(here),
                      .hint = "a quote within a field is written twice"});
  }
  return field;
}

CsvField CsvReader::plain() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != ',' && !at_line_end()) ++at_;
  return {std::string(text_.substr(begin, at_ - begin)), begin, std::max(1, int(at_ - begin))};
}

bool CsvReader::at_line_end() const { return text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n"); }

void CsvReader::skip_line_end() {
  if (at_ < text_.size()) at_ += text_[at_] == '\n' ? 1 : 2;
}

}  // namespace podsim::base
