// Peers that write into the shared segment what no rank writes. Whatever they do, this rank ends with an error or the
// right bytes, and touches no memory but its own messages'. Run it with the address sanitizer too.

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/processes.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "support/processes.hpp"
#include "support/reporting_transport.hpp"
#include "support/wait_or_fail.hpp"

using namespace collsched;
using namespace collsched::detail;
using namespace std::chrono_literals;

namespace {

using rank_transport = support::reporting_transport<process_group::transport>;

constexpr auto patience = 200ms;

/// Bytes with a fence on either side. The program fills the bytes; the fences stay zero.
struct fenced {
    explicit fenced(bytes_t size) : all(static_cast<std::size_t>(size) + 2 * fence) {}
    std::byte* begin() { return all.data() + fence; }
    bool holds() const {
        for (std::size_t i = 0; i < fence; ++i)
            if (all[i] != std::byte{} || all[all.size() - 1 - i] != std::byte{}) return false;
        return true;
    }
    static constexpr std::size_t fence = 512;
    std::vector<std::byte> all;
};

/// Numbers at which arithmetic with lengths, counters and indices goes wrong, and others.
std::uint64_t odd_number(detail::splitmix64& random) {
    static constexpr std::uint64_t at[] = {0,          1,          2,          8,          24,         72,
                                           96,         1024,       4096,       32768,      0x7fffffff, 0x80000000,
                                           1ULL << 32, 1ULL << 62, 1ULL << 63, 3ULL << 62, 0};
    const auto near = static_cast<std::uint64_t>(random.between(-2, 2));
    if (random.between(0, 5) == 0) return random();
    return at[random.between(0, std::ssize(at) - 1)] + near;
}

/// Runs an allgather of two ranks again and again, for so long or until it fails. The error in the result, or "".
std::string gather_for(std::chrono::nanoseconds time, process_group& group, bytes_t block, bool right_bytes) {
    const allgather::ring s{.ranks = 2, .block = block};
    const rank_t rank = group.rank();
    process_group::transport transport(group);
    fenced in(block), out(2 * block);
    const plan mine(s, rank);
    execution run(mine, transport);
    const auto byte_of = [](rank_t r) { return static_cast<std::byte>(r + 5); };
    std::memset(in.begin(), static_cast<int>(byte_of(rank)), static_cast<std::size_t>(block));
    for (const auto start = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - start < time;) {
        std::memset(out.begin(), 0, static_cast<std::size_t>(2 * block));
        run.start({in.begin(), out.begin(), nullptr, nullptr});
        const run_status end = support::wait_or_fail(run, patience);
        if (!in.holds() || !out.holds()) return "bytes beyond the buffers";
        if (!end.done()) return "";
        for (bytes_t i = 0; i < 2 * block; ++i) {
            const rank_t from = i / block;
            if ((from == rank || right_bytes) && out.begin()[i] != byte_of(from)) return "wrong bytes";
        }
    }
    return "";
}

}  // namespace

TEST_CASE("process_transport: records of wrong lengths end only the messages with their writer") {
    constexpr bytes_t block = 1 << 20;
    const message_envelope honest{0, 0, 0, 0, 64, {}};
    const auto records = [&](int mode, ring_writer& ring) {
        for (int i = 0; i < (mode == 3 ? most_small(2) + 8 : 1); ++i) {
            const message_label label{0, mode == 3 ? 100 + i : 0};  // 3: more than have a place
            message_envelope envelope = honest;
            if (mode == 2) envelope.size = -1;
            const bool announces = mode == 1 || mode == 2;
            const std::size_t less = mode < 2 ? 8 : 0;  // 0, 1: a part of the description
            const auto bytes = static_cast<std::uint32_t>((announces ? sizeof envelope : sizeof label) - less);
            const ring_record head{bytes, announces ? message_record::announce : message_record::small,
                                   static_cast<std::uint64_t>(i + 1), 0};
            std::byte* const at = ring.reserve(head);
            if (at == nullptr) return;
            std::memcpy(at, announces ? static_cast<const void*>(&envelope) : &label, bytes);
            const std::uint32_t beyond = 0x7fffffff;
            if (mode == 4) std::memcpy(at - sizeof head, &beyond, sizeof beyond);
            ring.commit();
        }
    };
    for (const int mode : {0, 1, 2, 3, 4}) {
        const process_group::anonymous_segment room;
        support::rank_processes hostile(1, [&](rank_t) -> std::string {
            process_group group;
            if (group.join(room, 2, 1)) return "not joined";
            ring_writer ring = ring_writer(group.segment().memory(1, 0));
            records(mode, ring);
            group.wake(0);
            for (;;) ::pause();
        });
        const auto victim = [&](rank_t) -> std::string {
            process_group group;
            if (group.join(room, 2, 0) || group.wait_for_all(30s)) return "not joined";
            process_group::transport transport(group);
            const allgather::ring s{.ranks = 2, .block = block};
            fenced in(block), out(2 * block);
            const plan mine(s, 0);
            execution run(mine, transport, {.compare = false});
            run_status end;
            for (int i = 0; i < 100 && (i == 0 || end.error == timed_out); ++i) {
                run.start({in.begin(), out.begin(), nullptr, nullptr});
                end = support::wait_or_fail(run, patience);  // the records may come later than that
            }
            if (!in.holds() || !out.holds()) return "bytes beyond the buffers";
            const bool detected = end.error == process_group::error::protocol_violation && end.peer == 1;
            return detected ? "" : "error " + std::to_string(end.error) + " of " + std::to_string(end.peer);
        };
        CHECK(support::run_processes_of(1, victim) == "");
        ::kill(hostile.pid(0), SIGKILL);
    }
}

