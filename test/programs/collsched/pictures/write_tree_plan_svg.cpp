#include "examples/programs/collsched/pictures/write_tree_plan_svg.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/tree/planners/greedy.hpp"
#include "collsched/tree/planners/mgo.hpp"
#include "support/random_clusters.hpp"

using namespace collsched;
using namespace collsched::pictures;

namespace {

/// The content of a picture: the number of each tag by class, and the text between tags.
struct parsed_picture {
    std::map<std::string, std::int64_t> tags;
    std::vector<std::string> titles, words;
    bool well_formed = false;

    std::int64_t sends() const { return starting("g.a l"); }
    std::int64_t starting(std::string_view tag) const {
        std::int64_t n = 0;
        for (const auto& [name, times] : tags) n += name.starts_with(tag) ? times : 0;
        return n;
    }
    std::int64_t count(const std::string& tag) const { return tags.contains(tag) ? tags.at(tag) : 0; }
    bool has(std::string_view text) const { return std::find(words.begin(), words.end(), text) != words.end(); }
    std::vector<std::string> titles_with(std::string_view piece) const {
        std::vector<std::string> found;
        for (const std::string& title : titles)
            if (title.find(piece) != title.npos) found.push_back(title);
        return found;
    }
};

/// Decodes the five entities. Any other text after & is an error.
bool decode(std::string_view raw, std::string& text) {
    constexpr std::pair<std::string_view, char> entities[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    while (!raw.empty()) {
        std::size_t taken = raw[0] == '&' ? 0 : 1;
        char c = raw[0];
        for (const auto& [entity, stands_for] : entities)
            if (raw.starts_with(entity)) taken = entity.size(), c = stands_for;
        if (taken == 0 || raw[0] == '<' || raw[0] == '>') return false;
        text += c;
        raw.remove_prefix(taken);
    }
    return true;
}

/// Whether all attributes of a tag are name="text", different, each after one space. `inside` is the tag without < and >.
bool read_attributes(std::string_view inside, std::map<std::string, std::string>& found) {
    while (!inside.empty()) {
        const std::size_t equals = inside.find("=\"");
        const std::size_t end = equals == inside.npos ? inside.npos : inside.find('"', equals + 2);
        if (inside[0] != ' ' || end == inside.npos) return false;
        const std::string name(inside.substr(1, equals - 1));
        if (name.empty() || name.find_first_of(" \"<>=") != name.npos || found.contains(name)) return false;
        if (!decode(inside.substr(equals + 2, end - equals - 2), found[name])) return false;
        inside.remove_prefix(end + 1);
    }
    return true;
}

/// XML without comments, declarations and apostrophes around attributes.
parsed_picture parse(std::string_view xml) {
    parsed_picture made;
    std::vector<std::string> open;
    while (!xml.empty()) {
        const std::size_t tag = xml.find('<'), end = xml.find('>', tag);
        std::string text;
        if (!decode(xml.substr(0, tag), text)) return made;
        if (tag == xml.npos) return made.well_formed = open.empty() && text == "\n", made;
        if (end == xml.npos || (open.empty() && !made.tags.empty())) return made;
        if (!open.empty() && open.back() == "title") made.titles.push_back(text);
        else if (!open.empty() && (open.back() == "text" || open.back() == "desc")) made.words.push_back(text);
        std::string_view inside = xml.substr(tag + 1, end - tag - 1);
        xml.remove_prefix(end + 1);
        if (inside.starts_with('/')) {
            if (open.empty() || open.back() != inside.substr(1)) return made;
            open.pop_back();
            continue;
        }
        const bool is_empty = inside.ends_with('/');
        if (is_empty) inside.remove_suffix(1);
        const std::string name(inside.substr(0, inside.find(' ')));
        std::map<std::string, std::string> attributes;
        if (!read_attributes(inside.substr(name.size()), attributes)) return made;
        ++made.tags[attributes.contains("class") ? name + "." + attributes["class"] : name];
        if (!is_empty) open.push_back(name);
    }
    return made;
}

std::string draw(const cluster& c, const tree_plan& plan, std::string_view planner = "mgo") {
    std::string text;
    write_tree_plan_svg(std::back_inserter(text), c, plan, planner);
    return text;
}

parsed_picture look(const cluster& c, const tree_plan& plan) {
    const std::string text = draw(c, plan);
    parsed_picture made = parse(text);
    CHECK(made.well_formed);
    CHECK(text.find("nan") == text.npos);
    CHECK(text.find("inf") == text.npos);
    return made;
}

/// Two sites at a wide-area network: a with the cabinets x (a0, a1) and y (a2), b with b0 and b1. Overheads are 10 us, a
/// byte takes 0.1 us; latencies are 1 us of nodes, 2 us of cabinets, 100 us of sites.
cluster two_sites() {
    const std::vector<rank_t> parents{0, 0, 1, 1}, homes{3, 3, 4, 2, 2};
    const topology::switch_tree switches(parents, homes);
    const std::vector<picoseconds> overheads(5, 10'000'000);
    const std::vector<lob_model::link_cost> own(5, {1'000'000, 100'000'000});
    const std::vector<lob_model::link_cost> uplinks{
        {}, {100'000'000, 0}, {100'000'000, 0}, {2'000'000, 0}, {2'000'000, 0}};
    return {"grid", {"a0", "a1", "a2", "b0", "b1"}, {"wan", "a", "b", "x", "y"}, {switches, overheads, own, uplinks}};
}

tree_plan::request request_on(const cluster& c, bytes_t bytes, rank_t root = 0) {
    return {c.cost.switches(), c.cost, bytes, root};
}

/// The plan with these edges, parent first.
tree_plan plan_of(const cluster& c, bytes_t bytes, std::vector<trees::tree_edge> edges, bool many_to_one = false) {
    const auto chosen = [&edges] { return owned_array<trees::tree_edge>(edges); };
    return tree_plan_of(request_on(c, bytes), chosen, many_to_one);
}

}  // namespace

TEST_CASE("write_tree_plan_svg: every send is an arrow with two bars, in the class of the level where its ends meet") {
    const cluster c = two_sites();
    const parsed_picture seen = look(c, plan_of(c, 1, {{0, 3}, {0, 2}, {0, 1}, {3, 4}}));
    CHECK(seen.sends() == 4);
    CHECK(seen.count("g.a l0") == 1);
    CHECK(seen.count("g.a l1") == 2);
    CHECK(seen.count("g.a l2") == 1);
    CHECK(seen.count("rect.busy") == 4 + 1);  // one in the legend
    CHECK(seen.count("rect.receives") == 4 + 1);
    CHECK(seen.count("rect.box") == 5);
    CHECK(seen.count("path.has") == 5 + 1);
    CHECK(seen.count("path.root") == 1);
}

TEST_CASE("write_tree_plan_svg: a title has ranks, bytes, times and links, and the legend counts and times") {
    const cluster c = two_sites();
    const tree_plan plan = plan_of(c, 1, {{0, 3}, {0, 2}, {0, 1}, {3, 4}});
    const parsed_picture seen = look(c, plan);
    CHECK(seen.titles_with(" -> ") ==
          std::vector<std::string>{"a0 -> a1: 1 byte, 20.000000 to 42.000000 us, over x",
                                   "a0 -> a2: 1 byte, 10.000000 to 36.000000 us, over x - a - y",
                                   "b0 -> b1: 1 byte, 224.000000 to 246.000000 us, over b",
                                   "a0 -> b0: 1 byte, 0.000000 to 224.000000 us, over x - a - wan - b"});
    CHECK(seen.titles_with("ready after") ==
          std::vector<std::string>{"a0: ready after 30.000000 us", "a1: ready after 42.000000 us",
                                   "a2: ready after 36.000000 us", "b0: ready after 234.000000 us",
                                   "b1: ready after 246.000000 us"});
    CHECK(seen.has("mgo on grid"));
    CHECK(seen.has("1 byte from a0 to 4 other ranks, complete after 246 us"));
    CHECK(seen.has("1 send over wan (level 0), 224 us"));
    CHECK(seen.has("2 sends over a, b (level 1), 22 to 26 us each"));
    CHECK(seen.has("1 send over x (level 2), 22 us"));
    CHECK(seen.has("complete after 246 us"));
    CHECK(seen.titles_with("mgo on grid, 5 ranks").size() == 1);
}

TEST_CASE("write_tree_plan_svg: many-to-one children send and wait at their parents") {
    const cluster c = two_sites();
    const parsed_picture seen = look(c, plan_of(c, 1, {{0, 1}, {0, 2}, {0, 3}}, true));
    CHECK(seen.titles_with(" -> ") ==
          std::vector<std::string>{"a1 -> a0: 1 byte, 0.000000 to 22.000000 us, over x",
                                   "a2 -> a0: 1 byte, 0.000000 to 32.000000 us, over y - a - x",
                                   "b0 -> a0: 1 byte, 0.000000 to 224.000000 us, over b - wan - a - x"});
    CHECK(seen.has("1 byte from 4 other ranks to a0, complete after 224 us"));
    CHECK(seen.has("has not sent yet"));
    CHECK(!seen.has("has the message"));
}

TEST_CASE("write_tree_plan_svg: the starts and ends of sends agree with the ready times of the plan") {
    for (const bool back : {false, true})
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            CAPTURE(seed);
            const tree_plan::request ask = support::random_request(seed, 1 + static_cast<rank_t>(seed % 17));
            const cluster c{"", {}, {}, ask.cost};
            const tree_plan plan = back ? many_to_one(planners::mgo{}, ask) : planners::mgo{}(ask);
            REQUIRE(!plan.error);
            owned_array<picoseconds> ready(ask.ranks());
            for (const tree_plan_svg_send& s : tree_plan_svg_sends(c, plan)) {
                CHECK(s.start == ready[s.from]);
                CHECK(s.sent == s.start + ask.busy(s.from, s.to));
                CHECK(s.arrived == s.sent + ask.cost.latency(s.from, s.to));
                CHECK(s.accepted >= s.arrived);
                CHECK(s.takes() == ask.busy(s.from, s.to) + ask.cost.latency(s.from, s.to) + ask.cost.overhead(s.to));
                CHECK(s.accepted >= ready[s.to]);
                CHECK(s.common_switch == ask.cost.switches().common_switch(s.from, s.to));
                ready[s.from] = s.sent;
                ready[s.to] = s.ready;
            }
            CHECK(ready == plan.ready);
            const parsed_picture seen = look(c, plan);
            CHECK(seen.sends() == ask.ranks() - 1);
            CHECK(seen.titles_with(" -> ").size() == static_cast<std::size_t>(ask.ranks() - 1));
            CHECK(seen.titles_with("ready after").size() == static_cast<std::size_t>(ask.ranks()));
        }
}

