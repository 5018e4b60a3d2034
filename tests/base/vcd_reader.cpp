// SPDX-License-Identifier: Apache-2.0
#include "tests/base/vcd_reader.h"

#include <sstream>
#include <stdexcept>

namespace podsim::base {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& text) : in_(text) {}

  VcdContent read() {
    std::string word;
    while (in_ >> word && word != "$enddefinitions") declaration(word);
    words_to_end();
    if (!scopes_.empty()) throw std::runtime_error("scope left open");
    // Line by line: the value of an empty text is nothing, followed by a blank.
    for (std::string line; std::getline(in_, line);) value_line(line);
    return content_;
  }

 private:
  std::vector<std::string> words_to_end() {
    std::vector<std::string> words;
    for (std::string word; in_ >> word;) {
      if (word == "$end") return words;
      words.push_back(word);
    }
    throw std::runtime_error("$end is missing");
  }

  void declaration(const std::string& keyword) {
    std::vector<std::string> words = words_to_end();
    if (keyword == "$timescale") {
      content_.timescale = words.at(0) + words.at(1);
    } else if (keyword == "$scope") {
      scopes_.push_back(words.at(1));
    } else if (keyword == "$upscope") {
      if (scopes_.empty()) throw std::runtime_error("$upscope without $scope");
      scopes_.pop_back();
    } else if (keyword == "$var") {
      std::string name;
      for (const std::string& scope : scopes_) name += scope + ".";
      name += words.at(3) + (words.size() > 4 ? words[4] : "");
      if (!content_.signals.emplace(name, VcdContent::Signal{words.at(0), words.at(1), {}}).second) {
        throw std::runtime_error(name + " is declared twice");
      }
      if (!codes_.emplace(words.at(2), name).second) throw std::runtime_error("code used twice");
    } else if (keyword != "$version") {
      throw std::runtime_error("unexpected " + keyword);
    }
  }

  void value_line(const std::string& line) {
    if (line.empty() || line == "$dumpvars" || line == "$end") return;
    if (line[0] == '#') {
      std::int64_t time = std::stoll(line.substr(1));
      if (time < content_.end) throw std::runtime_error("time runs backwards");
      content_.end = time;
      return;
    }
    bool scalar = line[0] == '0' || line[0] == '1' || line[0] == 'x';
    std::size_t blank = line.find(' ');
    if (!scalar && blank == std::string::npos) throw std::runtime_error("no identifier in " + line);
    std::string code = scalar ? line.substr(1) : line.substr(blank + 1);
    std::string value = scalar ? line.substr(0, 1) : line.substr(0, blank);
    auto name = codes_.find(code);
    if (name == codes_.end()) throw std::runtime_error("unknown identifier in " + line);
    content_.signals[name->second].changes.emplace_back(content_.end, value);
  }

  std::istringstream in_;
  VcdContent content_;
  std::vector<std::string> scopes_;
  std::map<std::string, std::string> codes_;
};

}  // namespace

VcdContent read_vcd(const std::string& text) { return Reader(text).read(); }

}  // namespace podsim::base
