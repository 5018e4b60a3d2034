// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace podsim::base::host {

/// A file of records of one size, each with a checksum, that any number of processes read and append to concurrently. A
/// process that appends holds an exclusive lock on the file (flock) and a process that reads a shared one, both only
/// while bytes are moved. A partial record left by a killed process is truncated by the next append. A record that was
/// changed does not match its checksum and is skipped.
class RecordLog {
 public:
  using Take = std::function<void(std::string_view record)>;

  /// `format`, at most 40 characters, identifies the kind of records; a file begins with it. The file is created if it
  /// does not exist. `record_bytes` is a multiple of eight. InputError if the file cannot be opened.
  RecordLog(std::filesystem::path file, std::string_view format, std::size_t record_bytes);

  /// Passes on every record that any process has appended since the last reading, in the order of the file.
  void read_new(const Take& take);
  /// Reads new records and appends those that `make` then returns, concatenated, without appends of other processes in
  /// between. Returns false if they could not be written: to a full disk, a read-only file, or one that is not usable.
  bool append(const Take& take, const std::function<std::string()>& make);

  const std::filesystem::path& file() const { return file_; }
  /// Returns whether the file begins with the expected header. A file that does not is neither read nor written.
  bool usable() const { return usable_; }
  /// Number of records so far that do not match their checksums.
  std::size_t damaged() const { return damaged_; }

 private:
  std::size_t slot_bytes() const { return record_bytes_ + sizeof(std::uint64_t); }
  std::uint64_t whole_slots(std::uint64_t file_bytes) const;
  void prepare(int file);
  void read_slots(int file, const Take& take);
  bool append_slots(int file, const std::string& slots);
  std::string with_checksums(std::string_view records) const;

  std::filesystem::path file_;
  std::string header_;
  std::size_t record_bytes_;
  std::uint64_t read_;  ///< bytes of the file that were read, including its header
  std::size_t damaged_ = 0;
  bool usable_ = true;
};

}  // namespace podsim::base::host
