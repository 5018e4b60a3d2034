// SPDX-License-Identifier: Apache-2.0
#include "hw/dram_parameters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include "hw/related_values.h"

namespace podsim::hw {

namespace {

/// Twice what JEDEC allows. Rates of streams are measured over refresh intervals, so that longer ones take forever.
constexpr base::Cycles longest_refresh_interval{65536};
/// Other times take some hundred clocks at most; banks that take longer serve nothing between two refreshes.
constexpr std::int64_t most_clocks = 4096;

constexpr base::Bytes least_burst{4}, most_row{1 << 20}, most_capacity{1LL << 50};

class DramReader {
 public:
  explicit DramReader(const base::Config& config) : config_(config) {}

  std::int64_t power_of_two(const std::string& key, std::int64_t most) const {
    const std::int64_t value = config_.integer(key);
    if (value < 1 || value > most || !std::has_single_bit(std::uint64_t(value))) {
      config_.reject(key, "'" + key + "' must be a power of two up to " + std::to_string(most));
    }
    return value;
  }
  base::Bytes size(const std::string& key, base::Bytes least, base::Bytes most) const {
    const base::Bytes value = config_.bytes(key);
    if (value < least || value > most || !std::has_single_bit(std::uint64_t(value.value()))) {
      config_.reject(key, "'" + key + "' must be a power of two between " + base::to_string(least) + " and " +
                              base::to_string(most));
    }
    return value;
  }
  base::Bytes capacity() const {
    const std::string key = "hbm.capacity_per_core";
    const base::Bytes value = config_.bytes(key);
    if (value < base::Bytes(1) || value > most_capacity) {
      config_.reject(key, "'" + key + "' must be more than nothing and at most " + base::to_string(most_capacity));
    }
    return value;
  }
  std::int64_t between(const std::string& key, std::int64_t least, std::int64_t most) const {
    const std::int64_t value = config_.integer(key);
    if (value < least || value > most) {
      config_.reject(key, "'" + key + "' must be between " + std::to_string(least) + " and " + std::to_string(most));
    }
    return value;
  }
  base::Cycles clocks(const std::string& key, std::int64_t least) const {
    return base::Cycles(between(key, least, most_clocks));
  }
  template <class Choice, std::size_t count>
  Choice choice(const std::string& key, const std::array<std::pair<std::string_view, Choice>, count>& choices) const {
    std::string names;
    for (const auto& [name, value] : choices) {
      if (config_.string(key) == name) return value;
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    config_.reject(key, "'" + key + "' must be one of " + names);
  }

 private:
  const base::Config& config_;
};

DramOrganization read_organization(const DramReader& read) {
  DramOrganization result;
  result.channels = read.power_of_two("hbm.channels", 1024);
  result.pseudo_channels = read.power_of_two("hbm.pseudo_channels", 8);
  result.bank_groups = read.power_of_two("hbm.bank_groups", 16);
  result.banks_per_group = read.power_of_two("hbm.banks_per_group", 64 / result.bank_groups);
  result.burst = read.size("hbm.burst", least_burst, base::Bytes(4096));
  result.burst_clocks = read.clocks("hbm.burst_clocks", 1);
  result.row = read.size("hbm.row", result.burst, most_row);
  const std::int64_t banks = result.channels * result.pseudo_channels * result.banks();
  result.rows = base::divide_round_up(read.capacity().value(), banks * result.row.value());
  return result;
}

/// What the times of one memory say of each other. A bank that breaks these does in the model what none can: with
/// closed pages nothing but rc keeps a row open for ras.
void relate_timing(const base::Config& config) {
  const auto least = [&](const std::string& key, Keys parts, const char* why) {
    for (std::string& part : parts) {
      if (part.find('.') == std::string::npos) part = "hbm_timing." + part;
    }
    require_at_least_sum(config, "hbm_timing." + key, parts, why);
  };
  least("rc", {"ras", "rp"}, "a row stays open for ras, and its bank is precharged in rp, before another opens");
  least("ras", {"rcd_read"}, "a row is sensed in rcd before it is restored and closed");
  least("ras", {"rcd_write"}, "a row is sensed in rcd before it is restored and closed");
  least("cl", {"cwl"}, "data to write do not come later than data that are read");
  least("ccd_s", {"hbm.burst_clocks"}, "bursts would overlap on the data pins");
  least("ccd_l", {"ccd_s"}, "a bank group is no faster than two of them");
  least("rrd_l", {"rrd_s"}, "a bank group is no faster than two of them");
  least("wtr_l", {"wtr_s"}, "a bank group is no faster than two of them");
  least("faw", {"rrd_s"}, "the time of four activates holds that of one");
  least("rfc_all", {"rfc_bank"}, "a refresh of all banks holds that of each");
  if (config.integer("hbm_timing.refi") <= 2 * config.integer("hbm_timing.rfc_all")) {
    reject_together(config, {"hbm_timing.refi", "hbm_timing.rfc_all"},
                    "refresh would take most of the time: 'hbm_timing.refi' must be more than twice "
                    "'hbm_timing.rfc_all'");
  }
}

DramTiming read_timing(const base::Config& config, const DramReader& read) {
  DramTiming t;
  t.cl = read.clocks("hbm_timing.cl", 1);
  t.cwl = read.clocks("hbm_timing.cwl", 1);
  t.rcd_read = read.clocks("hbm_timing.rcd_read", 1);
  t.rcd_write = read.clocks("hbm_timing.rcd_write", 1);
  t.rp = read.clocks("hbm_timing.rp", 1);
  t.ras = read.clocks("hbm_timing.ras", 1);
  t.rc = read.clocks("hbm_timing.rc", 1);
  t.wr = read.clocks("hbm_timing.wr", 0);
  t.rtp = read.clocks("hbm_timing.rtp", 1);
  t.ccd_s = read.clocks("hbm_timing.ccd_s", 1);
  t.ccd_l = read.clocks("hbm_timing.ccd_l", 1);
  t.rrd_s = read.clocks("hbm_timing.rrd_s", 1);
  t.rrd_l = read.clocks("hbm_timing.rrd_l", 1);
  t.faw = read.clocks("hbm_timing.faw", 1);
  t.wtr_s = read.clocks("hbm_timing.wtr_s", 0);
  t.wtr_l = read.clocks("hbm_timing.wtr_l", 0);
  t.read_to_write_gap = read.clocks("hbm_timing.read_to_write_gap", 0);
  t.rfc_all = base::Cycles(read.between("hbm_timing.rfc_all", 1, longest_refresh_interval.value()));
  t.rfc_bank = base::Cycles(read.between("hbm_timing.rfc_bank", 1, longest_refresh_interval.value()));
  t.rrefd = read.clocks("hbm_timing.rrefd", 1);
  t.refi = base::Cycles(config.integer("hbm_timing.refi"));
  if (t.refi < base::Cycles(1) || t.refi > longest_refresh_interval) {
    config.reject("hbm_timing.refi",
                  "'hbm_timing.refi' must be between 1 and " + std::to_string(longest_refresh_interval.value()),
                  "JEDEC lets no bank go without a refresh for more than nine intervals of 3.9 us, some 32000 clocks");
  }
  t.activate_clocks = read.clocks("hbm_timing.activate_clocks", 1);
  relate_timing(config);
  return t;
}

std::optional<AddressField> field_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, AddressField>, 5> fields{
      {{"row", AddressField::row},
       {"bank", AddressField::bank},
       {"bank_group", AddressField::bank_group},
       {"pseudo_channel", AddressField::pseudo_channel},
       {"column", AddressField::column}}};
  const auto* found = std::ranges::find(fields, name, &std::pair<std::string_view, AddressField>::first);
  return found == fields.end() ? std::nullopt : std::optional(found->second);
}

std::vector<AddressField> read_order(const base::Config& config) {
  constexpr const char* key = "hbm.address_order";
  std::vector<AddressField> fields;
  std::string_view rest = config.string(key);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const auto field = field_named(rest.substr(0, end));
    if (!field || std::ranges::count(fields, *field) != 0) break;
    fields.push_back(*field);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!rest.empty() || fields.size() != 5) {
    config.reject(key,
                  "'hbm.address_order' names row, bank, bank_group, pseudo_channel and column, each once, most "
                  "significant first");
  }
  return fields;
}

AddressOrder read_address(const base::Config& config, const DramReader& read, const DramOrganization& organization) {
  AddressOrder order;
  order.interleave = read.size("hbm.interleave", organization.burst, base::Bytes(1 << 20));
  order.fields = read_order(config);
  order.bank_hash = config.boolean("hbm.bank_hash");
  order.channel_hash = config.boolean("hbm.channel_hash");
  return order;
}

ControllerPolicy read_policy(const base::Config& config, const AddressOrder& address,
                             const DramOrganization& organization, const DramReader& read) {
  ControllerPolicy policy;
  policy.read_queue = read.between("hbm.read_queue_bursts", 1, 65536);
  policy.write_queue = read.between("hbm.write_queue_bursts", 1, 65536);
  // A request of one interleave unit must fit into a queue for any order of address fields.
  for (const char* queue : {"hbm.read_queue_bursts", "hbm.write_queue_bursts"}) {
    if (config.integer(queue) < address.interleave / organization.burst) {
      reject_together(config, {queue, "hbm.interleave", "hbm.burst"},
                      std::string("'") + queue + "' must hold the bursts of one 'hbm.interleave'");
    }
  }
  policy.drain_high = read.between("hbm.drain_high_bursts", 1, 65536);
  policy.drain_low = read.between("hbm.drain_low_bursts", 0, 65536);
  require_at_least_sum(config, "hbm.write_queue_bursts", {"hbm.drain_high_bursts"}, "no more writes wait");
  if (policy.drain_low >= policy.drain_high) {
    reject_together(config, {"hbm.drain_low_bursts", "hbm.drain_high_bursts"},
                    "a drain leaves fewer writes than start it: 'hbm.drain_low_bursts' must be less than "
                    "'hbm.drain_high_bursts'");
  }
  policy.starvation_bound = read.between("hbm.starvation_bound_bursts", 1, 1'000'000);
  policy.page =
      read.choice<PagePolicy, 2>("hbm.page_policy", {{{"open", PagePolicy::open}, {"closed", PagePolicy::closed}}});
  policy.refresh = read.choice<RefreshPolicy, 3>(
      "hbm.refresh",
      {{{"none", RefreshPolicy::none}, {"per_bank", RefreshPolicy::per_bank}, {"all_bank", RefreshPolicy::all_bank}}});
  return policy;
}

}  // namespace

base::Bytes DramParameters::capacity() const {
  const DramOrganization& parts = organization;
  return parts.row * (parts.rows * parts.banks() * parts.pseudo_channels * parts.channels);
}

base::Bandwidth DramParameters::pin_rate() const {
  const std::int64_t pins = organization.channels * organization.pseudo_channels;
  return organization.burst / (organization.burst_clocks / clock) * double(pins);
}

DramParameters read_dram_parameters(const base::Config& config) {
  const DramReader read(config);
  DramParameters dram;
  dram.clock = config.frequency("hbm.clock");
  if (!(dram.clock.si() >= 1e6 && dram.clock.si() <= 1e11)) {
    config.reject("hbm.clock", "'hbm.clock' must be between 1 MHz and 100 GHz");
  }
  dram.organization = read_organization(read);
  dram.timing = read_timing(config, read);
  dram.address = read_address(config, read, dram.organization);
  dram.policy = read_policy(config, dram.address, dram.organization, read);
  return dram;
}

}  // namespace podsim::hw
