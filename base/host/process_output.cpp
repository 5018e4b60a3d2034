// SPDX-License-Identifier: Apache-2.0
#include "base/host/process_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/text/json_text.h"

namespace podsim::base::host {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_lines = 20, max_bytes = 4000;

std::size_t line_begin(const std::string& text, std::size_t end) {
  const std::size_t newline = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  return newline == std::string::npos ? 0 : newline + 1;
}

}  // namespace

std::string to_message(const ProcessOutput& output) {
  const Json json = {
      {"exit_code", output.exit_code}, {"out", output.out}, {"error", output.error}, {"wall_s", output.wall_s}};
  return base::text::json_text(json);
}

ProcessOutput from_message(const std::string& message) {
  try {
    const Json json = Json::parse(message);
    return {json.at("exit_code"), json.at("out"), json.at("error"), json.at("wall_s")};
  } catch (const Json::exception& error) {
    throw std::logic_error(std::string("not the output of a point: ") + error.what());
  }
}

std::string last_lines(const std::string& text) {
  const std::size_t end = text.find_last_not_of("\n") + 1;  // 0 if the text is only newlines
  std::size_t begin = end;
  for (std::size_t lines = 0; lines < max_lines && begin > 0; ++lines) {
    const std::size_t next = line_begin(text, begin == end ? end : begin - 1);
    if (end - next > max_bytes) break;
    begin = next;
  }
  if (begin == end && end > 0) begin = end - std::min(end, max_bytes);
  return text.substr(begin, end - begin);
}

}  // namespace podsim::base::host
