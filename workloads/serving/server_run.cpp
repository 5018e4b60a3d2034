// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/server_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/interrupt.h"
#include "workloads/serving/cache_memory.h"
#include "workloads/serving/event_time.h"
#include "workloads/serving/transfer_ports.h"

namespace podsim::workloads::serving {
namespace {

constexpr int no_replica = -1;
constexpr Nanoseconds latest_time = longest_time * 4;  ///< at which two longest times still fit behind it

enum class Stage : std::uint8_t { queued, reading, decoding, handed_over, sent, done };

/// A request that is in the system.
struct Sequence {
  Stage stage = Stage::queued;
  int replica = no_replica;       ///< that has its cache, or whose queue it waits in
  int target = no_replica;        ///< that decodes, from when it is handed over
  std::int32_t epoch = 0;         ///< of its transfers: that of a request which was routed once more is void
  std::int64_t made = 0;          ///< tokens of its answer
  std::int64_t cached = 0;        ///< tokens in the cache
  std::int64_t wanted = 0;        ///< tokens in the cache when its prompt is read
  std::int64_t pages = 0;         ///< of its own
  std::int64_t target_pages = 0;  ///< at the replica that decodes, from when it is sent
  std::int64_t blocks = 0;        ///< of its prompt, held with others
  Nanoseconds last_token;
};

/// The order of queues and batches: the first is served before.
struct Rank {
  int urgency = 0;  ///< minus the priority
  int request = 0;
  auto operator<=>(const Rank&) const = default;
};

struct PromptPart {
  int request = 0;
  std::int64_t tokens = 0;
};

struct Replica {
  Replica(std::int64_t pages, std::int64_t block_pages) : memory(pages, block_pages) {}

  bool decodes_only = false;
  bool present = true, busy = false;
  std::int32_t epoch = 0;  ///< of its steps
  CacheMemory memory;
  std::vector<Rank> batch;    ///< sequences that are read or decoded, in order
  std::set<int> sent;         ///< whose caches are on their way here
  std::set<int> handed_over;  ///< whose caches wait to be sent from here
  std::set<Rank> queue;
  std::int64_t load = 0;  ///< requests that are routed here and not finished
  Nanoseconds step_begin;
  TimedStep step;                 ///< while it is busy
  Nanoseconds timeout{-1};        ///< the next at which it looks at its queue
  std::vector<int> decoding;      ///< of the step
  std::vector<PromptPart> parts;  ///< of the step
};

struct Event {
  enum class Kind : std::uint8_t { step_end, cache_sent, transfer_end, stop, come_back, timeout };
  Nanoseconds time;
  std::int64_t order = 0;
  Kind kind = Kind::step_end;
  int subject = 0;  ///< a replica or a request
  std::int32_t epoch = 0;
};

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    return std::tie(a.time, a.order) > std::tie(b.time, b.order);
  }
};

class ServerRun {
 public:
  ServerRun(const ServerPlan& plan, const std::vector<Request>& requests, StepTimes times)
      : plan_(plan),
        requests_(requests),
        times_(std::move(times)),
        sequences_(requests.size()),
        ports_(std::size_t(plan.all_replicas())) {
    for (std::int64_t i = 0; i < plan.all_replicas(); ++i) {
      replicas_.emplace_back(plan.cache_pages, plan.block / plan.page);
      replicas_.back().decodes_only = i >= plan.replicas;
    }
    outcome_.served.resize(requests.size());
    outcome_.replicas.resize(replicas_.size());
    for (ReplicaOutcome& of : outcome_.replicas) of.present.set(Nanoseconds(0), 1);
    outcome_.watts.set(Nanoseconds(0), plan.idle_watts * double(replicas_.size()));
    dirty_.resize(replicas_.size());
    for (const Outage& outage : plan.outages) {
      push(outage.begin, Event::Kind::stop, outage.replica);
      push(outage.end, Event::Kind::come_back, outage.replica);
    }
  }

  ServingOutcome run() {
    while (in_system_ > 0 || next_arrival_ < requests_.size()) {
      base::host::end_if_interrupted();
      go_to(next_time());
      while (next_arrival_ < requests_.size() && requests_[next_arrival_].arrival == now_) arrive();
      while (!events_.empty() && events_.top().time == now_) {
        const Event event = events_.top();
        events_.pop();
        handle(event);
      }
      begin_steps();
      begin_transfers();
      sample();
    }
    finish();
    return std::move(outcome_);
  }