TEST_CASE("write_tree_plan_svg: one node, no node and no plan have no arrows") {
    const auto alone = [](rank_t n) {
        const topology::switch_tree switches = topology::switch_tree::flat(n);
        const std::vector<picoseconds> overheads(static_cast<std::size_t>(n), 1);
        const std::vector<lob_model::link_cost> own(static_cast<std::size_t>(n), {2, 3}), uplinks(1);
        return cluster{"", {}, {"switch"}, {switches, overheads, own, uplinks}};
    };
    const parsed_picture one = look(alone(1), planners::mgo{}(request_on(alone(1), 12)));
    CHECK(one.sends() == 0);
    CHECK(one.count("path.root") == 1);
    CHECK(one.count("path.has") == 2);
    CHECK(one.has("12 bytes at 0, no other rank"));
    CHECK(one.has("mgo"));
    CHECK(!one.has("sends"));

    CHECK(look(cluster{}, tree_plan{}).count("rect.box") == 1);

    const tree_plan refused = planners::mgo{}(request_on(alone(3), 1, -1));
    const parsed_picture seen = look(alone(3), refused);
    CHECK(seen.sends() == 0);
    CHECK(seen.count("path.root") == 0);
    CHECK(seen.has("no plan: root: got -1, expected 0 to ranks-1"));

    const parsed_picture two = look(alone(2), planners::mgo{}(request_on(alone(2), 0)));
    CHECK(two.count("g.a l0") == 1);
    CHECK(two.has("1 send over switch (level 0), 6e-06 us"));
}

