#include "collsched/format/schedules/write_msccl.hpp"

#include <doctest/doctest.h>
#include <pugixml.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/reduce_scatter/reversals.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "support/brief.hpp"
#include "support/msccl_loader.hpp"
#include "support/registry.hpp"
#include "support/samples.hpp"

using namespace collsched;

namespace {

std::string xml_of(const msccl_program& program, binding how = binding::separate) {
    std::string text;
    write_msccl(std::back_inserter(text), program, "a/b", how);
    return text;
}

const msccl_program::loader loaders[] = {msccl_program::loader::msccl, msccl_program::loader::rccl};

/// The limit that a program of this schedule exceeds, empty if none; the program goes to use(text, program).
template <class Use>
std::string limit_of(const any_schedule& s, binding how, msccl_program::loader loader, Use use) {
    try {
        const msccl_program program(s, how, loader);
        CHECK(!program.check());
        use(xml_of(program, how), program);
        return {};
    } catch (const bad_argument& wrong) {
        CHECK(std::string(wrong.error().expected).find("most") != std::string::npos);
        return wrong.error().argument;
    }
}

/// Whether these ranks load the program, and both ends of each of their connections exist.
void check_loaded(const std::string& xml, const msccl_program& program, const std::vector<int>& ranks) {
    pugi::xml_document file;
    REQUIRE(file.load_string(xml.c_str()));
    const int all = static_cast<int>(program.gpus().size());
    const bool rccl = program.loaded_by() == msccl_program::loader::rccl;
    support::msccl_loader loader(rccl ? support::msccl_loader::library::rccl : support::msccl_loader::library::msccl);
    for (const int rank : ranks) {
        CHECK(loader.reject(file, rank, all) == "");
        for (const auto& [sends, peer, channel] : loader.connections()) {
            const auto& there = program.gpus()[static_cast<std::size_t>(peer)].blocks;
            CHECK(std::ranges::count_if(there, [&, outgoing = sends, wanted = channel](const auto& block) {
                      return (outgoing ? block.hears_from : block.sends_to) == rank && block.channel == wanted;
                  }) == 1);
        }
    }
}

/// The contributions summed up in a chunk, each a rank and a chunk of its input.
using value = std::multiset<std::pair<int, int>>;

/// MSCCL's machine, written from the description of its files: thread blocks take turns at random, each does its steps in order,
/// connections are queues of so many messages.
class machine {
  public:
    machine(const std::string& xml, std::size_t room, std::uint64_t seed) : room_(room), random_(seed) {
        REQUIRE(file_.load_string(xml.c_str()));
        algo_ = file_.child("algo");
        in_place_ = algo_.attribute("inplace").as_int() == 1;
        for (const pugi::xml_node gpu : algo_.children("gpu")) {
            CHECK(gpu.attribute("id").as_int() == gpus_);
            int blocks = 0;
            std::set<std::tuple<int, int, int>> peers;
            for (const pugi::xml_node tb : gpu.children("tb")) {
                CHECK(tb.attribute("id").as_int() == blocks++);
                const int send = tb.attribute("send").as_int(), recv = tb.attribute("recv").as_int();
                const int channel = tb.attribute("chan").as_int();
                CHECK((send < 0 || peers.insert({0, send, channel}).second));
                CHECK((recv < 0 || peers.insert({1, recv, channel}).second));
                std::vector<pugi::xml_node> steps;
                for (const pugi::xml_node step : tb.children("step")) {
                    CHECK(step.attribute("s").as_int() == static_cast<int>(steps.size()));
                    steps.push_back(step);
                }
                blocks_.push_back({gpus_, send, recv, channel, 0, steps});
            }
            first_block_.push_back(static_cast<int>(blocks_.size()) - blocks);
            ++gpus_;
        }
        CHECK(algo_.attribute("ngpus").as_int() == gpus_);
    }

    void bring(int gpu, char buffer, int chunk, const value& what) { memory_[{gpu, buffer, chunk}] = what; }
    value at(int gpu, char buffer, int chunk) { return memory_[{gpu, buffer, chunk}]; }
    int gpus() const { return gpus_; }