namespace {

/// Rank 0, which sends and receives. The test writes rank 1's side of the segment: records that are valid most of the
/// time, and invalid at random.
class misled_rank {
  public:
    explicit misled_rank(std::uint64_t seed)
        : random_(seed), how_{.ring_bytes = 4096, .single_copy = random_.between(0, 1) == 1, .single_copy_from = 0} {
        REQUIRE((!zero_.join(room_, 2, 0, how_) && !one_.join(room_, 2, 1, how_)));
        transport_ = std::make_unique<rank_transport>(zero_);
        to_ = ring_writer(zero_.segment().memory(1, 0));
        from_ = ring_reader(zero_.segment().memory(0, 1));
    }

    /// Whether an invalid record was detected.
    bool step() {
        if (random_.between(0, 1) == 1) post();
        listen();
        if (random_.between(0, 1) == 1) write();
        if (random_.between(0, 40) == 0) break_counter();
        one_.wake(0);
        for (completion c = transport_->poll(); c.error != 0 || c.request.owner != nullptr; c = transport_->poll()) {
            REQUIRE(c.request.owner == this);
            posted_message& done = *messages_[static_cast<std::size_t>(c.request.node)];
            REQUIRE(!done.complete);  // none is reported twice
            done.complete = true;
        }
        const message::key probe{1, 99, 0, sequence_++, 0, {this, std::ssize(messages_)}};
        messages_.push_back(std::make_unique<posted_message>(0));
        const int posted = transport_->post_send(probe, {});
        if (posted == 0) return false;
        CHECK(posted == process_group::error::protocol_violation);
        return true;
    }
    /// After an invalid record was detected, or at the end: whether all messages in flight are complete.
    bool all_complete() const {
        for (std::size_t i = 0; i + 1 < messages_.size(); ++i)
            if (!messages_[i]->complete) return false;
        return true;
    }
    void end() {
        transport_->cancel(this);
        transport_.reset();
    }
    bool fences_hold() const {
        for (const auto& one : messages_)
            if (!one->bytes.holds()) return false;
        return true;
    }

  private:
    struct posted_message {
        explicit posted_message(bytes_t size) : bytes(size) {}
        fenced bytes;
        message::receive_part into{};
        message::send_part from{};
        bool complete = false;
    };

