// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "noc/topology.h"

/// Faults of a slice. The same list applies at every level of detail.
///
///   dead-link:(0,0)x+          the link that leaves chip (0,0) towards x+ carries nothing; without a sign, both links
///                              that leave it along x
///   slow-link:(1,0)y-:0.5      half the link's rate; at least a thousandth, as for a chip
///   dead-chip:(2,2)            the chip and all its links
///   slow-chip:(2,2):0.8        everything on the chip takes 1 / 0.8 of its time
///   bit-errors:1e-12           probability of a bit error at the end of a link, on every link, or on one link if named
///                              before the value: `:(0,0)x+`. The link sends a packet with an error again
///   stalls:0.2                 probability that a link stalls for a cycle of the routers' clock each time it has sent
///                              a flit; on every link, or on one as above
///   jitter:5us                 delay before each chip begins, uniform from zero to this; at most one second
///
/// A dead link is dead only in the direction that is named. A broken cable is two dead links, one at each end.
namespace podsim::noc {

struct Fault {
  enum class Kind { dead_link, slow_link, dead_chip, slow_chip, bit_errors, stalls, jitter };
  Kind kind = Kind::dead_link;
  std::vector<std::int32_t> chip;  ///< coordinates; empty for every link
  int dimension = 0;               ///< dimension of a link
  int direction = 0;               ///< direction of a link: +1, -1, or 0 for both
  double value = 0;  ///< slow: fraction of the healthy rate; bit_errors, stalls: probability; jitter: seconds
  bool operator==(const Fault&) const = default;
};

/// Parses one fault. InputError without a location if the text is not a fault.
Fault parse_fault(std::string_view text);
std::string to_string(const Fault& fault);

/// The faults of a slice, resolved to the state of every link and chip.
class Faults {
 public:
  /// A healthy slice of any size.
  Faults() = default;
  /// InputError without a location for a fault that names a chip or link that the topology does not have.
  Faults(const Topology& topology, std::span<const Fault> faults);

  bool none() const { return !any_; }
  /// Returns whether any link is dead, by itself or with a chip.
  bool any_dead() const { return any_dead_; }
  bool dead(LinkId link) const { return any_ && links_[link].dead; }
  double link_speed(LinkId link) const { return any_ ? links_[link].speed : 1; }  ///< fraction of the healthy rate
  double bit_error_rate(LinkId link) const { return any_ ? links_[link].bit_error_rate : 0; }
  double stall_rate(LinkId link) const { return any_ ? links_[link].stall_rate : 0; }  ///< probability per cycle
  bool dead_chip(NodeId chip) const { return any_ && chips_[chip].dead; }
  double chip_speed(NodeId chip) const { return any_ ? chips_[chip].speed : 1; }  ///< fraction of the healthy rate
  base::Time jitter() const { return jitter_; }

 private:
  struct LinkState {
    bool dead = false;
    double speed = 1;
    double bit_error_rate = 0;
    double stall_rate = 0;
  };
  struct ChipState {
    bool dead = false;
    double speed = 1;
  };
  void apply(const Topology& topology, const Fault& fault);
  void kill_chip(const Topology& topology, NodeId chip);
  /// Links that a fault names.
  static std::vector<LinkId> links_of(const Topology& topology, const Fault& fault);
  static NodeId chip_of(const Topology& topology, const Fault& fault);

  bool any_ = false, any_dead_ = false;
  std::vector<LinkState> links_;
  std::vector<ChipState> chips_;
  base::Time jitter_;
};

}  // namespace podsim::noc