    /// Whether all thread blocks are done.
    bool run() {
        std::vector<std::size_t> order(blocks_.size());
        for (std::size_t b = 0; b < order.size(); ++b) order[b] = b;
        for (;;) {
            for (std::size_t b = order.size(); b > 1; --b)
                std::swap(order[b - 1],
                          order[static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(b) - 1))]);
            bool went = false, left = false;
            for (const std::size_t b : order) {
                for (int most = static_cast<int>(random_.between(1, 4)); most > 0 && can_go_on(blocks_[b]); --most) {
                    go_on(blocks_[b]);
                    went = true;
                }
                left = left || blocks_[b].next < static_cast<int>(blocks_[b].steps.size());
            }
            if (!left) return true;
            if (!went) return false;
        }
    }

  private:
    struct block {
        int gpu, send, recv, channel, next;
        std::vector<pugi::xml_node> steps;
    };

    static std::string type(const pugi::xml_node& step) { return step.attribute("type").value(); }

    bool can_go_on(const block& one) {
        if (one.next == static_cast<int>(one.steps.size())) return false;
        const pugi::xml_node step = one.steps[static_cast<std::size_t>(one.next)];
        if (const int before = step.attribute("depid").as_int(); before >= 0) {
            const block& other =
                blocks_[static_cast<std::size_t>(first_block_[static_cast<std::size_t>(one.gpu)] + before)];
            CHECK(other.gpu == one.gpu);
            const int deps = step.attribute("deps").as_int();
            REQUIRE(deps < static_cast<int>(other.steps.size()));
            CHECK(other.steps[static_cast<std::size_t>(deps)].attribute("hasdep").as_int() == 1);
            if (other.next <= deps) return false;
        }
        if (type(step) == "s") return wires_[{one.gpu, one.send, one.channel}].size() < room_;
        if (type(step) == "r" || type(step) == "rrc") return !wires_[{one.recv, one.gpu, one.channel}].empty();
        return true;
    }

    void go_on(block& one) {
        const pugi::xml_node step = one.steps[static_cast<std::size_t>(one.next++)];
        const std::string what = type(step);
        if (what == "nop") return;
        const int count = step.attribute("cnt").as_int();
        CHECK(count > 0);
        CHECK(count < 72);
        std::vector<value> arrived;
        if (what == "r" || what == "rrc") {
            arrived = wires_[{one.recv, one.gpu, one.channel}].front();
            wires_[{one.recv, one.gpu, one.channel}].pop_front();
            REQUIRE(static_cast<int>(arrived.size()) == count);
        }
        std::vector<value> sent;
        for (int k = 0; k < count; ++k) {
            value& source = memory_[place(one.gpu, step, "src", k)];
            value& target = memory_[place(one.gpu, step, "dst", k)];
            const auto add = [](value& into, const value& other) { into.insert(other.begin(), other.end()); };
            if (what == "s") sent.push_back(source);
            else if (what == "r") target = arrived[static_cast<std::size_t>(k)];
            else if (what == "cpy") target = value(source);
            else if (what == "re") add(target, value(source));
            else if (what == "rrc") {
                value sum = source;
                add(sum, arrived[static_cast<std::size_t>(k)]);
                target = sum;
            } else FAIL(what);
        }
        if (what == "s") wires_[{one.gpu, one.send, one.channel}].push_back(sent);
    }

    std::tuple<int, char, int> place(int gpu, const pugi::xml_node& step, const std::string& side, int k) const {
        char buffer = *step.attribute((side + "buf").c_str()).value();
        int chunk = step.attribute((side + "off").c_str()).as_int() + k;
        if (in_place_ && buffer == 'i') {
            buffer = 'o';
            const std::string coll = algo_.attribute("coll").value();
            if (coll == "allgather") chunk += gpu * file_.child("algo").child("gpu").attribute("i_chunks").as_int();
        }
        return {gpu, buffer, chunk};
    }

    pugi::xml_document file_;
    pugi::xml_node algo_;
    bool in_place_ = false;
    int gpus_ = 0;
    std::vector<int> first_block_;
    std::vector<block> blocks_;
    std::map<std::tuple<int, char, int>, value> memory_;
    std::map<std::tuple<int, int, int>, std::deque<std::vector<value>>> wires_;  // sender, receiver, channel
    std::size_t room_;
    detail::splitmix64 random_;
};

bool known(collective what) {
    return what == collective::broadcast || what == collective::reduce || what == collective::allgather ||
           what == collective::allreduce || what == collective::reduce_scatter || what == collective::alltoall;
}

/// Runs the program and checks every chunk of every result.
void check_right(const any_schedule& s, std::size_t room, std::uint64_t seed,
                 msccl_program::loader loader = msccl_program::loader::msccl) {
    const contract contract = s.contract();
    const msccl_program program(s, binding::separate, loader);
    REQUIRE(!program.check());
    machine run(xml_of(program), room, seed);
    const auto chunks = [&](bytes_t bytes) { return static_cast<int>(bytes / program.chunk_bytes()); };
    for (int r = 0; r < run.gpus(); ++r)
        for (int k = 0; k < chunks(contract.input_bytes(r)); ++k) run.bring(r, 'i', k, {{r, k}});
    REQUIRE(run.run());
    for (int r = 0; r < run.gpus(); ++r)
        contract.results(r, [&](const contract::result_range& part) {
            for (int k = 0; k < chunks(part.where.size); ++k) {
                value expected;
                for (rank_t from = part.first; from < part.last; ++from)
                    expected.insert({static_cast<int>(from), chunks(part.at) + k});
                CHECK(run.at(r, 'o', chunks(part.where.offset) + k) == expected);
            }
        });
}

}  // namespace

