// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/value_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::hlo::text {

std::string_view taken(const Scanner& scanner, std::size_t begin) {
  return scanner.text().substr(begin, scanner.offset() - begin);
}

void read_list(Scanner& scanner, char open, char close, const std::function<void()>& read) {
  scanner.expect(open);
  if (scanner.accept(close)) return;
  do {
    read();
  } while (scanner.accept(','));
  if (!scanner.accept(close)) scanner.fail_expected(fmt::format("',' or '{}'", close));
}

Integers read_bracketed(Scanner& scanner, char open, char close) {
  Integers values;
  read_list(scanner, open, close, [&] { values.push_back(scanner.integer("a number")); });
  return values;
}

void read_by_x(Scanner& scanner, const std::function<void()>& read) {
  do {
    read();
  } while (scanner.offset() < scanner.text().size() && scanner.text()[scanner.offset()] == 'x' && scanner.accept('x'));
}

std::int64_t read_positive(Scanner& scanner, std::string_view what) {
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  const std::int64_t value = scanner.integer(what);
  if (value < 1) scanner.fail_at(taken(scanner, begin), fmt::format("{} is at least 1", what));
  return value;
}

std::vector<int> read_permutation(Scanner& scanner, std::size_t rank) {
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  const Integers permutation = read_bracketed(scanner, '(', ')');
  Integers sorted = permutation;
  std::ranges::sort(sorted);
  bool permutes = sorted.size() == rank;
  for (std::size_t i = 0; permutes && i < sorted.size(); ++i) permutes = sorted[i] == std::int64_t(i);
  if (!permutes) {
    scanner.fail_at(taken(scanner, begin), fmt::format("T names each of the {} dimensions before it once", rank));
  }
  return {permutation.begin(), permutation.end()};
}

std::int64_t device_count(const Scanner& scanner, std::size_t begin, const Integers& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (size < 1) scanner.fail_at(taken(scanner, begin), "a number of devices is at least 1");
    if (count > max_devices / size) scanner.fail_at(taken(scanner, begin), "more than 2^20 devices");
    count *= size;
  }
  return count;
}

}  // namespace podsim::hlo::text
