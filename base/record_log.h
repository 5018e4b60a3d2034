// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace podsim::base {

/// A file of records of one size, each with a checksum, that any number of processes read and append to at the same
/// time. Who appends holds a lock on the file (flock), who reads shares one; both for as long as it takes to move the
/// bytes. What a process that was killed left of a record is cut off by the next one that appends. A record that was
/// changed since does not fit its checksum and is left out.
class RecordLog {
 public:
  using Take = std::function<void(std::string_view record)>;

  /// `format`, at most 40 characters, says what the records are: a file of them begins with it. A new file is made
  /// where there is none. `record_bytes` is a multiple of eight. InputError when the file cannot be opened.
  RecordLog(std::filesystem::path file, std::string_view format, std::size_t record_bytes);

  /// Gives every record that was appended since the last reading, whoever did it, in the order of the file.
  void read_new(const Take& take);
  /// Reads what is new and appends the records that `make` then gives, one after the other, with nobody else appending
  /// in between. False when they could not be written: to a full disk, to a file that may only be read, or to one that
  /// is not usable.
  bool append(const Take& take, const std::function<std::string()>& make);

  const std::filesystem::path& file() const { return file_; }
  /// Whether the file begins as it should; one that does not is neither read nor written.
  bool usable() const { return usable_; }
  /// Records so far that do not fit their checksums.
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
  std::uint64_t read_;  ///< bytes of the file that were read, its header too
  std::size_t damaged_ = 0;
  bool usable_ = true;
};

}  // namespace podsim::base
