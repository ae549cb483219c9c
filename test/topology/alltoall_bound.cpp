#include "collsched/topology/alltoall_bound.hpp"

#include <doctest/doctest.h>

#include <span>
#include <string_view>
#include <vector>

#include "collsched/topology/network.hpp"
#include "collsched/topology/networks.hpp"
#include "support/random_network.hpp"

using namespace collsched;
using namespace topology::detail;

using topology::alltoall_bound;
using flow_bound = topology::network::flow_bound;
using topology::network;
namespace networks = topology::networks;

namespace {

/// The largest concurrent flow by one linear program: a flow per source and link, and conservation at all vertices.
class whole_program {
  public:
    explicit whole_program(const network& net) : net_(net), problem_(glp_create_prob()) {
        glp_set_obj_dir(problem_, GLP_MAX);
        glp_add_cols(problem_, static_cast<int>(1 + net.ranks() * links()));
        glp_set_obj_coef(problem_, 1, 1);
        for (int i = 1; i <= glp_get_num_cols(problem_); ++i) glp_set_col_bnds(problem_, i, GLP_LO, 0, 0);
        for (std::int64_t i = 0; i < links(); ++i) {
            begin();
            for (rank_t s = 0; s < net.ranks(); ++s) add(flow(s, i), 1);
            end(GLP_UP, static_cast<double>(net.links()[static_cast<std::size_t>(i)].bandwidth));
        }
        for (rank_t s = 0; s < net.ranks(); ++s)
            for (rank_t v = 0; v < net.vertices(); ++v) conserve(s, v);
    }
    ~whole_program() { glp_delete_prob(problem_); }
    whole_program(const whole_program&) = delete;
    whole_program& operator=(const whole_program&) = delete;

    double solve() {
        glp_smcp parameters;
        glp_init_smcp(&parameters);
        parameters.msg_lev = GLP_MSG_OFF;
        REQUIRE(glp_simplex(problem_, &parameters) == 0);
        REQUIRE(glp_get_status(problem_) == GLP_OPT);
        return glp_get_obj_val(problem_) * static_cast<double>(net_.ranks());
    }

  private:
    std::int64_t links() const { return static_cast<std::int64_t>(net_.links().size()); }
    int flow(rank_t source, std::int64_t link) const { return static_cast<int>(2 + source * links() + link); }
    void conserve(rank_t source, rank_t v) {
        if (v == source) return;
        begin();
        for (std::int64_t i = 0; i < links(); ++i) {
            const network::link& one = net_.links()[static_cast<std::size_t>(i)];
            if (one.to == v) add(flow(source, i), 1);
            if (one.from == v) add(flow(source, i), -1);
        }
        if (!net_.is_switch(v)) add(1, -1);
        end(GLP_FX, 0);
    }
    void begin() { index_.assign(1, 0), value_.assign(1, 0); }
    void add(int column, double value) { index_.push_back(column), value_.push_back(value); }
    void end(int kind, double bound) {
        const int row = glp_add_rows(problem_, 1);
        glp_set_row_bnds(problem_, row, kind, bound, bound);
        glp_set_mat_row(problem_, row, static_cast<int>(index_.size()) - 1, index_.data(), value_.data());
    }

    const network& net_;
    glp_prob* problem_;
    std::vector<int> index_;
    std::vector<double> value_;
};

/// Checks the value, the certificate and the gap.
void check(const network& net, const fraction& expected) {
    const flow_bound bound = alltoall_bound(net);
    REQUIRE_FALSE(bound.error);
    CHECK(bound.bandwidth == expected);
    CHECK(topology::price_bound(net, bound.prices).bandwidth == expected);
    CHECK(bound.gap() < 1e-9);
    CHECK(bound.gap() > -1e-12);
}

}  // namespace

TEST_CASE("alltoall_bound: ring") {
    // Each rank sends to ranks up to p/2 away: a sum of floor(p^2 / 4) links, of p links in each direction two.
    for (rank_t p = 3; p <= 20; ++p) check(networks::ring(p, {.bandwidth = 700}), {p * 2 * 700, p * p / 4});
    check(networks::ring(64, {.bandwidth = 700}), {64 * 2 * 700, 64 * 64 / 4});
    check(networks::ring(2, {.bandwidth = 700}), 2 * 700);
}

TEST_CASE("alltoall_bound: fully connected, one switch, fat tree") {
    for (const rank_t p : {2, 5, 16}) {
        check(networks::fully_connected(p, {.bandwidth = 9}), p * 9);
        std::vector<network::link> links;
        for (rank_t r = 0; r < p; ++r) links.push_back({r, p, 9}), links.push_back({p, r, 9});
        check(network(p, 1, links), {p * 9, p - 1});
    }
    check(networks::fat_tree(4, {.bandwidth = 9}), {16 * 9, 15});
}

