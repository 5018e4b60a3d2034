// SPDX-License-Identifier: Apache-2.0
// Part of hlo/text/attribute_value.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/text/named_sharding.h"
#include "hlo/text/value_list.h"

namespace podsim::hlo::text {
namespace {

constexpr int deepest_sharding = 64;

void read_tiles(Scanner& scanner, hlo::Sharding& sharding) {
  sharding.kind = hlo::Sharding::Kind::tiled;
  scanner.expect('=');
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  sharding.tiles = read_bracketed(scanner, '[', ']');
  const std::int64_t count = device_count(scanner, begin, sharding.tiles);
  if (scanner.peek() == '<') {
    scanner.move_to(begin);
    IotaDevices devices = read_iota_devices(scanner);
    sharding.iota = std::move(devices.iota);
    sharding.permutation = std::move(devices.permutation);
    if (sharding.iota.empty()) sharding.devices = {0};
    return;
  }
  scanner.skip_space();
  const std::size_t list = scanner.offset();
  do {
    sharding.devices.push_back(scanner.integer("a device"));
  } while (scanner.accept(','));
  if (std::int64_t(sharding.devices.size()) != count) {
    scanner.fail_at(taken(scanner, list),
                    fmt::format("{} tiles need {} devices, found {}", count, count, sharding.devices.size()));
  }
  std::vector<std::int64_t> sorted = sharding.devices;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    scanner.fail_at(taken(scanner, list), fmt::format("device {} has two tiles", *twice));
  }
}

void read_subgroups(Scanner& scanner, hlo::Sharding& sharding) {
  scanner.expect('=');
  read_list(scanner, '{', '}', [&] {
    const std::string_view word = scanner.name("a kind of sharding");
    if (word != "replicated" && word != "manual" && word != "unreduced") {
      sharding.kind = hlo::Sharding::Kind::unknown;
    }
    sharding.subgroups.push_back(word == "manual" ? hlo::Sharding::Subgroup::manual
                                                  : hlo::Sharding::Subgroup::replicated);
  });
}

void read_sharding_part(Scanner& scanner, hlo::Sharding& sharding) {
  scanner.skip_space();
  const std::string_view word = scanner.name("a sharding such as replicated, maximal, manual or devices=");
  if (word == "replicated") {
    sharding.kind = hlo::Sharding::Kind::replicated;
  } else if (word == "manual") {
    sharding.kind = hlo::Sharding::Kind::manual;
  } else if (word == "unknown" || word == "unreduced") {
    sharding.kind = hlo::Sharding::Kind::unknown;
  } else if (word == "maximal") {
    sharding.kind = hlo::Sharding::Kind::maximal;
  } else if (word == "device") {
    scanner.expect('=');
    sharding.device = scanner.integer("a device");
  } else if (word == "devices") {
    read_tiles(scanner, sharding);
  } else if (word == "last_tile_dim_replicate") {
    sharding.subgroups = {hlo::Sharding::Subgroup::replicated};
  } else if (word == "last_tile_dims") {
    read_subgroups(scanner, sharding);
  } else if (word == "metadata") {
    scanner.expect('=');
    scanner.balanced("metadata");
  } else if (word == "shard_as" || word == "shard_like") {
    scanner.integer("a group's number");
  } else {
    static const std::array<std::string, 9> words{"replicated", "manual",  "unknown",        "unreduced",
                                                  "maximal",    "devices", "last_tile_dims", "last_tile_dim_replicate",
                                                  "metadata"};
    scanner.fail_at(word, fmt::format("'{}' is no sharding", word), base::did_you_mean(word, words));
  }
}

void read_parts(Scanner& scanner, hlo::Sharding& sharding) {
  const std::size_t begin = scanner.offset();
  while (!scanner.accept('}')) {
    read_sharding_part(scanner, sharding);
    scanner.accept(',');
  }
  if (sharding.subgroups.size() > sharding.tiles.size()) {
    scanner.fail_at(taken(scanner, begin), "names more last dimensions than the tiles have");
  }
  if (sharding.kind != hlo::Sharding::Kind::maximal) sharding.device = 0;
  if (sharding.kind == hlo::Sharding::Kind::tiled) return;
  hlo::Sharding plain;
  plain.kind = sharding.kind;
  plain.device = sharding.device;
  sharding = std::move(plain);
}

hlo::Sharding read_nested_sharding(Scanner& scanner, int depth, bool states_rank) {
  hlo::Sharding sharding;
  if (depth == deepest_sharding) scanner.fail_expected(fmt::format("at most {} nested shardings", deepest_sharding));
  scanner.expect('{', "of a sharding");
  const char next = scanner.peek();
  if (next == '{' || next == '}' || next == '/') {
    sharding.kind = hlo::Sharding::Kind::tuple;
    while (!scanner.accept('}')) {
      sharding.elements.push_back(read_nested_sharding(scanner, depth + 1, states_rank));
      if (!scanner.accept(',') && scanner.peek() != '}') scanner.fail_expected("',' or '}'");
    }
  } else if (mesh_follows(scanner)) {
    return read_named_sharding(scanner, states_rank);
  } else {
    read_parts(scanner, sharding);
  }
  return sharding;
}

}  // namespace

hlo::Sharding read_sharding(Scanner& scanner) { return read_nested_sharding(scanner, 0, false); }

hlo::Sharding read_written_sharding(Scanner& scanner) { return read_nested_sharding(scanner, 0, true); }

}  // namespace podsim::hlo::text
