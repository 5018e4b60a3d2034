// SPDX-License-Identifier: Apache-2.0
#include "tests/studies/sample_study.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "workloads/machines/machines.h"

namespace podsim::studies {
namespace {

/// The groups of axes that move together, in order, each with its number of values.
std::vector<std::pair<int, std::size_t>> groups_of(const SampleStudy& study) {
  std::vector<std::pair<int, std::size_t>> groups;
  for (const SampleAxis& axis : study.axes) {
    if (groups.empty() || groups.back().first != axis.group) groups.emplace_back(axis.group, axis.values.size());
  }
  return groups;
}

/// For every group, the index of its value at the point `position`.
std::map<int, std::size_t> digits(const std::vector<std::pair<int, std::size_t>>& groups, std::size_t position) {
  std::map<int, std::size_t> chosen;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    chosen[group->first] = position % group->second;
    position /= group->second;
  }
  return chosen;
}

plan::Study described(const SampleStudy& sample) {
  plan::Study study;
  study.name = "sample";
  study.title = sample.title;
  study.question = sample.question;
  study.text = "title = \"" + sample.title + "\"\n";
  study.command = "run";
  study.report = sample.report;
  for (const SampleAxis& axis : sample.axes) {
    plan::StudyAxis described{axis.name, axis.unit, {}, {}, axis.group};
    for (const auto& [text, number] : axis.values) described.values.push_back({axis.name, text, number});
    study.axes.push_back(std::move(described));
  }
  for (const auto& [name, formula] : sample.derived) study.derived.push_back({name, "", {}});
  for (const SampleStudy::Metric& metric : sample.metrics) study.metrics.push_back(metric.name);
  return study;
}

std::string id_of(std::int64_t position) { return fmt::format("p{:04}", position); }

store::PointRecord point_of(const SampleStudy& sample, std::int64_t position) {
  store::PointRecord point;
  point.id = id_of(position);
  point.position = position;
  SamplePlace place;
  const std::map<int, std::size_t> chosen = digits(groups_of(sample), std::size_t(position));
  base::Config machine = workloads::machines::machine_config("tpu-v3");
  std::string command = "podsim run resnet50";
  for (const SampleAxis& axis : sample.axes) {
    const auto& [text, number] = axis.values[chosen.at(axis.group)];
    point.axes.push_back({axis.name, text, number});
    place[axis.name] = number.value_or(double(chosen.at(axis.group)));
    if (machine.contains(axis.name)) {
      machine.set(axis.name + "=" + text);
      command += fmt::format(" --set {}='{}'", axis.name, text);
    } else {
      command += fmt::format(" --{} {}", axis.name, text);
    }
  }
  for (const auto& [name, formula] : sample.derived) {
    point.derived.push_back({name, fmt::format("{}", formula(place)), formula(place)});
  }
  point.command = command;
  point.machine = machine.to_toml();
  point.done = !sample.fails(place);
  point.host = {0.25, 0.125, 30, 10, "here", "build"};
  if (point.done) {
    point.result = "{}";
    for (const SampleStudy::Metric& metric : sample.metrics) {
      if (const double value = metric.value(place); std::isfinite(value))
        point.metrics.emplace_back(metric.name, value);
    }
  } else {
    point.exit_code = 1;
    point.error = "podsim: error: the step does not fit in memory\n  <it> needs 17 GiB & more";
  }
  return point;
}

}  // namespace

SampleAxis numbers(const std::string& name, const std::vector<double>& values, int group) {
  SampleAxis axis{name, "", {}, group};
  for (const double value : values) axis.values.emplace_back(fmt::format("{}", value), value);
  return axis;
}

SampleAxis words(const std::string& name, const std::vector<std::string>& values, int group) {
  SampleAxis axis{name, "", {}, group};
  for (const std::string& value : values) axis.values.emplace_back(value, std::nullopt);
  return axis;
}

void write_sample(const SampleStudy& sample, const std::filesystem::path& file) {
  std::size_t count = 1;
  for (const auto& [group, length] : groups_of(sample)) count *= length;
  store::StudyStore store(file, described(sample), "podsim 0.1.0", id_of(sample.baseline));
  for (std::size_t position = 0; position < count; ++position) store.add(point_of(sample, std::int64_t(position)));
}

SampleStudy link_study() {
  SampleStudy study;
  study.title = "Links <fast & slow>";
  study.question = "What would faster links buy?";
  study.axes = {numbers("chips", {4, 8, 16, 32}, 0),
                {"ici.link_rate", "B/s", {{"328 Gb/s", 41e9}, {"656 Gb/s", 82e9}}, 1},
                numbers("batch_per_core", {64, 128}, 2)};
  study.derived = {
      {"global_batch", [](const SamplePlace& at) { return 2 * at.at("chips") * at.at("batch_per_core"); }}};
  auto step_time = [](const SamplePlace& at) {
    return at.at("batch_per_core") / 1000 + 0.8e9 / at.at("ici.link_rate") + 0.001 * std::log2(at.at("chips"));
  };
  study.metrics = {
      {"step_time_s", step_time},
      {"samples_per_s",
       [step_time](const SamplePlace& at) { return 2 * at.at("chips") * at.at("batch_per_core") / step_time(at); }},
      {"utilization.mxu",
       [step_time](const SamplePlace& at) { return at.at("batch_per_core") / 1000 / step_time(at); }}};
  study.fails = [](const SamplePlace& at) {
    return at.at("chips") == 32 && at.at("ici.link_rate") == 41e9 && at.at("batch_per_core") == 128;
  };
  study.report = {{"step_time_s"}, {"samples_per_s"}, ""};
  study.baseline = 2;  // 4 chips, the fast link, the small batch
  return study;
}

SampleFile::SampleFile(const SampleStudy& study) {
  std::string pattern = ::testing::TempDir() + "podsim-study-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  folder_ = pattern;
  path_ = folder_ / "sample.sqlite";
  write_sample(study, path_);
}

SampleFile::~SampleFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace podsim::studies
