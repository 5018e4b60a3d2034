// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::base {

/// A field of a CSV record: its value without quotes, and its location in the file.
struct CsvField {
  std::string value;
  std::size_t offset = 0;  ///< offset of its first character in the text
  int length = 1;          ///< characters underlined in a message, at least 1
};

/// Reads comma-separated records by RFC 4180: a quoted field may contain commas, line ends and doubled quotes. A
/// byte-order mark and empty lines are skipped; lines end in LF or CRLF.
class CsvReader {
 public:
  /// `text` outlives the reader.
  CsvReader(std::string file, std::string_view text);

  /// Reads the next record into `fields`; returns false at the end. Throws InputError for a quote that does not end, or
  /// that is followed by anything but a comma.
  bool next(std::vector<CsvField>& fields);

  /// Line of the file in which the last record begins, from 1.
  int line() const { return line_; }
  /// The location of a field for an InputError. It counts the lines before it.
  SourceLocation location(const CsvField& field) const;

 private:
  CsvField quoted();
  CsvField plain();
  bool at_line_end() const;
  void skip_line_end();

  std::string file_;
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t line_at_ = 0;  ///< position up to which line_ has counted
};

}  // namespace podsim::base