    void post() {
        static constexpr bytes_t sizes[] = {0, 1, 64, 300, 440, 441, 1000, 20'000};
        const bytes_t size = sizes[random_.between(0, std::ssize(sizes) - 1)];
        messages_.push_back(std::make_unique<posted_message>(size));
        posted_message& one = *messages_.back();
        one.into = {one.bytes.begin(), size};
        one.from = {one.bytes.begin(), size};
        const message::key key{1, 3, 5, sequence_++, 77, {this, std::ssize(messages_) - 1}};
        const bool sends = random_.between(0, 2) == 0;
        if (!sends) expected_.push_back({3, 5, key.sequence, 77, size, where(one)});
        const bool combines = !sends && random_.between(0, 1) == 1;
        const int error = sends      ? transport_->post_send(key, {&one.from, 1})
                          : combines ? transport_->post_recv_combine(key, combined(one))
                                     : transport_->post_recv(key, {&one.into, 1});
        REQUIRE((error == 0 || error == process_group::error::protocol_violation));
        if (error != 0) one.complete = true;
    }
    /// A combination in place, by a reduction of values of one of several sizes.
    message::combined_part combined(const posted_message& one) {
        const auto exchange_bits = [](void*, std::byte* into, const std::byte* incoming, bytes_t size, action) {
            for (bytes_t i = 0; i < size; ++i) into[i] ^= incoming[i];
        };
        static const reduction all[] = {{.combine = exchange_bits, .element = 0},
                                        {.combine = exchange_bits, .element = 1},
                                        {.combine = exchange_bits, .element = 8},
                                        {.combine = exchange_bits, .element = 24},
                                        {.combine = exchange_bits, .element = 64}};
        return {one.into, one.from, action::combine_after, &all[random_.between(0, 4)]};
    }
    /// Where the bytes of a message are: those of the receive itself serve.
    remote_message where(const posted_message& one) const {
        return {reinterpret_cast<std::uintptr_t>(&one.from), 1, reinterpret_cast<std::uintptr_t>(&guard_), guard_};
    }
    /// Reads what rank 0 has written, and remembers the names of its messages.
    void listen() {
        while (const ring_entry* const record = from_.front()) {
            if (record->kind == message_record::request) requested_.push_back(record->value);
            else if (record->kind != message_record::part) sent_.push_back(record->id);
            from_.pop();
        }
    }
    template <class T>
    T one_of(const std::vector<T>& all) {
        return all.empty() ? T{} : all[static_cast<std::size_t>(random_.between(0, std::ssize(all) - 1))];
    }
    void write() {
        const auto kind = static_cast<std::uint32_t>(random_.between(1, 8));
        ring_record head{0, kind, guard_, 0};
        message_envelope envelope = one_of(expected_);
        envelope.memory.id = guard_;
        if (kind == message_record::request || kind == message_record::reply) head.id = one_of(sent_);
        if (kind == message_record::request) head.value = 42;
        if (kind == message_record::part) head.id = one_of(requested_);
        const bool has_envelope = kind == message_record::announce;
        if (kind == message_record::matched) head.id = one_of(sent_), head.value = odd_number(random_);
        const bool is_small = kind == message_record::small || kind == message_record::awaited;
        if (is_small) head.value = envelope.epoch, head.kind = message_record::kind_with(kind, envelope.fingerprint);
        const bool has_bytes = kind == message_record::part || (is_small && envelope.size < 900);
        bytes_t size = has_envelope ? static_cast<bytes_t>(sizeof envelope)
                       : is_small   ? static_cast<bytes_t>(sizeof(message_label))
                                    : 0;
        if (has_bytes) size += kind == message_record::part ? random_.between(1, 900) : envelope.size;
        head.bytes = static_cast<std::uint32_t>(size);
        ring_record written = head;
        if (random_.between(0, 9) == 0) corrupt(written, envelope);
        std::byte* const at = to_.reserve(head);
        if (at == nullptr) return;
        std::memcpy(at - sizeof written, &written, sizeof written);
        if (has_envelope) std::memcpy(at, &envelope, sizeof envelope);
        const message_label label{envelope.channel, envelope.sequence};
        if (is_small) std::memcpy(at, &label, sizeof label);
        to_.commit();
    }
    /// Changes one word of a record.
    void corrupt(ring_record& head, message_envelope& envelope) {
        constexpr bytes_t heads = sizeof head / 4, words = heads + static_cast<bytes_t>(sizeof envelope / 8);
        const bytes_t word = random_.between(0, words - 1);
        const std::uint64_t number = odd_number(random_);
        if (word < heads) std::memcpy(reinterpret_cast<std::byte*>(&head) + 4 * word, &number, 4);
        else std::memcpy(reinterpret_cast<std::byte*>(&envelope) + 8 * (word - heads), &number, 8);
    }
    void break_counter() {
        const ring_memory mine = zero_.segment().memory(1, 0), others = zero_.segment().memory(0, 1);
        const std::uint64_t number = odd_number(random_);
        const auto place = static_cast<std::uint64_t>(random_.between(0, 10'000)) * 8;
        switch (random_.between(0, 3)) {
            case 0: mine.stamp_at(place).store(number); break;
            case 1: mine.stamp_at(place).store(mine.stamp(place)); break;  // of what is no record
            case 2: others.control->read.store(number); break;
            default: others.control->read.fetch_add(number);
        }
    }

    detail::splitmix64 random_;
    process_group::options how_;
    process_group::anonymous_segment room_;
    process_group zero_, one_;
    std::vector<std::unique_ptr<posted_message>> messages_;
    std::unique_ptr<rank_transport> transport_;
    ring_writer to_;
    ring_reader from_;
    std::uint64_t guard_ = 1234567;
    std::int64_t sequence_ = 0;
    std::vector<message_envelope> expected_;
    std::vector<std::uint64_t> sent_, requested_;
};

}  // namespace

TEST_CASE("records with one wrong word: every message ends once, and memory beyond the messages is spared") {
    int found_out = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        misled_rank rank(seed);
        bool found = false;
        for (int i = 0; i < 200 && !found; ++i) found = rank.step();
        if (found) CHECK(rank.all_complete());
        rank.end();
        REQUIRE(rank.fences_hold());
        found_out += found ? 1 : 0;
    }
    CHECK(found_out > 50);
}

namespace {

/// The words of a segment of three ranks, by what they are.
enum class words { head, wakeups, states, identities, counters, data, all };

/// Overwrites words of this kind for as long as it lives.
std::string overwrite(process_group& group, words which, std::uint64_t seed) {
    detail::splitmix64 random(seed);
    const rank_t p = group.ranks();
    auto* const base = reinterpret_cast<std::byte*>(&group.segment().member(0)) - 128;
    const bytes_t ring = 128 + group.ring_bytes();
    const auto member_word = [&](bytes_t at) { return 128 + 128 * random.between(0, p - 1) + at; };
    const auto in_ring = [&](bytes_t at) { return 128 + 128 * p + ring * random.between(0, p * (p - 1) - 1) + at; };
    for (;;) {
        bytes_t at = 0, size = 8;
        switch (which) {
            case words::head: at = 8 * random.between(0, 4); break;
            case words::wakeups: at = member_word(0), size = 4; break;
            case words::states: at = member_word(64), size = 4; break;
            case words::identities: at = member_word(68 + 4 * random.between(0, 4)), size = 4; break;
            case words::counters: at = in_ring(8 * random.between(0, 1)); break;
            case words::data: at = in_ring(128 + 8 * random.between(0, 60)); break;
            case words::all: at = 8 * random.between(0, process_segment::bytes(p, group.ring_bytes()) / 8 - 1); break;
        }
        const std::uint64_t number = odd_number(random);
        const auto half = static_cast<std::uint32_t>(number);
        if (size == 4) reinterpret_cast<std::atomic<std::uint32_t>*>(base + at)->store(half);
        else if (random.between(0, 1) == 0) reinterpret_cast<std::atomic<std::uint64_t>*>(base + at)->store(number);
        else reinterpret_cast<std::atomic<std::uint64_t>*>(base + at)->fetch_add(number);
        for (int i = 0; i < 500; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);  // let some messages pass
    }
}

}  // namespace

TEST_CASE("a third rank overwrites the segment while two exchange messages: both end, with their memory spared") {
    for (const words which :
         {words::head, words::wakeups, words::states, words::identities, words::counters, words::data, words::all})
        for (const bytes_t block : {16, 100'000}) {
            const process_group::anonymous_segment room;
            const bool once = block > 16 && which <= words::identities;
            const process_group::options how{.ring_bytes = 1024, .single_copy = once, .single_copy_from = 0};
            support::rank_processes hostile(1, [&](rank_t) -> std::string {
                process_group group;
                const auto seed = static_cast<std::uint64_t>(which) * 2 + static_cast<std::uint64_t>(block);
                if (group.join(room, 3, 2, how) || group.wait_for_all(30s)) return "not joined";
                return overwrite(group, which, seed);
            });
            // The sender controls the bytes of a message: they are right only where neither records nor counters
            // change.
            const bool right_bytes = which <= words::identities;
            const auto gather = [&](rank_t r) -> std::string {
                process_group group;
                if (group.join(room, 3, r, how)) return "not joined";
                group.wait_for_all(patience);  // ends somehow
                return gather_for(100ms, group, block, right_bytes);
            };
            CHECK(support::run_processes_of(2, gather) == "");
            ::kill(hostile.pid(0), SIGKILL);
        }
}
