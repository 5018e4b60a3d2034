// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/study.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "studies/plan/study_reader.h"
#include "studies/shipped/studies.h"

namespace podsim::studies::plan {

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw base::InputError("cannot read the study '" + path.string() + "'");
  return std::move(text).str();
}

std::string hint_for(std::string_view name) {
  std::vector<std::string> names;
  std::string known = "studies of the program:";
  for (const shipped::EmbeddedStudy& study : shipped::embedded_studies()) {
    names.push_back(study.name);
    known += " " + study.name;
  }
  const std::string nearest = base::did_you_mean(name, names);
  return nearest.empty() ? known : nearest;
}

Study read(std::string name, const std::filesystem::path& path, const std::filesystem::path& shown, std::string text) {
  Study study;
  study.name = std::move(name);
  study.path = shown;
  study.text = std::move(text);
  StudyReader(study).read();
  study.path = path;
  return study;
}

}  // namespace

Study read_study(std::string_view path_or_name) {
  for (const shipped::EmbeddedStudy& study : shipped::embedded_studies()) {
    if (study.name == path_or_name) return read(study.name, {}, study.name + ".toml", study.toml);
  }
  const std::filesystem::path path(path_or_name);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw base::InputError("no study is called '" + path.string() + "', and no file is", hint_for(path_or_name));
  }
  return parse_study(path, read_file(path));
}

Study parse_study(const std::filesystem::path& path, std::string text) {
  return read(path.stem().string(), path, path, std::move(text));
}

}  // namespace podsim::studies::plan