TEST_CASE(
    "write_tree_plan_svg: names are escaped and clipped between characters, missing ones are numbers and levels") {
    cluster c = two_sites();
    c.name = "<\"grid\"> & co";
    c.names[0] = "a<0>&\"'";
    c.names[3] = "ü23456789 123456789 123456789 123456789";
    c.switch_names[0] = "w&n";
    c.switch_names[1].clear();
    c.names.pop_back();
    const parsed_picture seen = look(c, plan_of(c, 1, {{0, 3}, {0, 2}, {0, 1}, {3, 4}}));
    CHECK(seen.has("mgo on <\"grid\"> & co"));
    CHECK(seen.titles_with("a<0>&\"' -> a1: 1 byte").size() == 1);
    CHECK(seen.titles_with(", over x - level 1 - w&n - b").size() == 1);
    CHECK(seen.titles_with("789 -> 4: 1 byte").size() == 1);
    CHECK(seen.has("1 send over w&n (level 0), 224 us"));
    CHECK(seen.has("ü23456789 123456789 1234567…"));
    CHECK(seen.has("4"));
    const cluster nameless{"", {}, {}, c.cost};
    CHECK(
        look(nameless, plan_of(c, 1, {{0, 3}, {0, 2}, {3, 4}, {0, 1}})).has("2 sends over level 1, 22 to 26 us each"));
}

