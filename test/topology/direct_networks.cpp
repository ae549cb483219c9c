#include "collsched/topology/direct_networks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/graphs.hpp"

using namespace collsched;
using topology::cable;
using topology::network;
namespace networks = topology::networks;

namespace {

using list = std::vector<rank_t>;
constexpr cable slow{10, 3}, fast{70, 1};

std::size_t links(const network& net) { return net.links().size(); }
bool all(const std::vector<int>& degrees, int expected) {
    return std::count(degrees.begin(), degrees.end(), expected) == std::ssize(degrees);
}

}  // namespace

TEST_CASE("direct_networks: a mesh joins neighbors, the last coordinate fastest") {
    const std::vector<cable> cables{slow, fast};
    const network net = networks::mesh(list{2, 3}, cables);
    CHECK(net.ranks() == 6);
    CHECK(net.switches() == 0);
    CHECK(links(net) == 2 * (4 + 3));
    const std::vector<network::link> all_links = support::sorted_links(net);
    CHECK(std::vector(all_links.begin(), all_links.begin() + 5) ==
          std::vector<network::link>{{0, 1, 70, 1}, {0, 3, 10, 3}, {1, 0, 70, 1}, {1, 2, 70, 1}, {1, 4, 10, 3}});
    CHECK(support::is_bidirectional(net));
    CHECK(networks::mesh(list{2, 3}, std::vector<cable>{slow, slow}) == networks::mesh(list{2, 3}, slow));
}

TEST_CASE("direct_networks: a mesh of sizes n has sum(p - p / n) cables and diameter sum(n - 1)") {
    for (const list& sizes : {list{}, list{1}, list{4}, list{2, 2}, list{3, 1, 4}, list{2, 3, 4}}) {
        rank_t p = 1, cables = 0, far = 0;
        for (const rank_t n : sizes) p *= n;
        for (const rank_t n : sizes) {
            cables += p - p / n;
            far += n - 1;
        }
        const network net = networks::mesh(sizes, slow);
        CHECK_FALSE(net.check());
        CHECK(net.ranks() == p);
        CHECK(static_cast<rank_t>(links(net)) == 2 * cables);
        CHECK(support::diameter(net) == far);
    }
}

TEST_CASE("direct_networks: a torus has a cable more per row, from three ranks on") {
    for (const list& sizes : {list{1}, list{2}, list{5}, list{2, 3}, list{4, 4}, list{3, 4, 5}, list{2, 2, 2}}) {
        rank_t far = 0;
        int degree = 0;
        for (const rank_t n : sizes) {
            far += n / 2;
            degree += n == 1 ? 0 : n == 2 ? 1 : 2;
        }
        const network net = networks::torus(sizes, fast);
        CHECK(support::diameter(net) == far);
        CHECK(all(support::out_degrees(net), degree));
        CHECK(support::is_bidirectional(net));
    }
    const std::vector<cable> cables{slow, fast};
    const network net = networks::torus(list{3, 2}, cables);
    CHECK(support::sorted_links(net)[0] == network::link{0, 1, 70, 1});
    CHECK(support::sorted_links(net)[2] == network::link{0, 4, 10, 3});
    CHECK(networks::ring(5, fast) == networks::torus(list{5}, fast));
    CHECK(links(networks::ring(1, fast)) == 0);
    CHECK(links(networks::ring(2, fast)) == 2);
}

TEST_CASE("direct_networks: a hypercube has the links of a torus of pairs") {
    for (rank_t d = 0; d <= 5; ++d) {
        const network net = networks::hypercube(d, slow);
        CHECK(net.ranks() == rank_t{1} << d);
        CHECK(support::sorted_links(net) ==
              support::sorted_links(networks::torus(list(static_cast<std::size_t>(d), 2), slow)));
    }
}

TEST_CASE("direct_networks: fully connected ranks are one link apart") {
    const network net = networks::fully_connected(6, slow);
    CHECK(links(net) == 30);
    CHECK(support::diameter(net) == 1);
    CHECK(support::is_bidirectional(net));
    CHECK(links(networks::fully_connected(1, slow)) == 0);
}