TEST_CASE("write_msccl: an allgather between two, to the letter") {
    const msccl_program program(allgather::ring{.ranks = 2, .block = 1024});
    CHECK(program.chunk_bytes() == 1024);
    CHECK(
        xml_of(program) ==
        R"(<algo name="a/b" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="0" outofplace="1" minBytes="0" maxBytes="9223372036854775807">
<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
<tb id="0" send="-1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
<tb id="1" send="1" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
<tb id="2" send="-1" recv="1" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
<gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
<tb id="0" send="-1" recv="0" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
<tb id="1" send="0" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
<tb id="2" send="-1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>
)");
}

TEST_CASE("write_msccl: every algorithm that MSCCL can express is correct on its machine, in any order of threads") {
    std::size_t runs = 0, seen = 0;
    const std::size_t stride = support::long_run() ? 1 : 3 * support::one_of();
    for (const rank_t p : {1, 2, 3, 5, 6, 8})
        for (const algorithm_entry& entry : compiled::registry()) {
            if (!known(entry.info.collective) || !support::can_do(entry, p)) continue;
            for (const bytes_t block : {12, 100 * 4}) {
                shape wanted{.ranks = p, .block = block, .bytes = 2 * p * block, .element = 4};
                if (entry.takes(&shape::segment)) wanted.segment = 3 * block;
                if (entry.takes(&shape::group)) wanted.group = p % 2 == 0 ? 2 : 1;
                const any_schedule s = entry.make(wanted);
                if (s.check() || seen++ % stride != 0) continue;
                INFO(std::string(name_of(entry.info.collective)), "/", std::string(entry.info.name), " p=", p,
                     " block=", block);
                for (const std::size_t room : {std::size_t{1}, std::size_t{8}})
                    check_right(s, room, static_cast<std::uint64_t>(runs));
                ++runs;
            }
        }
    CHECK(runs > 500 / stride);
}

TEST_CASE("write_msccl: every program is loaded, or rejected with the limit of the loader that it exceeds") {
    const std::set<std::string> limits{"steps",   "thread blocks", "XML nodes", "channels",
                                       "awaited", "offsets",       "parts"};
    std::size_t loaded = 0, refused = 0, seen = 0, several = 0;
    const std::size_t stride = support::long_run() ? 1 : 11 * support::one_of();
    for (const rank_t p : {2, 3, 16, 33, 34, 64, 65, 108, 130})
        for (const algorithm_entry& entry : compiled::registry())
            for (const msccl_program::loader loader : loaders) {
                if (!known(entry.info.collective) || !support::can_do(entry, p) || seen++ % stride != 0) continue;
                shape wanted{.ranks = p, .block = 12, .bytes = 4 * p, .element = 4};
                if (entry.takes(&shape::segment)) wanted.segment = 12;
                if (entry.takes(&shape::group)) wanted.group = p % 2 == 0 ? 2 : 1;
                const any_schedule s = entry.make(wanted);
                if (s.check()) continue;
                INFO(std::string(name_of(entry.info.collective)), "/", std::string(entry.info.name), " p=", p);
                const std::string limit =
                    limit_of(s, binding::separate, loader, [&](const auto& xml, const auto& program) {
                        const int last = static_cast<int>(p - 1);
                        check_loaded(xml, program, {0, last / 3, last});
                        if (program.channels() > 1) ++several;
                    });
                CHECK((limit.empty() || (limits.contains(limit) && p > 16)));
                ++(limit.empty() ? loaded : refused);
            }
    CHECK(loaded > 400 / stride);
    if (stride == 1) CHECK(refused >= 20);  // too few for a sample
    CHECK(several >= 20 / stride);
}

