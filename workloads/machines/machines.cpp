// SPDX-License-Identifier: Apache-2.0
#include "workloads/machines/machines.h"

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/diagnostic.h"
#include "base/toml_text.h"
#include "hw/parts/custom/custom_unit.h"
#include "hw/parts/hbm/custom_scheduler.h"

namespace podsim::workloads::machines {

namespace {

constexpr std::string_view default_base = "tpu-v3";
/// Suffixes of files with values that are measured at finer levels of detail.
constexpr std::array<std::string_view, 2> derived_suffixes{".core", ".memory"};

bool is_derived(std::string_view name) {
  return std::ranges::any_of(derived_suffixes, [&](std::string_view suffix) { return name.ends_with(suffix); });
}

const EmbeddedMachine* find_file(std::string_view name) {
  const auto& machines = embedded_machines();
  const auto found = std::ranges::find(machines, name, &EmbeddedMachine::name);
  return found == machines.end() ? nullptr : &*found;
}

const EmbeddedMachine* find(std::string_view name) { return is_derived(name) ? nullptr : find_file(name); }

std::string known_machines() {
  std::string text = "built-in machines:";
  for (const std::string& name : machine_names()) text += " " + name;
  return text;
}

std::string hint_for(std::string_view name) {
  const std::string suggestion = base::did_you_mean(name, machine_names());
  return suggestion.empty() ? known_machines() : suggestion;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw base::InputError("cannot read the machine file '" + path.string() + "'");
  return std::move(text).str();
}

std::size_t line_start(std::string_view text, std::size_t line) {
  std::size_t offset = 0;
  for (std::size_t i = 1; i < line; ++i) offset = text.find('\n', offset) + 1;
  return offset;
}

struct MachineFile {
  std::string base_name;
  std::string overrides;  ///< the file with blanks in place of its key `base`, so that locations stay the same
  bool names_base = false, names_itself = false;
};

base::InputError unknown_base(const std::string& path, const std::string& text, std::size_t offset,
                              std::string_view name) {
  base::Diagnostic diagnostic;
  diagnostic.message = "'" + std::string(name) + "' is not a built-in machine";
  diagnostic.location = base::locate(path, text, offset, 4);
  diagnostic.hint = hint_for(name);
  return base::InputError(std::move(diagnostic));
}

/// Reads the key `base` of a machine file. A file that does not parse is left unchanged: the configuration reports the
/// error.
MachineFile split_base(const std::string& path, std::string text) {
  MachineFile file{std::string(default_base), "", false, false};
  try {
    const toml::table table = base::parse_toml(text, path);
    file.names_itself = table.at_path("machine.name").is_value();
    const auto entry = table.find("base");
    file.names_base = entry != table.end();
    if (file.names_base) {
      const toml::source_position begin = entry->first.source().begin;
      const std::size_t offset = line_start(text, begin.line);
      file.base_name = entry->second.value_or(std::string());
      if (find(file.base_name) == nullptr) throw unknown_base(path, text, offset + begin.column - 1, file.base_name);
      const std::size_t end = std::min(text.find('\n', offset), text.size());
      std::fill(text.begin() + std::ptrdiff_t(offset), text.begin() + std::ptrdiff_t(end), ' ');
    }
  } catch (const toml::parse_error&) {
    file.names_itself = true;
  }
  file.overrides = std::move(text);
  return file;
}

base::Config builtin_config(const EmbeddedMachine& machine);

base::Config derived_config(const std::string& path, const MachineFile& file) {
  base::Config config = builtin_config(*find(file.base_name));
  if (!file.names_itself) config.set("machine.name=" + std::filesystem::path(path).stem().string());
  config.add_text(path, file.overrides);
  return config;
}

base::Config file_config(const std::string& path) { return derived_config(path, split_base(path, read_file(path))); }

/// The configuration of a built-in machine. A machine without a base has files with derived values, which are built-in
/// as well. A machine with a base states what differs, and may have files with its own derived values.
base::Config builtin_config(const EmbeddedMachine& machine) {
  const std::string path = machine.name + ".toml";
  const MachineFile file = split_base(path, machine.toml);
  base::Config config = file.names_base ? derived_config(path, file) : base::Config::builtin(path, machine.toml);
  if (!file.names_base) {
    config.add_builtin("registered unit", hw::parts::custom::custom_section());
    config.add_builtin("registered schedulers", hw::parts::hbm::custom_scheduler_key());
  }
  for (const std::string_view suffix : derived_suffixes) {
    const std::string name = machine.name + std::string(suffix);
    const EmbeddedMachine* derived = find_file(name);
    if (derived == nullptr) continue;
    if (file.names_base) {
      config.add_text(name + ".toml", derived->toml);
    } else {
      config.add_builtin(name + ".toml", derived->toml);
    }
  }
  return config;
}

}  // namespace

std::vector<std::string> machine_names() {
  std::vector<std::string> result;
  for (const EmbeddedMachine& machine : embedded_machines()) {
    if (!is_derived(machine.name)) result.push_back(machine.name);
  }
  std::ranges::sort(result);
  return result;
}

base::Config machine_config(std::string_view name_or_path) {
  if (const EmbeddedMachine* machine = find(name_or_path)) return builtin_config(*machine);
  const std::filesystem::path path(name_or_path);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return file_config(path.string());
  throw base::InputError("no machine is called '" + std::string(name_or_path) + "', and no file is",
                         hint_for(name_or_path));
}

}  // namespace podsim::workloads::machines