 private:
  ServingCounts& counts() { return outcome_.counts; }
  Rank rank_of(int request) const { return {-requests_[std::size_t(request)].priority, request}; }
  const Request& asked(int request) const { return requests_[std::size_t(request)]; }
  Sequence& sequence(int request) { return sequences_[std::size_t(request)]; }
  Served& served(int request) { return outcome_.served[std::size_t(request)]; }
  Replica& replica(int index) { return replicas_[std::size_t(index)]; }
  std::int64_t pages_for(std::int64_t tokens) const { return (tokens + plan_.page - 1) / plan_.page; }
  std::int64_t block_pages() const { return plan_.block / plan_.page; }
  std::span<const std::uint64_t> blocks_of(int request, std::int64_t count) const {
    return std::span(asked(request).blocks).first(std::size_t(count));
  }

  void push(Nanoseconds time, Event::Kind kind, int subject, std::int32_t epoch = 0) {
    events_.push({time, order_++, kind, subject, epoch});
  }

  Nanoseconds next_time() const {
    std::optional<Nanoseconds> next;
    if (next_arrival_ < requests_.size()) next = requests_[next_arrival_].arrival;
    if (!events_.empty()) next = next ? std::min(*next, events_.top().time) : events_.top().time;
    if (!next) throw base::SimulationError(fmt::format("{} requests wait, and nothing serves them", in_system_));
    return *next;
  }

