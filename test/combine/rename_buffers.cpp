#include "collsched/combine/rename_buffers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <ranges>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "collsched/verify/verify.hpp"
#include "support/answers.hpp"
#include "support/composed.hpp"
#include "support/layouts.hpp"
#include "support/oracle.hpp"
#include "support/registry.hpp"
#include "support/samples.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::all_edges;
using support::moves;
using support::as_it_is;

namespace {

/// Every buffer in output, at offsets that depend on the rank.
struct shifted {
    bytes_t by;
    constexpr location operator()(rank_t r, buffer b) const { return {b, by * (r + 1) + static_cast<int>(b)}; }
};

/// Maps the packed blocks of a collective to the blocks of a layout.
struct spread {
    collective what;
    block_layout blocks;
    rank_t ranks;

    constexpr region operator()(rank_t, buffer b) const {
        const bool sent = what == collective::scatter || what == collective::reduce_scatter;
        if (b == (sent ? buffer::input : buffer::output)) return {{b, 0}, blocks, ranks};
        return {{b, 0}};
    }
};
constexpr bytes_t counts_of_3[] = {2, 0, 3}, displs_of_3[] = {4, 1, 0};
constexpr block_layout gapped_3() { return {counts_of_3, displs_of_3}; }
static_assert(proved<verify(rename_buffers(allgather::ring{.ranks = 3, .block = block_layout(counts_of_3)},
                                           spread{collective::allgather, gapped_3(), 3},
                                           {.collective = collective::allgather, .ranks = 3, .blocks = gapped_3()}))>);

block_layout packed(const block_layout& layout, rank_t ranks) {
    std::vector<bytes_t> counts;
    for (rank_t i = 0; i < ranks; ++i) counts.push_back(layout.count(i));
    return block_layout(counts);
}

/// Steps, senders and receivers of all messages.
auto messages(const auto& x) {
    std::set<std::tuple<step_t, rank_t, rank_t>> all;
    for (const edge& e : moves(x)) all.emplace(e.step, e.src, e.dst);
    return all;
}

/// A region by the places of its bytes, one by one.
std::vector<location> byte_by_byte(const region& there, bytes_t size) {
    std::vector<location> all;
    for (bytes_t i = 0; i < size; ++i) all.push_back(there.at(i).start);
    return all;
}

/// One edge that has one byte.
using moved_byte = std::tuple<step_t, rank_t, rank_t, buffer, bytes_t, buffer, bytes_t, action>;
std::multiset<moved_byte> bytes_of(const auto& x) {
    std::multiset<moved_byte> all;
    for (const edge& e : edges(x))
        for (bytes_t i = 0; i < e.size; ++i)
            all.emplace(e.step, e.src, e.dst, e.from, e.from_offset + i, e.into, e.into_offset + i, e.action);
    return all;
}

}  // namespace

TEST_CASE("rename_buffers: every buffer of every rank counts in the fingerprint, and no rank beyond") {
    const allgather::ring ring{.ranks = 3, .block = 4};
    const contract whole = lower(ring).contract();
    const auto of = [&](rank_t changed, int number) {
        const auto where = [=](rank_t r, buffer b) {
            CHECK(r >= 0);
            CHECK(r < 3);
            return location{b, r == changed && static_cast<int>(b) == number ? 1 : 0};
        };
        return fingerprint(rename_buffers(ring, where, whole));
    };
    std::set<std::uint64_t> all{of(-1, 0)};
    for (rank_t r = 0; r < 3; ++r)
        for (const int b : {0, 1, 2}) CHECK(all.insert(of(r, b)).second);
}

TEST_CASE("rename_buffers: errors of the schedule come first, then the number of ranks, then the contract") {
    const allgather::ring ring{.ranks = 3, .block = 4}, wrong{.ranks = 3, .block = -4};
    contract whole = lower(ring).contract();
    CHECK(!check(rename_buffers(ring, as_it_is, whole)));
    whole.blocks = -2;
    CHECK(check(rename_buffers(ring, as_it_is, whole)) == argument_error{"block", -2, "0 bytes or more"});
    whole.ranks = 4;
    CHECK(check(rename_buffers(ring, as_it_is, whole)) == argument_error{"ranks", 4, "as many ranks as the part has"});
    CHECK(check(rename_buffers(wrong, as_it_is, whole)) == argument_error{"block", -4, "0 bytes or more"});
}

