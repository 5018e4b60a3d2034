// SPDX-License-Identifier: Apache-2.0
#include "base/host/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/diagnostic.h"

namespace podsim::base::host {
namespace {

constexpr int max_links = 40;  // as the kernel follows

[[noreturn]] void cannot_write(const std::filesystem::path& path, int error) {
  std::string reason = error != 0 ? std::generic_category().message(error) : "the write failed";
  throw InputError(fmt::format("cannot write '{}': {}", path.string(), reason));
}

/// The number of a descriptor that this process has already: 1 for /dev/stdout. Opening such a path again would begin
/// at the start of a file that the descriptor is in the middle of.
std::optional<int> own_descriptor(const std::filesystem::path& path) {
  const std::string text = path.lexically_normal().string();
  if (text == "/dev/stdout") return STDOUT_FILENO;
  if (text == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!text.starts_with(folder)) continue;
    int number = -1;
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data() + folder.size(), end, number).ptr == end) return number;
  }
  return std::nullopt;
}

/// Where the links of a path lead; the file there need not exist.
std::filesystem::path followed(std::filesystem::path path) {
  std::error_code error;
  for (int link = 0; link < max_links && std::filesystem::is_symlink(path, error); ++link) {
    const std::filesystem::path to = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  return path;
}

constexpr std::string_view partial_suffix = ".partial";
constexpr std::size_t mark_digits = 16;

/// An unpredictable name in the folder of the target, so that the rename stays within one file system.
std::filesystem::path temporary_name(const std::filesystem::path& target) {
  std::random_device random;
  return target.parent_path() /
         fmt::format(".{}.{:08x}{:08x}{}", target.filename().string(), random(), random(), partial_suffix);
}

/// ".stats.json.0123456789abcdef.partial"
bool is_temporary_name(const std::string& name) {
  if (!name.starts_with('.') || !name.ends_with(partial_suffix)) return false;
  const std::size_t end = name.size() - partial_suffix.size();
  if (end < mark_digits + 2 || name[end - mark_digits - 1] != '.') return false;
  return name.find_first_not_of("0123456789abcdef", end - mark_digits) == end;
}

/// Removes a temporary file unless a living process has it: the writer holds a lock on it, which ends with the process.
void remove_unless_held(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(file.c_str());
  close(descriptor);
}

/// Marks a temporary file, just created, as one of a living process. False if another process has removed it.
bool hold(int descriptor) {
  struct stat found {};
  static_cast<void>(flock(descriptor, LOCK_EX | LOCK_NB));  // some file systems have no locks; then nothing is removed
  return fstat(descriptor, &found) != 0 || found.st_nlink > 0;
}

/// Removes temporary files of processes that were killed, once for each folder.
void sweep_partial_files(const std::filesystem::path& folder) {
  static std::set<std::filesystem::path> swept;
  if (!swept.insert(folder).second) return;
  std::error_code ignored;
  const auto begin = std::filesystem::directory_iterator(folder.empty() ? "." : folder, ignored);
  for (const auto& entry : begin) {
    if (is_temporary_name(entry.path().filename().string())) remove_unless_held(entry.path());
  }
}

}  // namespace

bool is_replaceable(const std::filesystem::path& path) {
  struct stat found {};
  if (own_descriptor(path)) return false;
  return stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode);
}

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path),
      buffer_([this] { return descriptor_ < 0 ? descriptor_ = open_stream() : descriptor_; }),
      stream_(&buffer_) {
  std::error_code ignored;
  if (path_.filename().empty() || std::filesystem::is_directory(path_, ignored)) cannot_write(path_, EISDIR);
  if (is_replaceable(path_)) {
    open_temporary();
  } else if (!own_descriptor(path_) && access(path_.c_str(), W_OK) != 0) {
    cannot_write(path_, errno);
  }
}

OutputFile::~OutputFile() {
  close_descriptor();
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void OutputFile::open_temporary() {
  target_ = followed(path_);
  if (std::error_code ignored; std::filesystem::is_symlink(target_, ignored)) cannot_write(path_, ELOOP);
  struct stat before {};
  const bool exists = stat(target_.c_str(), &before) == 0;
  if (exists && access(target_.c_str(), W_OK) != 0) cannot_write(path_, errno);
  sweep_partial_files(target_.parent_path());
  do {
    close_descriptor();
    temporary_ = temporary_name(target_);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 ? errno == EEXIST : !hold(descriptor_));
  if (descriptor_ < 0) {
    temporary_.clear();
    cannot_write(path_, errno);
  }
  // Who may read a file does not change when it is written again.
  if (exists) static_cast<void>(fchmod(descriptor_, before.st_mode & 0777));
}

int OutputFile::open_stream() const {
  if (const std::optional<int> own = own_descriptor(path_)) {
    std::fflush(stdout);  // what was printed before comes before
    return fcntl(*own, F_DUPFD_CLOEXEC, 0);
  }
  return open(path_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
}

void OutputFile::close_descriptor() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

void OutputFile::fail(int error) {
  close_descriptor();
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
  temporary_.clear();
  cannot_write(path_, error);
}

void OutputFile::commit() {
  if (!stream_.flush()) fail(buffer_.error());
  if (temporary_.empty()) return close_descriptor();
  // Some file systems cannot sync; a disk that is full may say so only here.
  if (fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) fail(errno);
  const int held = dup(descriptor_);  // the lock stays until the file has its name
  if (close(std::exchange(descriptor_, -1)) != 0) {
    const int error = errno;
    close(held);
    fail(error);
  }
  const int error = rename(temporary_.c_str(), target_.c_str()) == 0 ? 0 : errno;
  if (held >= 0) close(held);
  if (error != 0) fail(error);
  temporary_.clear();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.stream().write(text.data(), std::streamsize(text.size()));
  file.commit();
}

}  // namespace podsim::base::host
