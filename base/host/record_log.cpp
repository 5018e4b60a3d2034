// SPDX-License-Identifier: Apache-2.0
#include "base/host/record_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/diagnostic.h"

namespace podsim::base::host {
namespace {

constexpr std::size_t format_bytes = 40;

/// An open and locked file; closing it releases the lock. The lock belongs to the open file, not to the process, so a
/// child made by fork() does not share it.
class LockedFile {
 public:
  LockedFile(const std::filesystem::path& path, int flags, int lock)
      : file_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    while (file_ >= 0 && flock(file_, lock) != 0 && errno == EINTR) {
    }
  }
  ~LockedFile() {
    if (file_ >= 0) close(file_);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  bool is_open() const { return file_ >= 0; }
  int number() const { return file_; }

 private:
  int file_;
};

std::uint64_t size_of(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? std::uint64_t(status.st_size) : 0;
}

/// Reads bytes [begin, end), or as many of them as possible.
std::string read_bytes(int file, std::uint64_t begin, std::uint64_t end) {
  std::string bytes(end - begin, '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t count = pread(file, bytes.data() + got, bytes.size() - got, off_t(begin + got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    got += std::size_t(count);
  }
  bytes.resize(got);
  return bytes;
}

bool write_bytes(int file, std::uint64_t begin, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(file, bytes.data(), bytes.size(), off_t(begin));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    begin += std::uint64_t(count);
    bytes.remove_prefix(std::size_t(count));
  }
  return true;
}

/// Checksum of a record. Every step maps different states to different states, so a record with one changed word never
/// matches.
std::uint64_t checksum(std::string_view record) {
  std::uint64_t sum = 0x9e3779b97f4a7c15U;
  for (std::size_t i = 0; i < record.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, record.data() + i, sizeof(word));
    sum = (sum ^ word) * 0xff51afd7ed558ccdU;
    sum ^= sum >> 32;
  }
  return sum;
}

}  // namespace

RecordLog::RecordLog(std::filesystem::path file, std::string_view format, std::size_t record_bytes)
    : file_(std::move(file)),
      header_(fmt::format("{:<{}} {:>6}\n", format, format_bytes, record_bytes)),
      record_bytes_(record_bytes),
      read_(header_.size()) {
  if (format.size() > format_bytes || record_bytes % sizeof(std::uint64_t) != 0) {
    throw std::logic_error("no format of a record log");
  }
  const LockedFile writable(file_, O_RDWR | O_CREAT, LOCK_EX);
  const int error = errno;
  if (writable.is_open()) {
    prepare(writable.number());
    return;
  }
  const LockedFile readable(file_, O_RDONLY, LOCK_SH);
  if (!readable.is_open()) {
    throw InputError(fmt::format("cannot open '{}': {}", file_.string(), std::generic_category().message(error)));
  }
  usable_ = read_bytes(readable.number(), 0, header_.size()) == header_;
}

/// Writes the header of a new file, or of one whose creating process was killed while writing it.
void RecordLog::prepare(int file) {
  const std::string begin = read_bytes(file, 0, header_.size());
  usable_ = header_.starts_with(begin);
  if (usable_ && begin.size() < header_.size()) usable_ = write_bytes(file, 0, header_);
}

std::uint64_t RecordLog::whole_slots(std::uint64_t file_bytes) const {
  if (file_bytes < header_.size()) return 0;
  return header_.size() + (file_bytes - header_.size()) / slot_bytes() * slot_bytes();
}

void RecordLog::read_slots(int file, const Take& take) {
  const std::uint64_t end = whole_slots(size_of(file));
  if (end <= read_) return;
  const std::string bytes = read_bytes(file, read_, end);
  for (std::size_t at = 0; at + slot_bytes() <= bytes.size(); at += slot_bytes()) {
    const std::string_view record = std::string_view(bytes).substr(at, record_bytes_);
    std::uint64_t written = 0;
    std::memcpy(&written, bytes.data() + at + record_bytes_, sizeof(written));
    if (written == checksum(record)) {
      take(record);
    } else {
      ++damaged_;
    }
  }
  read_ += bytes.size() / slot_bytes() * slot_bytes();
}

std::string RecordLog::with_checksums(std::string_view records) const {
  std::string slots;
  slots.reserve(records.size() / record_bytes_ * slot_bytes());
  for (; records.size() >= record_bytes_; records.remove_prefix(record_bytes_)) {
    const std::uint64_t sum = checksum(records.substr(0, record_bytes_));
    slots += records.substr(0, record_bytes_);
    slots.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
  }
  return slots;
}

bool RecordLog::append_slots(int file, const std::string& slots) {
  const std::uint64_t end = std::max<std::uint64_t>(whole_slots(size_of(file)), header_.size());
  if (!write_bytes(file, end, slots)) {
    (void)!ftruncate(file, off_t(end));
    return false;
  }
  // The rest of a longer partial record would be read as the beginning of the next record.
  return ftruncate(file, off_t(end + slots.size())) == 0;
}

void RecordLog::read_new(const Take& take) {
  if (!usable_) return;
  const LockedFile file(file_, O_RDONLY, LOCK_SH);
  if (file.is_open()) read_slots(file.number(), take);
}

bool RecordLog::append(const Take& take, const std::function<std::string()>& make) {
  if (!usable_) return false;
  const LockedFile file(file_, O_RDWR, LOCK_EX);
  if (!file.is_open()) return false;
  prepare(file.number());
  if (!usable_) return false;
  read_slots(file.number(), take);
  const std::string slots = with_checksums(make());
  if (slots.empty()) return true;
  if (!append_slots(file.number(), slots)) return false;
  // The caller has the records that it appended.
  read_ = std::max(read_, whole_slots(size_of(file.number())));
  return true;
}

}  // namespace podsim::base::host