TEST_CASE("rename_buffers: the identity changes nothing") {
    for (const rank_t p : {1, 2, 5, 8})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto same = rename_buffers(s, as_it_is, s.contract());
            CHECK(all_edges(same) == all_edges(s));
            for (rank_t r = 0; r < p; ++r) {
                CHECK(same.scratch(r) == s.scratch(r));
                CHECK(same.staging(r) == s.staging(r));
            }
        }
}

TEST_CASE("rename_buffers: two renamings are one by their composition") {
    for (const auto& [name, s] : support::samples(5)) {
        INFO(name);
        const auto both = [](rank_t r, buffer b) {
            const location inner = shifted{3}(r, b), outer = shifted{100}(r, inner.where);
            return location{outer.where, inner.offset + outer.offset};
        };
        const auto twice = rename_buffers(rename_buffers(s, shifted{3}, s.contract()), shifted{100}, s.contract());
        CHECK(all_edges(twice) == all_edges(rename_buffers(s, both, s.contract())));
        CHECK(fingerprint(rename_buffers(s, shifted{3}, s.contract())) !=
              fingerprint(rename_buffers(s, shifted{4}, s.contract())));
    }
}

TEST_CASE("rename_buffers: the schedule around a part has room for its scratch") {
    const allgather::bruck b{.ranks = 6, .block = 4};
    const contract whole = lower(b).contract();
    const auto behind = [](rank_t r, buffer at) { return location{at, at == buffer::scratch ? 10 * r : 0}; };
    const auto placed = rename_buffers(b, behind, whole);
    for (rank_t r = 0; r < 6; ++r) CHECK(placed.scratch(r) == 10 * r + 24);
    CHECK(support::verified(placed).ok());
}

TEST_CASE("rename_buffers: in place is correct exactly if the schedule is, without copies of bytes to themselves") {
    for (const rank_t p : {1, 2, 3, 6, 9})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto placed = bind_in_place(s);
            for (const binding how : support::bindings(s.contract()))
                if (how == binding::in_place)
                    CHECK(support::verified(placed, how).ok() == support::verified(s, how).ok());
            CHECK(moves(placed).size() == moves(s).size());
            for (const edge& e : edges(placed))
                CHECK(!detail::vanishes(s.contract().alias(e.src, binding::in_place), e));
            CHECK(all_edges(bind_in_place(placed)) == all_edges(placed));
        }
}

TEST_CASE("rename_buffers: views of a schedule with a capturing function are views, and far places saturate") {
    bytes_t far = INT64_MAX;
    far -= 3;
    const auto away = [far](rank_t, buffer b) { return location{b, b == buffer::scratch ? far : 0}; };
    const allgather::bruck bruck{.ranks = 4, .block = 4};
    const auto placed = rename_buffers(bruck, away, lower(bruck).contract());
    static_assert(std::ranges::view<decltype(edges(rename_buffers(bruck, away, lower(bruck).contract())))>);
    CHECK(placed.scratch(0) == INT64_MAX);
    CHECK(support::verified(placed).finding == verdict::kind::outside_buffer);
    auto view = edges(rename_buffers(bruck, as_it_is, lower(bruck).contract()));
    const auto first = view;
    view = first;
    CHECK(std::ranges::distance(view) == static_cast<std::ptrdiff_t>(all_edges(bruck).size()));
}

TEST_CASE("rename_buffers: a region of one piece is the place of its first byte") {
    for (const auto& [name, s] : support::samples(5)) {
        INFO(name);
        const auto as_region = [](rank_t r, buffer b) -> region { return shifted{3}(r, b); };
        const auto by_region = rename_buffers(s, as_region, s.contract());
        const auto by_place = rename_buffers(s, shifted{3}, s.contract());
        CHECK(all_edges(by_region) == all_edges(by_place));
        CHECK(fingerprint(by_region) == fingerprint(by_place));
        for (rank_t r = 0; r < 5; ++r) CHECK(by_region.scratch(r) == by_place.scratch(r));
    }
}