TEST_CASE("alltoall_bound: hypercube, torus, mesh") {
    // Sum of distances from a rank: d 2^(d-1) over d links each.
    for (int d = 1; d <= 6; ++d) check(networks::hypercube(d, {.bandwidth = 9}), 2 * 9);
    const rank_t four[] = {4, 4}, eight[] = {8, 8}, uneven[] = {4, 8};
    // 4 x 4: 16 * 16 * 2 links of 64; 8 x 8: 64 * 64 * 4 of 256.
    check(networks::torus(four, {.bandwidth = 9}), 16 * 9 * 64 / 512);
    check(networks::torus(eight, {.bandwidth = 9}), 64 * 9 * 256 / (64 * 64 * 4));
    // The cut through the longer dimension: 2 * 4 links each way, 16 * 16 blocks.
    check(networks::torus(uneven, {.bandwidth = 9}), {32 * 9 * 8, 16 * 16});
    check(networks::mesh(four, {.bandwidth = 9}), {16 * 9 * 4, 8 * 8});
}

TEST_CASE("alltoall_bound: equal to one linear program, on random networks") {
    for (std::uint64_t seed = 0; seed < 60; ++seed)
        for (const auto shape : {support::network_shape::directed, support::network_shape::bidirectional,
                                 support::network_shape::balanced_switches}) {
            const network net = support::network_maker(seed, shape).made();
            CAPTURE(seed);
            const flow_bound bound = alltoall_bound(net);
            REQUIRE_FALSE(bound.error);
            CHECK(bound.bandwidth.value() == doctest::Approx(whole_program(net).solve()).epsilon(1e-6));
            CHECK(topology::price_bound(net, bound.prices).bandwidth == bound.bandwidth);
            CHECK(bound.gap() < 1e-8);
            CHECK(bound.gap() > -1e-12);
        }
}

TEST_CASE("alltoall_bound: no cut has less, and a network without symmetry reaches its bound") {
    const rank_t sizes[] = {4, 4};
    const std::int64_t cut[] = {3, 8};
    const network net = topology::prune(networks::torus(sizes, {.bandwidth = 840}), cut);
    const flow_bound bound = alltoall_bound(net);
    CHECK(bound.gap() < 1e-9);
    CHECK(bound.bandwidth < alltoall_bound(networks::torus(sizes, {.bandwidth = 840})).bandwidth);
    CHECK(bound.bandwidth.value() == doctest::Approx(whole_program(net).solve()).epsilon(1e-6));
}

TEST_CASE("alltoall_bound: prices without small whole numbers are rounded") {
    const std::vector<double> prices{1, 0.70710678118, 1e-12, 0};
    const auto whole = topology::detail::whole_prices(prices, 1 << 30);
    CHECK(std::vector<std::int64_t>(whole.begin(), whole.end()) == std::vector<std::int64_t>{1 << 30, 759250125, 0, 0});
    const std::vector<double> thirds{1. / 3, 0, 0.5, 1. / 6 + 1e-15};
    const auto small = topology::detail::whole_prices(thirds, 1 << 30);
    CHECK(std::vector<std::int64_t>(small.begin(), small.end()) == std::vector<std::int64_t>{2, 0, 3, 1});
}

TEST_CASE("alltoall_bound: prices become small whole numbers if they have a common measure") {
    constexpr std::int64_t large = 1 << 30, small = 1 << 20;
    const auto whole = [](const std::vector<double>& prices, std::int64_t largest = 1 << 30) {
        const auto found = topology::detail::whole_prices(prices, largest);
        return std::vector<std::int64_t>(found.begin(), found.end());
    };
    using list = std::vector<std::int64_t>;
    CHECK(whole({0, 0}) == list{0, 0});
    CHECK(whole({2.5, 5}) == list{1, 2});
    CHECK(whole({0.001, 1}) == list{1, 1000});
    CHECK(whole({0.5, 0.35355339059}) == list{large, 759250125});
    // Below 10^-9 of the largest price, and above.
    CHECK(whole({1, 5e-10}) == list{1, 0});
    CHECK(whole({1, 5e-9}) == list{large, 5});
    // Up to 10^-8 from a whole number, and beyond, on both sides.
    CHECK(whole({1, 1 + 5e-9}) == list{1, 1});
    CHECK(whole({1, 2 - 5e-9}) == list{1, 2});
    CHECK(whole({1, 1 + 5e-8}) == list{large - 54, large});
    CHECK(whole({1, 2 - 5e-8}) == list{large / 2 + 13, large});
    // The least price becomes at most 720, the largest at most 2^20, unless no such numbers fit.
    CHECK(whole({1, 1 + 1. / 720}) == list{720, 721});
    CHECK(whole({1, 1 + 1. / 721}) == list{1072254647, large});
    CHECK(whole({1, small}) == list{1, small});
    CHECK(whole({1, small + 1}) == list{1024, large});
    CHECK(whole({1, 0.5}, 2) == list{2, 1});
    CHECK(whole({1, 1. / 3}, 2) == list{2, 1});
}

