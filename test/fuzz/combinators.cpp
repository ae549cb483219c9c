// Schedules made of others by every combinator. A schedule of correct parts must be correct. For any other one check() and verify
// report the error, and the laws of the combinators hold. The first two bytes select a change of the other bytes for a
// second schedule: equal fingerprints mean equal edges.

#include <algorithm>
#include <string>
#include <vector>

#include "collsched/schedule/edge_views.hpp"
#include "collsched/verify.hpp"
#include "made.hpp"

using namespace collsched;

namespace {

std::vector<edge> edges_of(const any_schedule& s) {
    std::vector<edge> all;
    for (const edge& e : edges(s)) all.push_back(e);
    std::sort(all.begin(), all.end(), precedes);
    return all;
}
std::vector<edge> moves(const any_schedule& s) {
    std::vector<edge> all = edges_of(s);
    std::erase_if(all, [](const edge& e) { return e.is_local(); });
    return all;
}

/// For any contract, the views, the stored edges, and both ends of every message agree.
void agree(const any_schedule& s) {
    const stored_schedule stored = materialize(s);
    fuzz::expect(!stored.check(), "edges that cannot be stored");
    const std::vector<edge> all = edges_of(s);
    fuzz::expect(std::equal(all.begin(), all.end(), stored.edges().begin(), stored.edges().end()),
                 "the view has other edges than are stored");
    fuzz::expect(s.fingerprint() == any_schedule(s).fingerprint(), "two fingerprints");
    const verdict::kind found = verify(s).finding;
    fuzz::expect(found != verdict::kind::bad_edge && found != verdict::kind::unmatched, "ends that do not agree");
}

void keep_laws(const any_schedule& s, fuzz::maker& make) {
    const std::vector<edge> all = edges_of(s);
    const contract whole = s.contract();
    const auto same = [&](const auto& other, const char* law) {
        fuzz::expect(!other.check() && edges_of(any_schedule(other)) == all, law);
    };
    same(rename_buffers(s, fuzz::as_it_is, whole), "placed where it is");
    same(segment([&](rank_t) { return s; }, 1, 1), "one piece");
    same(run_in_groups(
             rank_groups::by_runs(s.ranks, [](rank_t) { return 0; }), [&](rank_t) { return s; }, fuzz::as_it_is, whole),
         "one group");
    same(then(s, local_step([](rank_t, auto) {}, whole)), "nothing behind");
    const permutation order = make.any_order(s.ranks);
    if (const auto renamed = relabel(s, order); !renamed.check())
        same(relabel(renamed, order.inverse()), "relabeled and back");
    if (const auto back = reverse(s); !back.check())
        fuzz::expect(moves(any_schedule(reverse(back))) == moves(s), "reversed twice");
}

any_schedule junk(fuzz::source& from, fuzz::maker& make, const contract& whole, int depth) {
    if (depth == 0) return make.listed(make.any_contract(whole.ranks));
    std::vector<location> places;
    for (rank_t r = 0; r < 3 * whole.ranks; ++r)
        places.push_back({static_cast<buffer>(from.below(3)), from.below(4) == 0 ? from.below(200) : 0});
    const auto there = [places](rank_t r, buffer b) {
        return places[static_cast<std::size_t>(3 * r + static_cast<int>(b))];
    };
    const any_schedule part(rename_buffers(junk(from, make, whole, depth - 1), there, whole));
    switch (from.below(8)) {
        case 0: return any_schedule(then(part, junk(from, make, whole, depth - 1)));
        case 1: return any_schedule(reverse(part));
        case 2: return any_schedule(reverse_combining(part, from.flag()));
        case 3: return any_schedule(copy_input_first(part));
        case 4: return any_schedule(relabel(part, make.any_order(whole.ranks)));
        case 5:
            return any_schedule(segment([part](rank_t) { return part; }, from.below(4), from.below(4), from.below(3)));
        case 6: {
            const rank_groups groups = make.any_groups(whole.ranks);
            std::vector<any_schedule> parts;
            for (rank_t g = 0; g < groups.groups(); ++g)
                parts.push_back(make.listed(make.any_contract(from.below(8) == 0 ? 1 : groups.size(g))));
            return any_schedule(
                run_in_groups(groups, [parts](rank_t g) { return parts[static_cast<std::size_t>(g)]; }, there, whole));
        }
        default: return part;
    }
}

void try_right(fuzz::source& from) {
    fuzz::maker make(from);
    const contract whole = make.any_contract();
    const any_schedule s = make.right(whole, static_cast<int>(from.below(4)));
    fuzz::expect(!s.check(), std::string("refused: ") + s.check().text().c_str());
    agree(s);
    const verdict found = verify(s);
    fuzz::expect(found.ok(), std::string("wrong: ") + name_of(found.finding));
    fuzz::expect(verify(copy_input_first(s), binding::in_place).ok(), "wrong in place, with its input put aside");
    keep_laws(s, make);
}

any_schedule any_junk(fuzz::source from) {
    fuzz::maker make(from);
    const contract whole = make.any_contract();
    return junk(from, make, whole, static_cast<int>(from.below(4)));
}

void try_junk(std::span<const std::uint8_t> bytes, std::size_t place, std::uint8_t value) {
    const any_schedule s = any_junk(fuzz::source(bytes));
    if (!s.check()) agree(s);
    if (place >= bytes.size()) return;
    std::vector<std::uint8_t> changed(bytes.begin(), bytes.end());
    changed[place] = value;
    const any_schedule other = any_junk(fuzz::source(changed));
    if (s.check() || other.check() || s.fingerprint() != other.fingerprint()) return;
    fuzz::expect(edges_of(s) == edges_of(other), "one fingerprint, other edges");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    fuzz::source from({data + 3, size - 3});
    fuzz::try_to([&] {
        if (data[0] % 2 == 0) try_right(from);
        else try_junk({data + 3, size - 3}, data[1], data[2]);
    });
    return 0;
}