TEST_CASE("write_msccl: more peers than a channel takes, or more steps than a thread block, use several channels") {
    struct wanted {
        collective what;
        const char* name;
        rank_t ranks;
        bytes_t bytes;
        msccl_program::loader loader;
        std::int64_t channels;
    };
    constexpr msccl_program::loader msccl = msccl_program::loader::msccl, rccl = msccl_program::loader::rccl;
    using enum collective;
    for (const wanted& one : {wanted{alltoall, "linear", 33, 4, msccl, 1}, wanted{alltoall, "linear", 34, 4, msccl, 2},
                              wanted{alltoall, "pairwise", 64, 4, msccl, 2},
                              wanted{alltoall, "pairwise", 64, 4, rccl, 2}, wanted{broadcast, "linear", 70, 4, rccl, 3},
                              wanted{allgather, "ring", 70, 4, rccl, 2},         // 69 messages to one peer
                              wanted{allreduce, "ring", 5, 4 * 12801, rccl, 4},  // steps that only wait are many
                              wanted{allreduce, "allgather-reduce", 40, 4, msccl, 1}}) {  // many operands in one place
        if (support::brief() && one.ranks > 34) continue;
        const algorithm_entry* entry = compiled::find(one.what, one.name);
        REQUIRE_MESSAGE(entry != nullptr, std::string(one.name));
        INFO(std::string(name_of(one.what)), "/", std::string(one.name), " p=", one.ranks);
        const any_schedule s = entry->make({.ranks = one.ranks, .block = 4, .bytes = one.bytes, .element = 4});
        const msccl_program program(s, binding::separate, one.loader);
        CHECK(program.channels() == one.channels);
        check_loaded(xml_of(program), program, {0, 1, static_cast<int>(one.ranks) - 1});
        check_right(s, 1, 5, one.loader);
    }
}

TEST_CASE("write_msccl: limits that programs exceed are named" * doctest::skip(support::brief())) {
    const auto limit = [](collective what, const char* name, const shape& wanted, msccl_program::loader loader) {
        return limit_of(compiled::find(what, name)->make(wanted), binding::separate, loader, [](const auto&...) {});
    };
    constexpr msccl_program::loader msccl = msccl_program::loader::msccl, rccl = msccl_program::loader::rccl;
    CHECK(limit(collective::alltoall, "linear", {.ranks = 108, .block = 4}, msccl)
              .empty());  // 107 + 107 + 1 thread blocks
    CHECK(limit(collective::alltoall, "linear", {.ranks = 109, .block = 4}, msccl) == "thread blocks");
    CHECK(limit(collective::alltoall, "linear", {.ranks = 109, .block = 4}, rccl).empty());
    CHECK(limit(collective::alltoall, "pairwise", {.ranks = 128, .block = 4}, msccl) == "thread blocks");
    CHECK(limit(collective::alltoall, "pairwise", {.ranks = 128, .block = 4}, rccl) == "awaited");
    CHECK(limit(collective::broadcast, "binomial", {.ranks = 2, .bytes = 64 * 4000 * 4 + 4, .segment = 4}, msccl) ==
          "XML nodes");
}

TEST_CASE("write_msccl: a long name is cut to the length of an attribute, and remains text") {
    const msccl_program program(allgather::ring{.ranks = 2, .block = 4});
    for (const std::string part : {"a", "&", "\u00e9", "\""}) {
        std::string name, text;
        for (int i = 0; i < 1000; ++i) name += part;
        write_msccl(std::back_inserter(text), program, name);
        pugi::xml_document file;
        REQUIRE(file.load_string(text.c_str()));
        const std::string read = file.child("algo").attribute("name").value();
        CHECK(read == name.substr(0, read.size()));
        CHECK(read.size() % part.size() == 0);
        const std::size_t begin = text.find('"') + 1;
        CHECK(text.find('"', begin) - begin <= 255);
        CHECK(text.find('"', begin) - begin > 245);
    }
}

TEST_CASE("write_msccl: in place") {
    const auto run_in_place = [](const any_schedule& s) {
        machine run(xml_of(msccl_program(s, binding::in_place), binding::in_place), 2, 1);
        const contract contract = s.contract();
        for (int r = 0; r < run.gpus(); ++r) {
            const int at = contract.collective == collective::allgather ? r : 0;
            const int chunks = contract.collective == collective::allgather ? 1 : run.gpus();
            for (int k = 0; k < chunks; ++k) run.bring(r, 'o', at + k, {{r, k}});
        }
        REQUIRE(run.run());
        for (int r = 0; r < run.gpus(); ++r)
            for (int k = 0; k < run.gpus(); ++k) {
                value expected{{k, 0}};
                if (contract.collective == collective::allreduce) {
                    expected.clear();
                    for (int from = 0; from < run.gpus(); ++from) expected.insert({from, k});
                }
                CHECK(run.at(r, 'o', k) == expected);
            }
    };
    run_in_place(any_schedule(allgather::ring{.ranks = 5, .block = 8}));
    run_in_place(any_schedule(allreduce::ring{.ranks = 5, .bytes = 40, .element = 8}));
}

TEST_CASE("write_msccl: RCCL has its own name for a reduce_scatter") {
    const msccl_program program(reduce_scatter::ring{.ranks = 2, .block = 4});
    CHECK(xml_of(program).find("coll=\"reduce_scatter\"") != std::string::npos);
    const msccl_program renamed(reduce_scatter::ring{.ranks = 2, .block = 4}, binding::separate,
                                msccl_program::loader::rccl);
    CHECK(xml_of(renamed).find("coll=\"reducescatter\"") != std::string::npos);
}