TEST_CASE("alltoall_bound: links so fast that their first prices are 0") {
    // A slow link leads to a switch that no path passes.
    constexpr std::int64_t fast = std::int64_t{1} << 40;
    const std::vector<network::link> links{{0, 1, fast}, {1, 0, fast}, {0, 2, 1}};
    check(network(2, 1, links), 2 * fast + 1);  // prices of 1, also of the slow link
}

TEST_CASE("alltoall_bound: errors") {
    const auto error_of = [](const network& net) {
        const flow_bound bound = alltoall_bound(net);
        CHECK(bound.bandwidth == fraction(0));
        CHECK(bound.prices.empty());
        CHECK(bound.attained == 0);
        return bound.error;
    };
    CHECK(error_of(network(argument_error{"x", 1, "y"})) == argument_error{"x", 1, "y"});
    CHECK(error_of(network(1, 0, {})) == argument_error{"ranks", 1, "2 or more"});
    CHECK(error_of(network(2, 0, {})) == argument_error{"vertex", 1, "a rank that all ranks reach"});
    const std::vector<network::link> one_way{{0, 1, 1}};
    CHECK(error_of(network(2, 0, one_way)) == argument_error{"vertex", 0, "a rank that all ranks reach"});
    // 2^18 links of 2 ranks are accepted, but all lead in one direction.
    const std::vector<network::link> many((1 << 18) + 1, {0, 1, 1});
    CHECK(error_of(network(2, 0, many)) ==
          argument_error{"links", (1 << 18) + 1, "at most 2^19 divided by the number of ranks"});
    CHECK(error_of(network(2, 0, std::span(many).first(1 << 18))) ==
          argument_error{"vertex", 0, "a rank that all ranks reach"});
    const std::vector<network::link> large{{0, 1, INT64_MAX}, {1, 0, INT64_MAX - 1}};
    const argument_error too_large{"bandwidth", 1, "bandwidths whose sum, divided by this one, is at most 2^60"};
    CHECK(error_of(network(2, 0, large)) == too_large);
    constexpr std::int64_t most = std::int64_t{1} << 60;
    const std::vector<network::link> above{{0, 1, most}, {1, 0, 1}}, least{{0, 1, most - 1}, {1, 0, 1}};
    CHECK(error_of(network(2, 0, above)) == too_large);
    CHECK(alltoall_bound(network(2, 0, least)).bandwidth == fraction(2));
}

using topology::network;

namespace {

/// Adds the columns of all ranks by some prices.
void add_columns(flow_program& program, const capacity_graph& net, const std::vector<std::int64_t>& prices) {
    shortest_paths paths;
    for (rank_t r = 0; r < net.ranks; ++r) {
        paths.find(net.graph, prices, r);
        program.add(r, paths, prices);
    }
}

}  // namespace

TEST_CASE("flow_program: parallel links share in proportion to their bandwidths") {
    const std::vector<network::link> links{{0, 1, 10}, {0, 1, 30}, {1, 0, 50}};
    const capacity_graph net = make_capacity_graph(network(2, 0, links));
    flow_program program(net, 5);
    add_columns(program, net, {1, 1, 1});
    REQUIRE(program.solve());
    CHECK(program.attained() == doctest::Approx(4));  // in units of 10
    CHECK(program.price(2) == doctest::Approx(0));
}

TEST_CASE("flow_program: a detour is used once its column is added") {
    // Rank 0 sends to rank 1 directly or through switch 2.
    const std::vector<network::link> links{{0, 1, 1}, {1, 0, 9}, {0, 2, 2}, {2, 1, 3}};
    const capacity_graph net = make_capacity_graph(network(2, 1, links));
    flow_program program(net, 5);
    add_columns(program, net, {1, 1, 1, 1});
    REQUIRE(program.solve());
    CHECK(program.attained() == doctest::Approx(1));
    CHECK(program.price(0) > 0.1);
    CHECK(program.price(2) == doctest::Approx(0));
    add_columns(program, net, {9, 1, 1, 1});
    REQUIRE(program.solve());
    CHECK(program.attained() == doctest::Approx(3));
    CHECK(program.price(0) == doctest::Approx(program.price(2)));
    CHECK(program.price(3) == doctest::Approx(0));
}
