// SPDX-License-Identifier: Apache-2.0
#include "app/output/earlier_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

namespace podsim::app::output {
namespace {

/// Files that only some runs write. The others are replaced.
constexpr std::array<std::string_view, 4> of_some_runs{"mesh.svg", "mesh.csv", "layers.csv", "job.json"};

/// Files that the manifest of the earlier run lists; none if there is no readable one.
std::set<std::string> listed(const std::filesystem::path& folder) {
  std::ifstream file(folder / "manifest.json", std::ios::binary);
  const auto manifest = nlohmann::json::parse(file, nullptr, false);
  std::set<std::string> names;
  if (!manifest.is_object() || !manifest.contains("files") || !manifest["files"].is_object()) return names;
  for (const auto& [name, description] : manifest["files"].items()) names.insert(name);
  return names;
}

/// Whether a file begins as a waveform of this program (base/trace/vcd_writer.h) or its GTKWave save file.
bool is_waveform(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::string begin(32, '\0');
  std::ifstream(file, std::ios::binary).read(begin.data(), std::streamsize(begin.size()));
  return begin.starts_with("$version podsim $end") || begin.starts_with("[dumpfile] ");
}

/// "step.12.et" and the groups.
bool is_trace(const std::string& name) {
  if (name == "comm_group.json") return true;
  constexpr std::string_view begin = "step.", end = ".et";
  if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end)) return false;
  return std::all_of(name.begin() + begin.size(), name.end() - end.size(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

void remove_traces(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (is_trace(entry.path().filename().string())) std::filesystem::remove(entry.path(), ignored);
  }
  std::filesystem::remove(folder, ignored);  // fails if the folder has other files
}

}  // namespace

void remove_earlier_files(const std::filesystem::path& folder, const std::set<std::string>& next) {
  std::error_code ignored;
  for (const std::string& name : listed(folder)) {
    if (name == "chakra/") {
      remove_traces(folder / "chakra");
      continue;
    }
    const bool plain = std::filesystem::path(name).filename() == name && name != "." && name != "..";
    if (!plain || next.contains(name)) continue;
    const bool known = std::ranges::find(of_some_runs, name) != of_some_runs.end();
    if (known || is_waveform(folder / name)) std::filesystem::remove(folder / name, ignored);
  }
}

}  // namespace podsim::app::output
