#include "collsched/topology/throughput_bound.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/cut_oracle.hpp"
#include "support/random_network.hpp"

using namespace collsched;
using topology::network;

namespace {

constexpr support::network_shape shapes[] = {support::network_shape::directed, support::network_shape::bidirectional,
                                             support::network_shape::balanced_switches};

/// The vertices that are not in a cut.
std::vector<rank_t> others(const network& net, const std::vector<rank_t>& cut) {
    std::vector<rank_t> outside;
    for (rank_t v = 0; v < net.vertices(); ++v)
        if (!support::cut_oracle::contains(support::cut_oracle::set_of(cut), v)) outside.push_back(v);
    return outside;
}

/// Compares a bound with that of all cuts, and the reported cut with its definition. The data of an allreduce cross a
/// cut both ways, so that its links may also be those that enter. Its volume may restrict its rate more than each cut
/// does; then only the rate is compared.
void compare(const network& net, collective kind, rank_t root) {
    CAPTURE(std::string(name_of(kind)));
    CAPTURE(root);
    const auto found = topology::throughput_bound(net, kind, root);
    const fraction expected = support::cut_oracle::bound(net, kind, root);
    REQUIRE_FALSE(found.error);
    CHECK(found.bandwidth.numerator() == expected.numerator());
    CHECK(found.bandwidth.denominator() == expected.denominator());
    if (kind == collective::allreduce &&
        support::cut_oracle::volume_rate(net) < support::cut_oracle::separating_rate(net))
        return;
    for (const rank_t v : found.cut) REQUIRE((v >= 0 && v < net.vertices()));
    std::vector<rank_t> cut(found.cut.begin(), found.cut.end());
    const std::vector<std::int64_t> links(found.links.begin(), found.links.end());
    if (kind == collective::allreduce && links != support::cut_oracle::links_of(net, kind, cut)) cut = others(net, cut);
    CHECK(support::cut_oracle::is_saturated(net, kind, root, cut));
    CHECK(links == support::cut_oracle::links_of(net, kind, cut));
}

}  // namespace

TEST_CASE("throughput_bound: equals the least rate of all cuts in random networks") {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const network net = support::random_network(seed, shapes[seed % 3]);
        CAPTURE(seed);
        CAPTURE(support::drawn(net));
        const rank_t root = static_cast<rank_t>(seed) % net.ranks();
        for (const collective kind : {collective::allgather, collective::reduce_scatter, collective::allreduce})
            compare(net, kind, 0);
        compare(net, collective::broadcast, root);
        compare(net, collective::reduce, root);
    }
}
