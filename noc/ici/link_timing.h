// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/units.h"
#include "noc/ici/ici_parameters.h"

/// Timing of one directed ICI link and the router behind it, at message level:
///
///   start    = max(head at the link, free_at)               first come, first served
///   tail out = max(start + bytes / payload_rate, tail in)   a link cannot send what has not arrived yet
///   free_at  = tail out
///   head and tail at the next node = start and tail out + latency
///
/// Along a route latencies therefore add up and the occupancy is the maximum. This is virtual cut-through: the head
/// moves on while the tail is still being serialised. Buffers are assumed deep enough for the messages that wait; the
/// packet level models credits. The latency is ici.hop_latency, plus ici.cross_pod_latency on a link that joins two
/// pods (both assumed, see the machine file). The payload rate includes the cost of headers, line code and CRC.
/// Serialisation is rounded to the picosecond once per message and link.
namespace podsim::noc::ici {

/// When a message used a link, in simulated time.
struct LinkPassage {
  base::Time start;     ///< its head entered the wire
  base::Time tail_out;  ///< its tail left the near end of the wire, and the link was free
  base::Time head_at_next;
  base::Time tail_at_next;
};

class LinkTiming {
 public:
  /// `speed` is the fraction of the healthy rate.
  LinkTiming(const IciParameters& ici, bool crosses_pod, double speed = 1);

  /// Occupies the link for a message whose head and tail reach it at the given times. Calls come in order of head
  /// arrival.
  LinkPassage pass(base::Time head, base::Time tail, base::Bytes bytes);

  /// Other messages have the link up to a time.
  void occupy(base::Time until) { free_at_ = std::max(free_at_, until); }
  /// Counts what a link has carried that stands for this one. It occupies nothing.
  void count(const LinkTiming& carried);

  base::Time serialisation(base::Bytes bytes) const { return base::to_time(bytes / payload_rate_); }
  base::Time latency() const { return latency_; }
  base::Time free_at() const { return free_at_; }
  base::Time busy() const { return busy_; }  ///< total time the wire was occupied
  base::Bytes bytes() const { return bytes_; }
  std::int64_t messages() const { return messages_; }

 private:
  base::Bandwidth payload_rate_;
  base::Time latency_;
  base::Time free_at_;
  base::Time busy_;
  base::Bytes bytes_;
  std::int64_t messages_ = 0;
};

}  // namespace podsim::noc::ici
