// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace podsim::base::host {

/// A file that exists, and that grows by one text at a time while the program runs. Each text is given to the system as
/// a whole, so that readers see whole texts.
class AppendedFile {
 public:
  /// InputError with the reason if the file cannot be opened.
  explicit AppendedFile(const std::filesystem::path& path);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  /// InputError with the reason if the text cannot be written, such as on a full disk.
  void append(std::string_view text);

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace podsim::base::host
