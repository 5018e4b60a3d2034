// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::sw {

/// One field of a CSV record: its value without quotes, and where it stands in the file.
struct CsvField {
  std::string value;
  std::size_t offset = 0;  ///< of its first character in the text
  int length = 1;          ///< characters underlined in a message, 1 at least
};

/// Comma-separated records as RFC 4180 has them: a field in quotes may hold commas, line ends and doubled quotes. A
/// byte-order mark is skipped, empty lines are none, lines end in LF or CRLF.
class CsvReader {
 public:
  /// `text` outlives the reader.
  CsvReader(std::string file, std::string_view text);

  /// Reads the next record into `fields`; false at the end. InputError for a quote that does not end, or is followed by
  /// something else than a comma.
  bool next(std::vector<CsvField>& fields);

  /// InputError's place for something about a field.
  base::SourceLocation location(const CsvField& field) const;

 private:
  CsvField quoted();
  CsvField plain();
  bool at_line_end() const;
  void skip_line_end();

  std::string file_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace podsim::sw
