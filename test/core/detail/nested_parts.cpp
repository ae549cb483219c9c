#include "collsched/core/detail/nested_parts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

using part = nested_parts::part;

/// The parts of one level, each once, in rank order.
std::vector<part> parts_of(const nested_parts& mesh, rank_t p, step_t level) {
    std::vector<part> found;
    for (rank_t r = 0; r < p; ++r) {
        const part own = mesh.at(r, level);
        CHECK(own.contains(r));
        if (found.empty() || found.back() != own) found.push_back(own);
    }
    return found;
}

std::vector<rank_t> sizes_of(const nested_parts& mesh, rank_t p, step_t level) {
    std::vector<rank_t> sizes;
    for (const part& one : parts_of(mesh, p, level)) sizes.push_back(one.size);
    return sizes;
}

template <class F>
void for_each_mesh(rank_t most, F f) {
    for (rank_t p = 1; p <= most; ++p)
        for (rank_t group = 1; group <= p + 1; ++group)
            for (const std::int64_t radix : {2, 3, 5, 8, 100}) {
                CAPTURE(p);
                CAPTURE(group);
                CAPTURE(radix);
                f(p, group, radix, nested_parts(p, group, radix));
            }
}

}  // namespace

TEST_CASE("nested_parts: sizes of the parts of some meshes") {
    using sizes = std::vector<rank_t>;
    const nested_parts plane(48, 8, 8), space(48, 4, 4), uneven(23, 4, 8), deep(17, 2, 2);
    CHECK(plane.levels() == 2);
    CHECK(sizes_of(plane, 48, 1) == sizes(6, 8));
    CHECK(space.levels() == 3);
    CHECK(sizes_of(space, 48, 1) == sizes(12, 4));
    CHECK(sizes_of(space, 48, 2) == sizes(3, 16));
    CHECK(sizes_of(uneven, 23, 1) == sizes{5, 5, 5, 4, 4});
    CHECK(deep.levels() == 4);
    CHECK(sizes_of(deep, 17, 3) == sizes{9, 8});
    CHECK(sizes_of(deep, 17, 2) == sizes{5, 4, 4, 4});
    CHECK(sizes_of(deep, 17, 1) == sizes{3, 2, 2, 2, 2, 2, 2, 2});
    CHECK(nested_parts(16, 1, 8).levels() == 3);
    CHECK(nested_parts(15, 1, 8).levels() == 2);
    CHECK(nested_parts(7, 7, 2).levels() == 1);
    CHECK(nested_parts(7, INT64_MAX, 2).levels() == 1);
}

TEST_CASE("nested_parts: parts are nested, not empty, and differ by one rank at most, with `group` ranks or more") {
    for_each_mesh(40, [](rank_t p, rank_t group, std::int64_t, const nested_parts& mesh) {
        CHECK(sizes_of(mesh, p, 0) == std::vector<rank_t>(static_cast<std::size_t>(p), 1));
        CHECK(sizes_of(mesh, p, mesh.levels()) == std::vector<rank_t>{p});
        for (step_t level = 0; level < mesh.levels(); ++level) {
            const std::vector<rank_t> sizes = sizes_of(mesh, p, level);
            const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
            CHECK(*most - *least <= 1);
            if (level > 0) CHECK(*least >= std::min(group, p));
            for (const part& one : parts_of(mesh, p, level)) {
                const part whole = mesh.at(one.first, level + 1);
                CHECK((whole.first <= one.first && one.first + one.size <= whole.first + whole.size));
            }
        }
    });
}

TEST_CASE("nested_parts: in the steps of a level, every rank receives once from each other part of its next level") {
    for_each_mesh(30, [](rank_t p, rank_t, std::int64_t, const nested_parts& mesh) {
        for (step_t level = 0; level < mesh.levels(); ++level)
            for (rank_t r = 0; r < p; ++r) {
                std::set<rank_t> reached{mesh.at(r, level).first};
                for (step_t k = mesh.first_step(level); k < mesh.first_step(level + 1); ++k) {
                    CHECK(mesh.level_of(k) == level);
                    mesh.sources(r, k, [&](rank_t src) {
                        CHECK(mesh.at(src, level + 1) == mesh.at(r, level + 1));
                        CHECK(reached.insert(mesh.at(src, level).first).second);
                    });
                }
                std::set<rank_t> expected;
                const part whole = mesh.at(r, level + 1);
                for (rank_t i = whole.first; i < whole.first + whole.size; ++i)
                    expected.insert(mesh.at(i, level).first);
                CHECK(reached == expected);
            }
    });
}

TEST_CASE("nested_parts: sources and targets are the same messages") {
    for_each_mesh(24, [](rank_t p, rank_t, std::int64_t, const nested_parts& mesh) {
        for (step_t k = 0; k < mesh.first_step(mesh.levels()); ++k) {
            std::set<std::pair<rank_t, rank_t>> sent, received;
            for (rank_t r = 0; r < p; ++r) {
                mesh.targets(r, k, [&](rank_t dst) { CHECK(sent.insert({r, dst}).second); });
                mesh.sources(r, k, [&](rank_t src) { CHECK(received.insert({src, r}).second); });
            }
            CHECK(sent == received);
        }
    });
}

TEST_CASE("nested_parts: each rank is reached once, after the rank that it receives from") {
    for_each_mesh(24, [](rank_t p, rank_t, std::int64_t, const nested_parts& mesh) {
        for (rank_t r = 0; r < p; ++r) {
            std::vector<rank_t> reached;
            mesh.reached(r, 0, [&](rank_t to) { reached.push_back(to); });
            CHECK(reached.front() == r);
            CHECK(std::set<rank_t>(reached.begin(), reached.end()).size() == static_cast<std::size_t>(p));
            CHECK(std::ssize(reached) == p);
        }
        // The ranks reached through a rank follow it.
        std::vector<rank_t> all, through;
        mesh.reached(0, 0, [&](rank_t to) { all.push_back(to); });
        if (mesh.levels() == 1) return;
        mesh.targets(0, mesh.first_step(1) - 1,
                     [&](rank_t to) { mesh.reached(to, 1, [&](rank_t i) { through.push_back(i); }); });
        if (mesh.first_step(1) == 0) return;
        CHECK(std::search(all.begin(), all.end(), through.begin(), through.end()) != all.end());
    });
}

TEST_CASE("nested_parts: 2^61 ranks") {
    constexpr rank_t p = rank_t{1} << 61;
    constexpr nested_parts mesh(p, 8, 8);
    static_assert(mesh.at(p - 1, 1) == part{p - 8, 8});
    static_assert(mesh.levels() == 21 && mesh.first_step(21) == 20 * 7 + 1);
}
