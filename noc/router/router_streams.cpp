// SPDX-License-Identifier: Apache-2.0
// Part of noc/router/router_network.h.
#include <algorithm>
#include <bit>
#include <cassert>

#include "noc/router/router_network.h"

/// Streams of flits: where they begin, what breaks them up, and the events that remain of their flits.
namespace podsim::noc::router {

void RouterNetwork::plan(Cycle due, StreamPart part, StreamId id) {
  streams_.use(id);
  stream_events_.push(due, {part, id});
}

// An event may plan another for this cycle.
void RouterNetwork::perform_stream_events() {
  while (!stream_events_.due(now_).empty()) {
    current_events_ = stream_events_.due(now_);
    stream_events_.clear(now_);
    prefetch_current();
    for (const StreamEvent& event : current_events_) perform(event);
  }
}

// Packets in flight by the ten thousand do not fit into the host's caches. Asks for what this cycle's events need:
// their streams, what these refer to, and so on, so that the host fetches for all events at once.
void RouterNetwork::prefetch_current() const {
  const auto for_streams = [&](auto&& fetch) {
    for (const StreamEvent& event : current_events_) {
      if (event.part <= StreamPart::ejected) fetch(event.part, streams_[event.id]);
    }
  };
  const auto channel_of = [](StreamPart part, const FlitStream& stream) {
    return part == StreamPart::arrives ? stream.target : stream.channel;
  };
  for_streams([](StreamPart, const FlitStream& stream) { __builtin_prefetch(&stream); });
  for_streams([&](StreamPart part, const FlitStream& stream) {
    if (part != StreamPart::crossed) __builtin_prefetch(&packets_[stream.packet & ~head_bit]);
    if (part == StreamPart::ejected) return;
    __builtin_prefetch(&inputs_[channel_of(part, stream)]);
  });
  for_streams([&](StreamPart part, const FlitStream& stream) {
    if (part == StreamPart::ejected) return;
    const std::uint32_t channel = channel_of(part, stream);
    rings_.prefetch_front(inputs_[channel].ring);
    const InputVc& input = inputs_[channel];
    if (part == StreamPart::arrives) {
      __builtin_prefetch(&returning_[entry_of(input).upstream + input.vc]);
    } else if (input.arriving) {
      __builtin_prefetch(&streams_[inputs_[channel].streams.arriving]);
    }
  });
}

void RouterNetwork::perform(const StreamEvent& event) {
  switch (event.part) {
    case StreamPart::check:
      return consider(event.id);
    case StreamPart::source:
      if (sources_[event.id].first != no_packet) wake_source(event.id);
      return;
    case StreamPart::crossed:
      stream_crossed(event.id);
      break;
    case StreamPart::arrives:
      stream_arrives(event.id);
      break;
    case StreamPart::ejected:
      stream_ejected(event.id);
      break;
  }
  streams_.drop(event.id);
}

// Sends the flits of a packet that won the switch as a stream, if there are enough. The packet asks for its input and
// output alone.
bool RouterNetwork::begin_stream(std::uint32_t channel) {
  InputVc& input = inputs_[channel];
  const BufferedPacket& front = rings_.front(inputs_[channel].ring);
  OutputPort& port = port_of(input);
  if (front.left < min_stream_flits || !parameters_.streams || observer_ != nullptr || !port.even) return false;
  settle_arrivals(channel);
  const std::uint32_t output = output_of(input);
  std::int32_t flits = front.present;
  if (input.arriving && rings_.count(inputs_[channel].ring) == 1) {
    const FlitStream& arriving = streams_[inputs_[channel].streams.arriving];
    flits += arriving.count - arriving.arrived;
  }
  flits = std::min({flits, std::int32_t(front.left), max_stream_flits});
  flits = std::min(flits, credits_up_to(output, flits));
  if (flits < min_stream_flits) return false;
  InputPort& from = entry_of(input);
  const std::uint32_t target = port.target + input.output_vc;
  const StreamId id = streams_.make({.begin = now_,
                                     .arrives = now_ + port.flight,
                                     .count = flits,
                                     .channel = channel,
                                     .target = target,
                                     .packet = front.packet | (input.head ? head_bit : 0),
                                     .crossing = true,
                                     .ejecting = target >= channels_});
  plan(now_ + flits, StreamPart::crossed, id);
  return_credits(from.upstream + input.vc, now_ + from.credit_flight, flits);
  const Cycle arrives = now_ + port.flight;
  if (target >= channels_) {
    plan(arrives + flits - 1, StreamPart::ejected, id);
    return_credits(target - channels_, arrives + parameters_.local_latency + 1, flits);
  } else {
    plan(arrives, StreamPart::arrives, id);
  }
  input.leaving = true;
  inputs_[channel].streams.leaving = id;
  input.head = false;
  clear(ready_, input);
  port.streaming = from.streaming = channel;
  port.flits += flits;
  if (port.period != 0) flit_hops_ += flits;
  outputs_[output].credits -= flits;
  last_progress_ = std::max(last_progress_, arrives + flits - 1);
  return true;
}

bool RouterNetwork::begin_source_stream(std::uint32_t source, Source& state, const FlitEvent& flit) {
  if (state.left < min_stream_flits || !parameters_.streams || observer_ != nullptr) return false;
  std::int32_t& credits = outputs_[channels_ + source * std::uint32_t(vcs_) + std::uint32_t(state.vc)].credits;
  const std::int32_t flits = std::min({state.left, credits, max_stream_flits});
  if (flits < min_stream_flits) return false;
  const Cycle arrives = now_ + 1 + parameters_.local_latency;
  const StreamId id = streams_.make({.begin = now_,
                                     .arrives = arrives,
                                     .count = flits,
                                     .channel = nobody,
                                     .target = flit.target,
                                     .packet = flit.packet});
  plan(arrives, StreamPart::arrives, id);
  credits -= flits;
  flits_sent_ += flits;
  state.left -= flits;
  state.stream_end = now_ + flits - 1;
  stream_events_.push(state.stream_end, {StreamPart::source, source});
  last_progress_ = std::max(last_progress_, arrives + flits - 1);
  return true;
}

// Breaks up the streams whose input or output a ready packet asks for. They ask again in this cycle.
void RouterNetwork::break_streams(NodeId node, std::uint64_t* ready) {
  const std::uint32_t first = first_channel(node);
  bool broken = false;
  for (int word = 0; word < words_; ++word) {
    for (std::uint64_t bits = ready[word]; bits != 0; bits &= bits - 1) {
      const InputVc& input = inputs_[first + std::uint32_t(word * 64 + std::countr_zero(bits))];
      const std::uint32_t at_input = entry_of(input).streaming, at_output = port_of(input).streaming;
      if ((at_input & at_output) == nobody || input.ready_at > now_ || waits_for_stream(input)) continue;
      if (at_input != nobody) break_stream(at_input);
      if (at_output != nobody && at_output != at_input) break_stream(at_output);
      broken = true;
    }
  }
  if (!broken) return;
  for (int word = 0; word < words_; ++word) ready[word] = ready_[std::size_t(node) * words_ + word];
}

void RouterNetwork::break_stream(std::uint32_t channel) {
  count_leaving(channel);
  const StreamId id = inputs_[channel].streams.leaving;
  cut(id, streams_[id].left);
  stop_leaving(channel);
  consider(channel);
}

// Ends a stream after `count` flits, of which those that have crossed are some.
void RouterNetwork::cut(StreamId id, std::int32_t count) {
  FlitStream& stream = streams_[id];
  const InputVc& input = inputs_[stream.channel];
  OutputPort& port = port_of(input);
  const std::int32_t fewer = stream.count - count;
  stream.count = count;
  port.flits -= fewer;
  if (port.period != 0) flit_hops_ -= fewer;
  outputs_[output_of(input)].credits += fewer;
  returning_[entry_of(input).upstream + input.vc].streams.shorten(fewer);
  if (stream.target >= channels_) {
    returning_[stream.target - channels_].streams.shorten(fewer);
    plan(stream.arrives + count - 1, StreamPart::ejected, id);
  } else if (inputs_[stream.target].arriving && inputs_[stream.target].streams.arriving == id) {
    follow_cut(stream.target);
  }
}

// Breaks up the stream that leaves a buffer if flits that it counted on do not arrive.
void RouterNetwork::follow_cut(std::uint32_t channel) {
  settle_arrivals(channel);
  if (!inputs_[channel].leaving || rings_.count(inputs_[channel].ring) != 1) return;
  const StreamId id = inputs_[channel].streams.leaving;
  count_leaving(channel);
  std::int32_t flits = streams_[id].left + rings_.front(inputs_[channel].ring).present;
  if (inputs_[channel].arriving) {
    const FlitStream& arriving = streams_[inputs_[channel].streams.arriving];
    flits += arriving.count - arriving.arrived;
  }
  if (flits >= streams_[id].count) return;
  assert(streams_[id].begin + flits > now_);
  cut(id, flits);
  plan(streams_[id].begin + flits, StreamPart::crossed, id);
}

void RouterNetwork::stop_leaving(std::uint32_t channel) {
  InputVc& input = inputs_[channel];
  streams_[inputs_[channel].streams.leaving].crossing = false;
  input.leaving = false;
  port_of(input).streaming = entry_of(input).streaming = nobody;
  const std::span ready(&ready_[std::size_t(input.node) * words_], std::size_t(words_));
  if (std::ranges::any_of(ready, [](std::uint64_t bits) { return bits != 0; })) wake(input.node);
}

// The last flit of a stream has crossed in the cycle before this one.
void RouterNetwork::stream_crossed(StreamId id) {
  const FlitStream& stream = streams_[id];
  if (!stream.crossing) return;  // it was broken up and ended earlier
  const std::uint32_t channel = stream.channel;
  count_leaving(channel);
  stop_leaving(channel);
  if (rings_.front(inputs_[channel].ring).left == 0) return release(channel, now_);
  consider(channel);
}

void RouterNetwork::stream_arrives(StreamId id) {
  const FlitStream& stream = streams_[id];
  const std::uint32_t target = stream.target;
  settle_arrivals(target);
  InputVc& input = inputs_[target];
  assert(!input.arriving);
  if ((stream.packet & head_bit) != 0) {
    const PacketId packet = stream.packet & ~head_bit;
    rings_.push(inputs_[target].ring, {packet, 0, std::uint16_t(packets_[packet].flits)});
  }
  input.arriving = true;
  inputs_[target].streams.arriving = id;
  streams_.use(id);
  settle_arrivals(target);
  if (input.state == State::idle) return start_route(target, now_);
  consider(target);
}

// The last flit of a stream has reached the node.
void RouterNetwork::stream_ejected(StreamId id) {
  FlitStream& stream = streams_[id];
  if (!stream.ejecting) return;  // it was broken up and ended earlier
  stream.ejecting = false;
  flits_received_ += stream.count;
  const PacketId packet = stream.packet & ~head_bit;
  packets_[packet].ejected += stream.count;
  if (packets_[packet].ejected == packets_[packet].flits) add_delivered(stream.target - channels_, packet);
}

// Returns the credits of a stream to an output or source virtual channel, one in each cycle from `begin` on.
void RouterNetwork::return_credits(std::uint32_t target, Cycle begin, std::int32_t count) {
  Returning& returning = returning_[target];
  if (returning.streams.full()) outputs_[target].credits += returning.streams.take(now_);
  returning.streams.add(begin, count);
  if (!returning.waited_for) return;
  returning.waited_for = false;
  credits_came(target);
}

// Counts the flits of a stream that have arrived up to this cycle.
void RouterNetwork::count_arrivals(std::uint32_t channel) {
  InputVc& input = inputs_[channel];
  FlitStream& stream = streams_[inputs_[channel].streams.arriving];
  const std::int32_t arrived = stream.passed(stream.arrives, now_ + 1);
  rings_.back(inputs_[channel].ring).present =
      std::uint16_t(rings_.back(inputs_[channel].ring).present + arrived - stream.arrived);
  stream.arrived = arrived;
  if (arrived < stream.count) return;
  streams_.drop(inputs_[channel].streams.arriving);
  input.arriving = false;
}

// Counts the flits of a stream that have left up to the cycle before this one.
void RouterNetwork::count_leaving(std::uint32_t channel) {
  settle_arrivals(channel);
  FlitStream& stream = streams_[inputs_[channel].streams.leaving];
  BufferedPacket& front = rings_.front(inputs_[channel].ring);
  const std::int32_t crossed = stream.passed(stream.begin, now_);
  front.present = std::uint16_t(front.present - (crossed - stream.left));
  front.left = std::uint16_t(front.left - (crossed - stream.left));
  stream.left = crossed;
}

// Looks at a packet again when streams will have brought its flit and the room for it, unless other events do.
void RouterNetwork::plan_check(std::uint32_t channel) {
  const InputVc& input = inputs_[channel];
  Cycle due = now_ + 1;
  settle_arrivals(channel);
  if (rings_.front(inputs_[channel].ring).present == 0 && !input.arriving) return;
  const std::int32_t needed = credits_to_send(channel);
  const std::uint32_t output = output_of(input);
  if (const std::int32_t missing = needed - credits_up_to(output, needed); missing > 0) {
    returning_[output].waited_for = true;
    due = returning_[output].streams.when(missing);
    if (due < 0) return;
  }
  stream_events_.push(due, {StreamPart::check, channel});
}

void RouterNetwork::plan_source_check(std::uint32_t source, const Source& state) {
  Cycle due = -1;
  for (int vc = 0; vc < vcs_; ++vc) {
    if (state.left > 0 && vc != state.vc) continue;
    const std::uint32_t output = channels_ + source * std::uint32_t(vcs_) + std::uint32_t(vc);
    returning_[output].waited_for = true;
    const Cycle enough = returning_[output].streams.when(room_for(state) - outputs_[output].credits);
    if (enough >= 0 && (due < 0 || enough < due)) due = enough;
  }
  if (due >= 0) stream_events_.push(due, {StreamPart::source, source});
}

// Flits that the counts of an output have and that a stream has not sent yet.
std::int32_t RouterNetwork::uncrossed(const OutputPort& port) const {
  if (port.streaming == nobody) return 0;
  const FlitStream& stream = streams_[inputs_[port.streaming].streams.leaving];
  return stream.count - stream.passed(stream.begin, now_);
}

std::int64_t RouterNetwork::link_flits(LinkId link) const {
  const OutputPort& port = output_ports_[port_index(link)];
  return port.flits - uncrossed(port);
}

std::int64_t RouterNetwork::flit_hops() const {
  std::int64_t hops = flit_hops_;
  for (const OutputPort& port : output_ports_) {
    if (port.period != 0) hops -= uncrossed(port);
  }
  return hops;
}

std::int64_t RouterNetwork::flits_sent() const {
  std::int64_t flits = flits_sent_;
  for (const Source& source : sources_) flits -= std::max<Cycle>(0, source.stream_end - now_ + 1);
  return flits;
}

std::int64_t RouterNetwork::flits_received() const {
  std::int64_t flits = flits_received_;
  streams_.for_each([&](const FlitStream& stream) {
    if (stream.ejecting) flits += stream.passed(stream.arrives, now_);
  });
  return flits;
}

}  // namespace podsim::noc::router