TEST_CASE("write_tree_plan_svg: rows are grouped by switch, in the order of the lowest ranks") {
    const std::vector<rank_t> parents{0, 0, 1}, homes{2, 3, 0, 2, 1, 3};
    const topology::switch_tree switches(parents, homes);
    const std::vector<picoseconds> overheads(6);
    const std::vector<lob_model::link_cost> own(6), uplinks(4);
    const cluster c{"", {}, {}, {switches, overheads, own, uplinks}};
    const tree_plan_svg_layout at(c, 100, 50);
    CHECK(at.order == std::vector<rank_t>{0, 3, 1, 5, 4, 2});
    for (std::size_t i = 1; i < at.order.size(); ++i) CHECK(at.y(at.order[i]) >= at.y(at.order[i - 1]) + at.row);
    for (const tree_plan_svg_box& box : at.boxes)
        for (const rank_t r : at.order) {
            const bool under = switches.common_ancestor(switches.home(r), box.vertex) == box.vertex;
            CHECK((at.y(r) > box.top && at.y(r) < box.bottom) == under);
        }
    CHECK(at.x(0) == at.left);
    CHECK(at.x(50) == (at.left + at.right) / 2);
    CHECK(at.end() == at.right);
}

TEST_CASE("write_tree_plan_svg: colors go from loud to quiet over the levels on which nodes can meet") {
    const std::vector<rank_t> chain{0, 1, 1}, homes{2, 2, 3};
    const tree_plan_svg_style style(topology::switch_tree(chain, homes));
    CHECK(!style.meets(0));
    CHECK(style.meets(1));
    CHECK(style.meets(2));
    std::string rules;
    svg_canvas<std::back_insert_iterator<std::string>> put(std::back_inserter(rules));
    style.put_levels(put, 1);
    CHECK(rules.find(".l0{") == rules.npos);
    CHECK(rules.find(".l1{") < rules.find(".l2{"));
    CHECK(rules.find("stroke-width:2.40") < rules.find("stroke-width:1.10"));
    CHECK(rules.find("prefers-color-scheme:dark") != rules.npos);
}

TEST_CASE("write_tree_plan_svg: large clusters have fewer names, all arrows, and names of switches that fit") {
    const std::vector<rank_t> racks(128, 0);
    std::vector<rank_t> homes;
    for (rank_t r = 0; r < 512; ++r) homes.push_back(1 + r / 4);
    const topology::switch_tree switches(racks, homes);
    const std::vector<picoseconds> overheads(512, 1'000'000);
    const std::vector<lob_model::link_cost> own(512, {1'000'000, 1'000}), uplinks(129, {5'000'000, 1'000});
    cluster c{"big", {}, {"core"}, {switches, overheads, own, uplinks}};
    for (rank_t r = 0; r < 512; ++r) c.names.push_back("node" + std::to_string(r));
    for (rank_t e = 1; e <= 128; ++e) c.switch_names.push_back("rack" + std::to_string(e));
    const tree_plan plan = planners::fcef{}(request_on(c, 1024, 301));
    const parsed_picture seen = look(c, plan);
    CHECK(seen.sends() == 511);
    CHECK(seen.count("rect.box") == 129);
    CHECK(seen.count("text.ink end") > 80);
    CHECK(seen.count("text.ink end") < 250);
    CHECK(seen.has("core"));
    CHECK(!seen.has("rack1"));
    CHECK(seen.has(" node301"));
    CHECK(draw(c, plan) == draw(c, plan));
}

TEST_CASE("write_tree_plan_svg: the checker of these tests finds errors") {
    CHECK(parse("<svg a=\"1\"><g/><title>x &lt; y</title></svg>\n").well_formed);
    for (const char* wrong : {"<svg><g></svg>\n", "<svg></g></svg>\n", "<svg a=1></svg>\n", "<svg a=\"<\"></svg>\n",
                              "<svg a=\"1\" a=\"2\"></svg>\n", "<svg>&</svg>\n", "<svg></svg><svg></svg>\n", "<svg>\n",
                              "<svg>></svg>\n", "<svg a=\"1\"b=\"2\"></svg>\n"}) {
        CAPTURE(wrong);
        CHECK(!parse(wrong).well_formed);
    }
}
