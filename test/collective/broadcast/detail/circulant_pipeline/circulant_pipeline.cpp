#include "collsched/collective/broadcast/detail/circulant_pipeline.hpp"
#include "support/brief.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <vector>

using namespace collsched;
using broadcast::detail::circulant_pipeline;

namespace {

/// Moves pieces by the reported arrivals. Returns false if a piece arrives twice or its sender lacks it.
bool everybody_gets_all_once(const circulant_pipeline& run) {
    std::vector<std::set<rank_t>> held(static_cast<std::size_t>(run.ranks));
    for (rank_t piece = 0; piece < run.pieces; ++piece) held[0].insert(piece);
    for (step_t i = 0; i < run.steps(); ++i) {
        const auto before = held;
        for (rank_t v = 0; v < run.ranks; ++v) {
            const rank_t piece = run.arriving(v, i);
            if (piece < 0) continue;
            const rank_t from = (v - run.distance(i) + run.ranks) % run.ranks;
            if (!before[static_cast<std::size_t>(from)].contains(piece)) return false;
            if (!held[static_cast<std::size_t>(v)].insert(piece).second) return false;
        }
    }
    for (const auto& pieces : held)
        if (std::ssize(pieces) != run.pieces) return false;
    return true;
}

}  // namespace

TEST_CASE("circulant_pipeline: every rank gets every piece once from its holder, in pieces - 1 + ceil(log2 p) steps") {
    for (rank_t p = 1; p <= support::most(140); ++p)
        for (const rank_t pieces : {1, 2, 3, 5, 8, 13, 20}) {
            CAPTURE(p);
            CAPTURE(pieces);
            const circulant_pipeline run{p, pieces};
            CHECK(run.steps() == (p == 1 ? 0 : pieces - 1 + ceil_log2(p)));
            CHECK(everybody_gets_all_once(run));
        }
}

TEST_CASE(
    "circulant_pipeline: in step i the root sends piece i, then the last one, over distances that grow per phase") {
    for (const rank_t p : {2, 3, 17, 33, 64, 100})
        for (const rank_t pieces : {1, 4, 6, 11}) {
            const circulant_pipeline run{p, pieces};
            for (step_t i = 0; i < run.steps(); ++i) {
                CHECK(run.arriving(run.distance(i), i) == (i < pieces ? i : pieces - 1));
                if (i > 0) CHECK((run.distance(i) > run.distance(i - 1) || run.distance(i) == 1));
            }
            CHECK(run.distance(run.steps() - 1) == (p + 1) / 2);
        }
}

TEST_CASE("circulant_pipeline: arrivals() reports exactly the arrivals of a step") {
    for (rank_t p = 1; p <= support::most(80); ++p)
        for (const rank_t pieces : {1, 2, 3, 4, 7, 12}) {
            const circulant_pipeline run{p, pieces};
            for (step_t i = 0; i < run.steps(); ++i) {
                std::map<rank_t, rank_t> arrived, each;
                run.arrivals(i, [&](rank_t v, rank_t piece) { CHECK(arrived.emplace(v, piece).second); });
                for (rank_t v = 0; v < p; ++v)
                    if (const rank_t piece = run.arriving(v, i); piece >= 0) each[v] = piece;
                CHECK(arrived == each);
            }
        }
}

TEST_CASE("circulant_pipeline: a rank is idle until active, and from then on in fewer than q steps") {
    for (rank_t p = 1; p <= support::most(140); ++p)
        for (const rank_t pieces : {1, 2, 3, 5, 9, 20}) {
            CAPTURE(p);
            CAPTURE(pieces);
            const circulant_pipeline run{p, pieces};
            for (rank_t v = 0; v < p; ++v) {
                step_t idle = 0, early = 0;
                for (step_t i = 0; i < run.steps(); ++i) {
                    const bool busy = run.arriving(v, i) >= 0 || run.arriving((v + run.distance(i)) % p, i) >= 0;
                    const bool active = run.active(v).first <= i && i <= run.active(v).last;
                    idle += active && !busy ? 1 : 0;
                    early += busy && !active ? 1 : 0;
                }
                CHECK(early == 0);
                if (p > 1) CHECK(idle < ceil_log2(p));
            }
        }
}

TEST_CASE("circulant_pipeline: a number of pieces whose steps exceed 64 bits is rejected") {
    CHECK(!circulant_pipeline{17, (rank_t{1} << 61) - 1}.check());
    CHECK(circulant_pipeline{17, rank_t{1} << 61}.check().value == rank_t{1} << 61);
}
