// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace podsim::sw {

/// Texts that differ by their numbers, as op names and the operands of ops do, in few bytes: each is one of few forms
/// and the whole numbers that go into its holes. Thousands of ops of a deep network have some hundred forms.
class CompactTexts {
 public:
  enum class Numbers {
    all,        ///< every run of digits is a hole
    names_only  ///< those of names that begin with '%', so that shapes stay in the form
  };
  static constexpr char hole = '\x01';

  explicit CompactTexts(Numbers numbers) : numbers_(numbers) {}

  void add(std::string_view text);
  /// Estimated size of all that was added, in a file.
  std::size_t bytes() const { return bytes_; }

  const std::vector<std::string>& forms() const { return forms_; }
  const std::vector<int>& form_of() const { return form_of_; }             ///< of every text
  const std::vector<std::int64_t>& fillings() const { return fillings_; }  ///< of all texts, one after the other

 private:
  Numbers numbers_;
  std::vector<std::string> forms_;
  std::map<std::string, int, std::less<>> known_;
  std::vector<int> form_of_;
  std::vector<std::int64_t> fillings_;
  std::size_t bytes_ = 0;
};

}  // namespace podsim::sw
