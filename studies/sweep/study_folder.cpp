// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/study_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/output_file.h"
#include "studies/store/study_store.h"

namespace podsim::studies::sweep {
namespace {

/// Bytes of the lock file. Byte 0 is locked exclusively by a sweep of all points and shared by shards. Byte n is locked
/// by shard n, and the last one by the shard that writes to the study's database.
constexpr std::int64_t folder_byte = 0, max_shards = 1'000'000, merge_byte = max_shards + 1;

void require_free(int holder, const std::filesystem::path& folder, const std::string& what) {
  if (holder == 0) return;
  throw base::InputError(fmt::format("{} writes to '{}': process {}", what, folder.string(), holder),
                         "wait for its end, or choose another folder with -o");
}

std::vector<std::filesystem::path> databases_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".sqlite") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    base::host::locate_errors("--shard", text, [&] {
      throw base::InputError(fmt::format("'{}' is not a shard", text), "such as 2/8: the second of eight");
    });
  }
  const std::int64_t of = base::host::parse_whole_number("--shard", text.substr(slash + 1), 1, max_shards);
  const std::int64_t number = base::host::parse_whole_number("--shard", text.substr(0, slash), 1, of);
  return {std::size_t(number), std::size_t(of)};
}

StudyPaths::StudyPaths(std::filesystem::path path, const plan::Study& study, std::optional<Shard> shard)
    : folder(std::move(path)),
      database(folder / (study.name + ".sqlite")),
      lines(folder / (study.name + ".jsonl")),
      own_database(database),
      own_lines(lines),
      shards(folder / "shards"),
      op_cache(folder / "ops.cache") {
  if (!shard) return;
  const std::string name = fmt::format("{}-of-{}", shard->number, shard->of);
  own_database = shards / (name + ".sqlite");
  own_lines = shards / (name + ".jsonl");
}

StudyFolder::StudyFolder(const StudyPaths& paths, const plan::Study& study, std::optional<Shard> shard)
    : paths_(paths), folder_(paths.folder), lock_(paths.folder / "sweep.lock"), shared_(shard.has_value()) {
  lock(shard);
  require_no_other_study(study);
}

void StudyFolder::write_text(const plan::Study& study) const {
  base::host::write_file(paths_.folder / "study.toml", study.text);
}

void StudyFolder::lock(std::optional<Shard> shard) {
  using enum base::host::FileLock::Kind;
  const int holder = lock_.try_lock(shard ? shared : exclusive, folder_byte);
  require_free(holder, paths_.folder, shard ? "a sweep of all points" : "another sweep");
  if (!shard) return;
  require_free(lock_.try_lock(exclusive, std::int64_t(shard->number)), paths_.folder,
               fmt::format("another shard {}", shard->number));
}

void StudyFolder::require_no_other_study(const plan::Study& study) const {
  for (const std::filesystem::path& file : databases_in(paths_.folder)) {
    if (file != paths_.database) {
      throw base::InputError(
          fmt::format("'{}' holds another study, '{}'", paths_.folder.string(), file.filename().string()),
          "choose another folder with -o");
    }
    shared_ ? store::require_same_text(file, study) : store::require_study(file);
  }
}

void StudyFolder::alone_among_shards(const std::function<void()>& body) {
  lock_.lock(base::host::FileLock::Kind::exclusive, merge_byte);
  std::error_code error;
  std::filesystem::create_directory(paths_.shards, error);
  if (error) throw base::InputError(fmt::format("cannot make '{}': {}", paths_.shards.string(), error.message()));
  body();
  std::filesystem::remove(paths_.shards, error);  // fails if a shard has files there
  lock_.unlock(merge_byte);
}

std::vector<std::filesystem::path> StudyFolder::left_by_shards() const {
  return shared_ ? std::vector<std::filesystem::path>() : databases_in(paths_.shards);
}

void StudyFolder::remove_shard(const std::filesystem::path& database) const {
  std::error_code ignored;
  std::filesystem::remove(database, ignored);
  std::filesystem::remove(std::filesystem::path(database).replace_extension(".jsonl"), ignored);
}

}  // namespace podsim::studies::sweep