TEST_CASE("direct_networks: a generalized Kautz graph has a diameter of at most ceil(log_d n)") {
    for (rank_t d = 2; d <= 4; ++d) {
        for (rank_t n = d + 1; n <= 40; ++n) {
            const network net = networks::generalized_kautz(n, d, slow);
            int levels = 0;
            for (rank_t reached = 1; reached < n; reached *= d) ++levels;
            CHECK(support::diameter(net) <= levels);
            CHECK(support::out_degrees(net) == support::in_degrees(net));
            const std::vector<int> degrees = support::out_degrees(net);
            CHECK(*std::max_element(degrees.begin(), degrees.end()) == d);
        }
    }
    const network kautz = networks::generalized_kautz(12, 2, fast);  // the Kautz graph K(2, 3), without self links
    CHECK(all(support::out_degrees(kautz), 2));
    CHECK(support::diameter(kautz) == 3);
    CHECK(support::sorted_links(kautz)[0] == network::link{0, 10, 70, 1});
    CHECK(support::sorted_links(kautz)[1] == network::link{0, 11, 70, 1});
    CHECK(links(networks::generalized_kautz(4, 2, fast)) == 6);  // 1 -> 1 and 2 -> 2 are omitted
}

TEST_CASE("direct_networks: a wrong parameter is reported") {
    const auto mesh = [](const list& sizes, const std::vector<cable>& cables) {
        return networks::mesh(sizes, cables).check();
    };
    CHECK(mesh({2, 0}, {slow}) == argument_error{"sizes", 0, "1 or more", 1});
    CHECK(mesh({2, -3}, {slow}) == argument_error{"sizes", -3, "1 or more", 1});
    CHECK(mesh({1 << 20, 4, 2}, {slow}) == argument_error{"sizes", 4, "at most 2^24 links", 1});
    // 2^22 ranks of two dimensions have 2^24 links: the next size is looked at.
    CHECK(mesh({1 << 22, 0}, {slow}) == argument_error{"sizes", 0, "1 or more", 1});
    CHECK(mesh({(1 << 22) + 1, 0}, {slow}) == argument_error{"sizes", (1 << 22) + 1, "at most 2^24 links", 0});
    CHECK(mesh({INT64_MAX}, {slow}) == argument_error{"sizes", INT64_MAX, "at most 2^24 links", 0});
    CHECK(mesh({2, 2, 2}, {slow, fast}) == argument_error{"cables", 2, "one cable, or one per dimension"});
    CHECK(mesh({2, 2}, {{0, 1}, slow}) == argument_error{"bandwidth", 0, "1 byte per second or more", 0});
    CHECK(mesh({2, 2}, {}) == argument_error{"cables", 0, "one cable, or one per dimension"});
    CHECK(mesh({2, 2}, {slow, {0, 1}}) == argument_error{"bandwidth", 0, "1 byte per second or more", 1});
    CHECK(networks::torus(list{3}, cable{1, -1}).check() == argument_error{"latency", -1, "0 picoseconds or more"});
    for (const rank_t ranks : {rank_t{0}, rank_t{(1 << 23) + 1}, rank_t{INT64_MIN}})
        CHECK(networks::ring(ranks, slow).check() == argument_error{"ranks", ranks, "1 to 2^23"});
    CHECK(networks::hypercube(-1, slow).check() == argument_error{"dimensions", -1, "0 to 19"});
    CHECK(networks::hypercube(20, slow).check() == argument_error{"dimensions", 20, "0 to 19"});
    for (const rank_t ranks : {-1, 0, 4097})
        CHECK(networks::fully_connected(ranks, slow).check() == argument_error{"ranks", ranks, "1 to 4096"});
    const argument_error no_bandwidth{"bandwidth", 0, "1 byte per second or more"};
    CHECK(networks::fully_connected(2, {0, 0}).check() == no_bandwidth);
    CHECK(networks::hypercube(2, {0, 0}).check() == no_bandwidth);
    CHECK(networks::ring(3, {0, 0}).check() == no_bandwidth);
    CHECK(networks::generalized_kautz(3, 2, {0, 0}).check() == no_bandwidth);
    CHECK_FALSE(networks::generalized_kautz(2, 1, slow).check());
    CHECK(networks::generalized_kautz(1, 1, slow).check() == argument_error{"ranks", 1, "2 to 2^24"});
    for (const rank_t degree : {0, -1, 5})
        CHECK(networks::generalized_kautz(5, degree, slow).check() ==
              argument_error{"degree", degree, "1 to ranks - 1"});
    CHECK(networks::generalized_kautz(1 << 20, 17, slow).check() == argument_error{"degree", 17, "at most 2^24 links"});
}

TEST_CASE("direct_networks: work during constant evaluation") {
    static constexpr rank_t sizes[] = {3, 4};
    static constexpr cable cables[] = {slow, fast};
    static_assert(networks::torus(sizes, slow).links().size() == 48);
    static_assert(networks::mesh(sizes, cables).links().size() == 34);
    static_assert(networks::fully_connected(4, fast).links().size() == 12);
    static_assert(networks::ring(8, slow).links().size() == 16);
    static_assert(networks::hypercube(3, slow).links().size() == 24);
    static_assert(networks::generalized_kautz(12, 2, slow).links().size() == 24);
}