  void go_to(Nanoseconds time) {
    if (time > latest_time) {
      throw base::SimulationError("requests wait for longer than nanoseconds are counted: the rate is too high");
    }
    const std::int64_t passed = (time - now_).value();
    const std::int64_t room = std::numeric_limits<std::int64_t>::max() - outcome_.requests_in_time.value();
    if (in_system_ > 0 && passed > room / in_system_) {
      throw base::SimulationError("requests wait for longer than 64 bits of nanoseconds count: the rate is too high");
    }
    outcome_.requests_in_time += Nanoseconds(passed * in_system_);
    now_ = time;
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case Event::Kind::step_end:
        if (replica(event.subject).epoch == event.epoch) end_step(event.subject);
        break;
      case Event::Kind::cache_sent:
        if (sequence(event.subject).epoch == event.epoch) ports_.end(event.subject, now_);
        break;
      case Event::Kind::transfer_end:
        if (sequence(event.subject).epoch == event.epoch) end_transfer(event.subject);
        break;
      case Event::Kind::stop:
        stop(event.subject);
        break;
      case Event::Kind::come_back:
        come_back(event.subject);
        break;
      case Event::Kind::timeout:
        wake(event.subject);
        break;
    }
  }

  // Routes.

  void arrive() {
    const int request = int(next_arrival_++);
    ++counts().arrived;
    const std::int64_t tokens = asked(request).input + asked(request).output - 1;
    if (plan_.tokens && pages_for(tokens) > plan_.cache_pages) {
      ++counts().refused;
      return;
    }
    ++in_system_;
    route(request);
  }

  /// The first replica and the number of those that read prompts, or that decode.
  std::pair<int, int> pool(bool decodes_only) const {
    return decodes_only ? std::pair(int(plan_.replicas), int(plan_.decode_replicas))
                        : std::pair(0, int(plan_.replicas));
  }

  /// std::nullopt while none of the pool is present.
  std::optional<int> choose(bool decodes_only) {
    const auto [first, count] = pool(decodes_only);
    if (plan_.router == Router::shared) return first;
    std::optional<int> best;
    int& turn = turns_[decodes_only ? 1 : 0];
    for (int i = 0; i < count; ++i) {
      const int index = first + (plan_.router == Router::round_robin ? (turn + i) % count : i);
      if (!replica(index).present) continue;
      if (!best || replica(index).load < replica(*best).load) best = index;
      if (plan_.router == Router::round_robin) break;
    }
    if (best && plan_.router == Router::round_robin) turn = (*best - first + 1) % count;
    return best;
  }

  void route(int request) {
    const std::optional<int> chosen = choose(false);
    Sequence& of = sequence(request);
    of.stage = Stage::queued;
    ++waiting_;
    if (!chosen) {
      unrouted_.insert(rank_of(request));
      of.replica = no_replica;
      return;
    }
    of.replica = *chosen;
    ++replica(*chosen).load;
    enqueue(*chosen, request);
  }

  void enqueue(int queue, int request) {
    replica(queue).queue.insert(rank_of(request));
    wake_queue(queue);
  }

  void wake(int index) { dirty_[std::size_t(index)] = 1; }

  void wake_queue(int queue) {
    if (plan_.router != Router::shared) return wake(queue);
    const auto [first, count] = pool(replica(queue).decodes_only);
    for (int i = first; i < first + count; ++i) wake(i);
  }

  std::set<Rank>& queue_of(int index) {
    if (plan_.router != Router::shared) return replica(index).queue;
    return replica(pool(replica(index).decodes_only).first).queue;
  }

  // Steps.

  void begin_steps() {
    // A step that cannot begin may hand a request back to a replica that was looked at before.
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < replicas_.size(); ++i) {
        if (!std::exchange(dirty_[i], char(0))) continue;
        again = true;
        begin_step(int(i));
      }
    }
  }

  void begin_step(int index) {
    Replica& of = replica(index);
    if (!of.present || of.busy) return;
    of.decoding.clear();
    of.parts.clear();
    if (!plan_.tokens) {
      take_samples(index);
    } else if (of.decodes_only) {
      receive(index);
      choose_decoding(index);
    } else if (plan_.chunk == 0) {
      admit(index, 1, std::numeric_limits<std::int64_t>::max());
      if (of.parts.empty()) choose_decoding(index);
    } else {
      choose_decoding(index);
      read_on(index);
    }
    const StepShape shape = shape_of(of);
    outcome_.replicas[std::size_t(index)].running.set(now_, double(of.batch.size()));
    if (shape == StepShape{}) return;
    of.busy = true;
    of.step_begin = now_;
    ++counts().steps;
    counts().filled += shape.decoding;
    counts().padded += times_.padded(shape).decoding;
    of.step = times_.of(shape);
    push(now_ + of.step.time, Event::Kind::step_end, index, of.epoch);
  }

  /// Counts what a step has taken up to now, at its end or when it is lost.
  void account(int index) {
    const Replica& of = replica(index);
    ReplicaOutcome& result = outcome_.replicas[std::size_t(index)];
    const Nanoseconds ran = now_ - of.step_begin;
    result.busy += ran;
    result.work += of.step.cost * (double(ran.value()) / double(of.step.time.value()));
  }

  StepShape shape_of(const Replica& of) {
    StepShape shape;
    shape.decoding = std::int64_t(of.decoding.size());
    if (!plan_.tokens) return shape;
    std::int64_t sum = 0, longest = 0;
    for (const int request : of.decoding) {
      const std::int64_t cached = sequence(request).cached;
      sum += cached;
      longest = std::max(longest, cached);
    }
    if (shape.decoding > 0) {
      shape.cached = plan_.cached == CachedTokens::mean ? (sum + shape.decoding - 1) / shape.decoding : longest;
      shape.cached += plan_.drafting.tokens;
    }
    std::int64_t before = 0;
    for (const PromptPart& part : of.parts) {
      shape.prefill_tokens += part.tokens;
      before += part.tokens * sequence(part.request).cached;
    }
    if (shape.prefill_tokens > 0) shape.prefill_cached = (before + shape.prefill_tokens - 1) / shape.prefill_tokens;
    return shape;
  }

  /// Samples of the queue, if there is a batch of them or the oldest has waited for long enough.
  void take_samples(int index) {
    Replica& of = replica(index);
    std::set<Rank>& queue = queue_of(index);
    if (queue.empty()) return;
    const bool all = std::int64_t(queue.size()) >= plan_.max_batch;
    if (!all && plan_.batch_timeout > Nanoseconds(0)) {
      const Nanoseconds due = oldest_arrival(queue) + plan_.batch_timeout;
      if (due > now_) return look_again(index, due);
    }
    while (!queue.empty() && std::int64_t(of.decoding.size()) < plan_.max_batch) {
      const int request = queue.begin()->request;
      queue.erase(queue.begin());
      leave_queue(index, request);
      of.batch.push_back(rank_of(request));
      of.decoding.push_back(request);
      sequence(request).stage = Stage::decoding;
    }
  }

  /// The first of each priority is the oldest one of it.
  Nanoseconds oldest_arrival(const std::set<Rank>& queue) const {
    Nanoseconds oldest = now_;
    auto first = queue.begin();
    while (first != queue.end()) {
      oldest = std::min(oldest, asked(first->request).arrival);
      first = queue.lower_bound(Rank{first->urgency + 1, 0});
    }
    return oldest;
  }

  void look_again(int index, Nanoseconds due) {
    Replica& of = replica(index);
    if (of.timeout > now_ && of.timeout <= due) return;  // it looks before that, and again
    of.timeout = due;
    push(due, Event::Kind::timeout, index);
  }

  void leave_queue(int index, int request) {
    --waiting_;
    Sequence& of = sequence(request);
    if (of.replica != index) {  // of a queue that several share
      --replica(of.replica).load;
      ++replica(index).load;
      of.replica = index;
    }
    Served& result = served(request);
    if (result.admitted < Nanoseconds(0)) result.admitted = now_;
  }

  /// Tokens that a step may add to the answer of a request.
  std::int64_t most_tokens(int request) {
    return std::min(plan_.drafting.tokens + 1, asked(request).output - sequence(request).made);
  }

  /// All sequences that decode, each with pages for its next tokens.
  void choose_decoding(int index) {
    Replica& of = replica(index);
    for (std::size_t i = 0; i < of.batch.size(); ++i) {
      const int request = of.batch[i].request;
      Sequence& one = sequence(request);
      if (one.stage != Stage::decoding) continue;
      bool stays = true;
      const std::int64_t pages = pages_for(one.cached + most_tokens(request)) - one.blocks * block_pages();
      while (one.pages < pages && stays) {
        if (of.memory.take(1)) {
          ++one.pages;
        } else {
          stays = of.batch.back().request != request;
          preempt(index, of.batch.back().request);
        }
      }
      if (stays) of.decoding.push_back(request);
    }
  }

  /// Prompts that were begun, then new ones, up to the chunk.
  void read_on(int index) {
    Replica& of = replica(index);
    std::int64_t room = plan_.chunk;
    for (const Rank& rank : of.batch) {
      const Sequence& one = sequence(rank.request);
      if (one.stage != Stage::reading || room == 0) continue;
      const std::int64_t tokens = std::min(room, one.wanted - one.cached);
      of.parts.push_back({rank.request, tokens});
      room -= tokens;
    }
    admit(index, std::numeric_limits<std::int64_t>::max(), room);
  }

  /// Requests of the queue, at most so many, whose prompts have so many tokens together; the rest of the last one is
  /// read later.
  void admit(int index, std::int64_t most, std::int64_t room) {
    Replica& of = replica(index);
    std::set<Rank>& queue = queue_of(index);
    for (std::int64_t i = 0; i < most && room > 0 && !queue.empty(); ++i) {
      if (std::int64_t(of.batch.size()) >= plan_.max_batch) return;
      const Rank rank = *queue.begin();
      if (!find_memory(index, rank.request)) return;
      queue.erase(queue.begin());
      leave_queue(index, rank.request);
      const Sequence& one = sequence(rank.request);
      of.batch.insert(std::ranges::upper_bound(of.batch, rank), rank);
      const std::int64_t tokens = std::min(room, one.wanted - one.cached);
      of.parts.push_back({rank.request, tokens});
      room -= tokens;
    }
  }

  std::int64_t watermark(const Replica& of) const {
    if (of.batch.empty() && of.sent.empty()) return 0;
    return std::int64_t(page_watermark * double(of.memory.pages()));
  }

  /// Gives a request the pages for all tokens that are to be read. False if they are not free.
  bool find_memory(int index, int request) {
    Replica& of = replica(index);
    Sequence& one = sequence(request);
    const std::int64_t wanted = asked(request).input + one.made;
    const std::int64_t most_blocks = (wanted - 1) / plan_.block;  // at least one token is computed
    const auto& blocks = asked(request).blocks;
    const std::int64_t named = std::min(std::int64_t(blocks.size()), asked(request).input / plan_.block);
    const auto candidates = blocks_of(request, std::min(most_blocks, named));
    const std::int64_t known = of.memory.known(candidates);
    of.memory.hold(candidates.first(std::size_t(known)));
    const std::int64_t pages = pages_for(wanted) - known * block_pages();
    if (pages + watermark(of) > of.memory.free()) {
      of.memory.release(candidates.first(std::size_t(known)));
      return false;
    }
    of.memory.take(pages);
    one.stage = Stage::reading;
    one.pages = pages;
    one.blocks = known;
    one.wanted = wanted;
    // A cache that was lost or dropped is not found again.
    const bool dropped = served(request).preempted > 0 || served(request).requeued > 0;
    one.cached = std::max(known * plan_.block, dropped ? 0 : asked(request).seen);
    served(request).reused = one.cached;
    counts().reused += one.cached;
    return true;
  }

  void end_step(int index) {
    Replica& of = replica(index);
    of.busy = false;
    ++of.epoch;
    account(index);
    ++outcome_.replicas[std::size_t(index)].steps;
    for (const PromptPart& part : of.parts) {
      Sequence& one = sequence(part.request);
      one.cached += part.tokens;
      counts().prefilled += part.tokens;
      if (one.cached == one.wanted) end_prompt(index, part.request);
    }
    for (const int request : of.decoding) {
      if (plan_.tokens) make_tokens(request);
      if (sequence(request).made == asked(request).output) retire(index, request);
    }
    if (!plan_.tokens) of.batch.clear();
    wake(index);
  }

  void end_prompt(int index, int request) {
    Replica& of = replica(index);
    Sequence& one = sequence(request);
    one.stage = Stage::decoding;
    const auto& blocks = asked(request).blocks;
    while (one.blocks < std::int64_t(blocks.size()) && (one.blocks + 1) * plan_.block <= asked(request).input &&
           of.memory.keep(blocks[std::size_t(one.blocks)])) {
      ++one.blocks;
      one.pages -= block_pages();
    }
    make_token(request);
    if (one.made == asked(request).output) return retire(index, request);
    if (plan_.decode_replicas > 0) hand_over(index, request);
  }

  /// Those of the draft that are accepted, and one more; they are known together.
  void make_tokens(int request) {
    Sequence& one = sequence(request);
    const std::int64_t tokens = std::min(plan_.drafting.tokens_after(request, one.made), most_tokens(request));
    one.cached += tokens;
    counts().decoded += tokens;
    ++counts().turns;
    for (std::int64_t i = 0; i < tokens; ++i) make_token(request);
  }

  void make_token(int request) {
    Sequence& one = sequence(request);
    ++counts().made;
    if (one.made++ == 0) {
      served(request).first_token = now_;
    } else {
      outcome_.gaps.add(now_ - one.last_token);
    }
    one.last_token = now_;
  }

  void leave_batch(int index, int request) {
    std::vector<Rank>& batch = replica(index).batch;
    batch.erase(std::ranges::lower_bound(batch, rank_of(request)));
  }

  void free_cache(int index, int request) {
    Sequence& one = sequence(request);
    replica(index).memory.give(one.pages);
    replica(index).memory.release(blocks_of(request, one.blocks));
    one.pages = one.blocks = 0;
  }

  void retire(int index, int request) {
    Sequence& one = sequence(request);
    if (plan_.tokens) {
      leave_batch(index, request);
    } else {
      served(request).first_token = now_;
    }
    free_cache(index, request);
    counts().retired += one.cached;
    counts().asked += asked(request).output;
    ++counts().finished;
    --replica(index).load;
    one.stage = Stage::done;
    served(request).finish = now_;
    served(request).replica = index;
    ++outcome_.replicas[std::size_t(index)].finished;
    --in_system_;
  }

  void drop(Sequence& one) {
    counts().dropped += one.cached;
    one.cached = 0;
  }

  void preempt(int index, int request) {
    Sequence& one = sequence(request);
    leave_batch(index, request);
    free_cache(index, request);
    drop(one);
    ++counts().preemptions;
    ++served(request).preempted;
    --replica(index).load;
    if (replica(index).decodes_only) return route(request);
    one.stage = Stage::queued;
    ++replica(index).load;
    ++waiting_;
    queue_of(index).insert(rank_of(request));
    if (plan_.router == Router::shared) wake_queue(index);
  }

  // Caches from replicas that read prompts to those that decode.

  void hand_over(int index, int request) {
    Sequence& one = sequence(request);
    leave_batch(index, request);
    --replica(index).load;
    replica(index).handed_over.insert(request);
    one.stage = Stage::handed_over;
    ++waiting_;
    const std::optional<int> chosen = choose(true);
    one.target = chosen.value_or(no_replica);
    if (!chosen) {
      untargeted_.insert(rank_of(request));
      return;
    }
    ++replica(*chosen).load;
    enqueue(*chosen, request);
  }

  /// Asks for the caches for which there are memory and room.
  void receive(int index) {
    Replica& of = replica(index);
    std::set<Rank>& queue = queue_of(index);
    while (!queue.empty() && std::int64_t(of.batch.size() + of.sent.size()) < plan_.max_batch) {
      const int request = queue.begin()->request;
      Sequence& one = sequence(request);
      const std::int64_t pages = pages_for(one.cached + 1);
      if (pages + watermark(of) > of.memory.free()) return;
      of.memory.take(pages);
      queue.erase(queue.begin());
      --waiting_;
      if (one.target != index) {
        --replica(one.target).load;
        ++of.load;
        one.target = index;
      }
      one.target_pages = pages;
      one.stage = Stage::sent;
      of.sent.insert(request);
      const Nanoseconds time = event_time(plan_.transfer_seconds_per_token * double(one.cached),
                                          "sending a cache takes longer", "a higher rate of transfers");
      ports_.ask({request, one.replica, index, now_, time});
    }
  }

  void begin_transfers() {
    for (const CacheTransfer& of : ports_.begin(now_)) {
      ++counts().transfers;
      outcome_.transfer_wait += now_ - of.asked;
      const std::int32_t epoch = sequence(of.request).epoch;
      push(now_ + of.time, Event::Kind::cache_sent, of.request, epoch);
      push(now_ + of.time + plan_.transfer_latency, Event::Kind::transfer_end, of.request, epoch);
    }
  }

  void end_transfer(int request) {
    Sequence& one = sequence(request);
    const int source = one.replica, target = one.target;
    replica(source).handed_over.erase(request);
    free_cache(source, request);
    wake(source);
    replica(target).sent.erase(request);
    one.replica = target;
    one.pages = std::exchange(one.target_pages, 0);
    one.stage = Stage::decoding;
    ++one.epoch;
    std::vector<Rank>& batch = replica(target).batch;
    batch.insert(std::ranges::upper_bound(batch, rank_of(request)), rank_of(request));
    wake(target);
  }

  // Replicas that stop.

  void stop(int index) {
    Replica& of = replica(index);
    ReplicaOutcome& result = outcome_.replicas[std::size_t(index)];
    of.present = false;
    ++of.epoch;
    if (std::exchange(of.busy, false)) {
      account(index);
      ++counts().lost_steps;
    }
    result.present.set(now_, 0);
    result.away -= now_;
    std::set<int> lost;
    for (const Rank& rank : std::exchange(of.batch, {})) lost.insert(rank.request);
    for (const int request : std::exchange(of.sent, {})) {
      replica(sequence(request).replica).handed_over.erase(request);
      wake(sequence(request).replica);
      free_cache(sequence(request).replica, request);
      lost.insert(request);
    }
    of.load -= std::int64_t(lost.size());
    for (const int request : std::exchange(of.handed_over, {})) {
      leave_target(request);
      lost.insert(request);
    }
    of.memory.clear();
    result.running.set(now_, 0);
    for (const int request : lost) lose(request);
    if (plan_.router != Router::shared) move_queue(index);
  }

  /// A cache that is lost is not sent: takes the request from the replica that was to decode it.
  void leave_target(int request) {
    Sequence& one = sequence(request);
    if (one.stage == Stage::handed_over) --waiting_;
    if (one.target == no_replica) {
      untargeted_.erase(rank_of(request));
      return;
    }
    Replica& target = replica(one.target);
    --target.load;
    if (one.stage == Stage::sent) {
      target.sent.erase(request);
      target.memory.give(one.target_pages);
      wake(one.target);
    } else {
      queue_of(one.target).erase(rank_of(request));
    }
  }

  void lose(int request) {
    ports_.cancel(request, now_);
    Sequence& one = sequence(request);
    one.pages = one.blocks = one.target_pages = 0;
    one.target = no_replica;
    ++one.epoch;
    drop(one);
    ++counts().requeued;
    ++served(request).requeued;
    route(request);
  }

  void move_queue(int index) {
    Replica& of = replica(index);
    const std::set<Rank> moved = std::exchange(of.queue, {});
    for (const Rank& rank : moved) {
      --of.load;
      --waiting_;
      if (!of.decodes_only) {
        route(rank.request);
        continue;
      }
      const std::optional<int> chosen = choose(true);
      Sequence& one = sequence(rank.request);
      one.target = chosen.value_or(no_replica);
      ++waiting_;
      if (chosen) {
        ++replica(*chosen).load;
        enqueue(*chosen, rank.request);
      } else {
        untargeted_.insert(rank);
      }
    }
  }

  void come_back(int index) {
    Replica& of = replica(index);
    of.present = true;
    outcome_.replicas[std::size_t(index)].present.set(now_, 1);
    outcome_.replicas[std::size_t(index)].away += now_;
    std::set<Rank>& homeless = of.decodes_only ? untargeted_ : unrouted_;
    for (const Rank& rank : std::exchange(homeless, {})) {
      Sequence& one = sequence(rank.request);
      (of.decodes_only ? one.target : one.replica) = index;
      ++of.load;
      of.queue.insert(rank);
    }
    wake(index);
  }

  // Records.

  void sample() {
    double used = 0, watts = 0, mxu = 0, hbm = 0;
    std::int64_t running = 0;
    for (const Replica& of : replicas_) {
      used += double(of.memory.used());
      running += std::int64_t(of.batch.size());
      const double step_s = goodput::seconds(of.step.time);
      watts += of.busy ? of.step.cost.joules / step_s : plan_.idle_watts;
      mxu += of.busy ? of.step.cost.mxu_s / step_s : 0;
      hbm += of.busy ? of.step.cost.hbm_s / step_s : 0;
    }
    outcome_.watts.set(now_, watts);
    outcome_.mxu.set(now_, mxu / double(replicas_.size()));
    outcome_.hbm.set(now_, hbm / double(replicas_.size()));
    outcome_.waiting.set(now_, double(waiting_));
    outcome_.running.set(now_, double(running));
    outcome_.pages.set(now_, used / double(plan_.cache_pages * plan_.all_replicas()));
  }

  void finish() {
    outcome_.end = now_;
    for (TimeSeries* series :
         {&outcome_.waiting, &outcome_.running, &outcome_.pages, &outcome_.watts, &outcome_.mxu, &outcome_.hbm}) {
      series->end(now_);
    }
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
      ReplicaOutcome& of = outcome_.replicas[i];
      of.running.end(now_);
      of.present.end(now_);
      of.sending = ports_.sent(i);
      of.receiving = ports_.received(i);
      if (!replicas_[i].present) of.away += now_;
      if (replicas_[i].memory.used() != 0) throw base::SimulationError("pages of the cache are left over");
    }
  }

  const ServerPlan& plan_;
  const std::vector<Request>& requests_;
  StepTimes times_;
  std::vector<Sequence> sequences_;
  std::vector<Replica> replicas_;
  TransferPorts ports_;
  std::vector<char> dirty_;  ///< replicas that may begin a step
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::set<Rank> unrouted_, untargeted_;  ///< requests while no replica is present
  std::array<int, 2> turns_{};
  std::size_t next_arrival_ = 0;
  std::int64_t order_ = 0, in_system_ = 0, waiting_ = 0;
  Nanoseconds now_;
  ServingOutcome outcome_;
};

}  // namespace

ServingOutcome serve(const ServerPlan& plan, const std::vector<Request>& requests, StepCosts costs) {
  return ServerRun(plan, requests, StepTimes(std::move(costs), plan.buckets)).run();
}

ServingOutcome serve_with_drawn_steps(const ServerPlan& plan, const std::vector<Request>& requests, StepCosts costs) {
  return ServerRun(plan, requests, StepTimes(std::move(costs), std::nullopt)).run();
}

}  // namespace podsim::workloads::serving
