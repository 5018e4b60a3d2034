// SPDX-License-Identifier: Apache-2.0
#include "tests/wave/waveform.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace podsim::test {
namespace {

/// Calls visit(value, picoseconds) for each stretch without a change.
template <class Visit>
void for_each_stretch(const base::VcdContent& vcd, const std::string& name, Visit visit) {
  const auto& changes = vcd.signals.at(name).changes;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::int64_t end = i + 1 < changes.size() ? changes[i + 1].first : vcd.end;
    visit(changes[i].second, end - changes[i].first);
  }
}

std::int64_t time_unless(const base::VcdContent& vcd, const std::string& name, const std::vector<std::string>& values) {
  std::int64_t sum = 0;
  for_each_stretch(vcd, name, [&](const std::string& value, std::int64_t time) {
    for (const std::string& other : values) {
      if (value == other) return;
    }
    sum += time;
  });
  return sum;
}

}  // namespace

std::int64_t time_high(const base::VcdContent& vcd, const std::string& wire) {
  return time_unless(vcd, wire, {"0", "x"});
}

std::int64_t time_shown(const base::VcdContent& vcd, const std::string& text) { return time_unless(vcd, text, {"s"}); }

double integral(const base::VcdContent& vcd, const std::string& real) {
  double sum = 0;
  for_each_stretch(vcd, real, [&](const std::string& value, std::int64_t time) {
    const double number = std::stod(value.substr(1));
    if (!std::isnan(number)) sum += number * double(time) * 1e-12;
  });
  return sum;
}

std::vector<std::string> signals_of_save_file(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("+{")) names.push_back(line.substr(line.find("} ") + 2));
  }
  return names;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace podsim::test