TEST_CASE("rename_buffers: packed blocks placed in a layout with gaps, in another order, keep messages and bytes") {
    std::int64_t cut = 0;
    for (const rank_t p : {1, 2, 5, 8})
        for (const algorithm_entry& entry : compiled::registry()) {
            if (!moves_blocks(entry.info.collective) || !entry.takes(&shape::block) || !support::can_do(entry, p))
                continue;
            for (const auto& [name, layout] : support::layouts(p, 2))
                for (const rank_t root : support::roots(entry, p)) {
                    INFO(name_of(entry.info.collective), "/", entry.info.name, " ", name, " p=", p, " root=", root);
                    const any_schedule s = entry.make({.ranks = p, .root = root, .block = packed(layout, p)});
                    contract whole = s.contract();
                    whole.blocks = layout;
                    const auto placed = rename_buffers(s, spread{whole.collective, layout, p}, whole);
                    CHECK(support::verified(placed) == verdict{});
                    if (p <= 5 && name != "huge") CHECK(support::replays(placed, binding::separate));
                    if (whole.collective != collective::reduce_scatter && support::verified(s, binding::in_place).ok())
                        CHECK(support::verified(placed, binding::in_place) == verdict{});
                    CHECK(messages(placed) == messages(s));
                    CHECK(support::measured(placed).bytes_sent == support::measured(s).bytes_sent);
                    CHECK(support::measured(placed).bytes_received == support::measured(s).bytes_received);
                    CHECK(support::broken_answer(placed) == "");
                    for (rank_t r = 0; r < p; ++r) {
                        CHECK(placed.scratch(r) == s.scratch(r));
                        CHECK(placed.staging(r) == s.staging(r));
                    }
                    cut += support::measured(placed).transfers > support::measured(s).transfers ? 1 : 0;
                }
        }
    CHECK(cut > 100);
}

TEST_CASE("rename_buffers: edges in regions move the bytes of the schedule, but for copies of bytes to themselves") {
    support::random_source random(17);
    std::int64_t vanished = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        const rank_t p = 1 + random.below(4), n = 1 + random.below(6);
        std::vector<bytes_t> counts(static_cast<std::size_t>(n));
        for (bytes_t& count : counts) count = random.below(4);
        const block_layout blocks[] = {support::shuffled(counts, seed, 2), support::shuffled(counts, seed + 1, 2),
                                       packed(block_layout(counts), n)};
        // All in one buffer, so that some ranges overlap.
        const auto where = [&](rank_t r, buffer b) -> region {
            const bool apart = (r + static_cast<int>(seed)) % 3 == 0;
            return {{apart ? b : buffer::output, b == buffer::scratch ? 1 : 0}, blocks[static_cast<int>(b)], n};
        };
        const bytes_t size = block_layout(counts).prefix(n);
        const contract part{.collective = collective::allreduce, .ranks = p, .bytes = size};
        for (const auto& s : {any_schedule(reduce::over_tree<trees::binomial>{.ranks = p, .bytes = size}),
                              any_schedule(allgather::bruck{.ranks = p, .block = size / p}),
                              any_schedule(allgather::ring{.ranks = p, .block = size / p})}) {
            const auto placed = rename_buffers(s, where, part);
            std::multiset<moved_byte> expected;
            for (const edge& e : edges(s)) {
                const auto from = byte_by_byte(where(e.src, e.from), e.from_offset + e.size),
                           into = byte_by_byte(where(e.dst, e.into), e.into_offset + e.size);
                for (bytes_t i = 0; i < e.size; ++i) {
                    const location a = from[static_cast<std::size_t>(e.from_offset + i)],
                                   b = into[static_cast<std::size_t>(e.into_offset + i)];
                    if (e.is_local() && !e.combines() && a == b) ++vanished;
                    else expected.emplace(e.step, e.src, e.dst, a.where, a.offset, b.where, b.offset, e.action);
                }
            }
            CHECK(bytes_of(placed) == expected);
            for (const edge& e : edges(placed)) CHECK(e.size > 0);
            CHECK(support::broken_answer(placed) == "");
        }
    }
    CHECK(vanished > 50);
}

