// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace podsim::report::html {

/// Stores texts that differ only by their numbers, such as op names and operands of ops, in few bytes: each text is one
/// of a few forms plus the integers that fill its holes. The thousands of ops of a deep network have some hundred
/// forms.
class CompactTexts {
 public:
  enum class Numbers {
    all,        ///< every run of digits is a hole
    names_only  ///< only runs of digits in names that begin with '%', so that shapes stay in the form
  };
  static constexpr char hole = '\x01';

  explicit CompactTexts(Numbers numbers) : numbers_(numbers) {}

  void add(std::string_view text);
  /// Estimated size in a file of everything added so far.
  std::size_t bytes() const { return bytes_; }

  const std::vector<std::string>& forms() const { return forms_; }
  const std::vector<int>& form_of() const { return form_of_; }             ///< index of the form of every text
  const std::vector<std::int64_t>& fillings() const { return fillings_; }  ///< numbers of all texts in order

 private:
  Numbers numbers_;
  std::vector<std::string> forms_;
  std::map<std::string, int, std::less<>> known_;
  std::vector<int> form_of_;
  std::vector<std::int64_t> fillings_;
  std::size_t bytes_ = 0;
};

}  // namespace podsim::report::html