TEST_CASE("rename_buffers: scratch ends at the last used byte of a region") {
    const std::vector<bytes_t> counts{2, 0, 3}, displs{100, 7, 10};
    const auto in_scratch = [&](rank_t r, buffer b) -> region {
        return {{b == buffer::output ? buffer::scratch : b, r}, {counts, displs}, 3};
    };
    const contract whole{.collective = collective::allreduce, .ranks = 4, .bytes = 5};
    for (const bytes_t bytes : {0, 1, 2, 3, 5, 6}) {
        const broadcast::over_tree<trees::chain> b{.ranks = 4, .bytes = bytes};
        const bytes_t reach[] = {0, 101, 102, 102, 102, 102, 103};
        for (rank_t r = 0; r < 4; ++r)
            CHECK(rename_buffers(b, in_scratch, whole).scratch(r) == (bytes > 0 ? reach[bytes] + r : 0));
    }
    for (const buffer moved : {buffer::input, buffer::output, buffer::scratch}) {
        const auto alone = [moved](rank_t r, buffer b) {
            return b == moved ? location{buffer::scratch, 50 + r} : location{buffer::output, 0};
        };
        const allgather::bruck b{.ranks = 4, .block = 3};
        for (rank_t r = 0; r < 4; ++r)
            CHECK(rename_buffers(b, alone, whole).scratch(r) == 50 + r + (moved == buffer::input ? 3 : 12));
    }
}

TEST_CASE("rename_buffers: a copy of bytes to themselves is removed, a combine of bytes with themselves is an error") {
    const contract whole{.collective = collective::broadcast, .bytes = 5};
    const auto there = [](rank_t, buffer) { return location{buffer::output, 0}; };
    const auto spread_there = [](rank_t, buffer) -> region { return {{buffer::output, 0}, gapped_3(), 3}; };
    for (const action what : {action::copy, action::combine_before, action::combine_after}) {
        const auto one = local_step([what](rank_t, auto f) { f(edge{.size = 5, .action = what}); }, whole);
        for (const any_schedule& s : {any_schedule(rename_buffers(one, there, whole)),
                                      any_schedule(rename_buffers(one, spread_there, whole))}) {
            CHECK(all_edges(s).empty() == (what == action::copy));
            CHECK(support::verified(s).finding ==
                  (what == action::copy ? verdict::kind::missing : verdict::kind::local_overlap));
        }
    }
}

TEST_CASE("rename_buffers: signals have no bytes, and are listed once at any place") {
    const auto anywhere = [](rank_t r, buffer) -> region { return {{buffer::output, r}, gapped_3(), 3, r % 3}; };
    for (const rank_t p : {1, 2, 5, 8})
        for (const algorithm_entry& entry : compiled::registry()) {
            if (entry.info.collective != collective::barrier || !support::can_do(entry, p)) continue;
            INFO(entry.info.name);
            const any_schedule s = entry.make({.ranks = p});
            const auto placed = rename_buffers(s, anywhere, s.contract());
            CHECK(moves(placed).size() == moves(s).size());
            CHECK(messages(placed) == messages(s));
            for (const edge& e : edges(placed)) CHECK(e.is_signal());
        }
}

TEST_CASE("rename_buffers: places beyond 2^63 are found, not wrapped") {
    constexpr bytes_t most = std::numeric_limits<bytes_t>::max();
    const std::vector<bytes_t> counts{4, 4, 4}, displs{8, most - 9, 0};
    const allgather::ring ring{.ranks = 3, .block = 4};
    const contract whole = lower(ring).contract();
    for (const bytes_t start : {most, most - 1, most - 4, most - 12, bytes_t{6}}) {
        const auto far = [&](rank_t, buffer b) { return location{b, start}; };
        const auto spread_far = [&](rank_t, buffer b) -> region { return {{b, start}, {counts, displs}, 3}; };
        CHECK(support::verified(rename_buffers(ring, far, whole)).finding == verdict::kind::outside_buffer);
        CHECK(support::verified(rename_buffers(ring, spread_far, whole)).finding == verdict::kind::outside_buffer);
        CHECK(support::verified(rename_buffers(rename_buffers(ring, far, whole), far, whole)).finding ==
              verdict::kind::outside_buffer);
        CHECK(support::verified(rename_buffers(rename_buffers(ring, spread_far, whole), spread_far, whole)).finding ==
              verdict::kind::outside_buffer);
        const auto in_scratch = [&](rank_t, buffer) -> region {
            return {{buffer::scratch, start}, {counts, displs}, 3};
        };
        CHECK(rename_buffers(ring, in_scratch, whole).scratch(0) == most);
    }
}
