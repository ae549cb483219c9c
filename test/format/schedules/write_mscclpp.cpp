#include "collsched/format/schedules/write_mscclpp.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

using nlohmann::json;

json plan_of(const any_schedule& s) {
    std::string text;
    write_mscclpp(std::back_inserter(text), s, "a plan");
    return json::parse(text);
}

/// The machine that runs a plan, one operation of any GPU at a time. A chunk is a number; reductions add.
class machine {
  public:
    explicit machine(const json& plan) : plan_(plan), at_(plan["gpus"].size()), memory_(plan["gpus"].size()) {
        for (std::size_t r = 0; r < memory_.size(); ++r) {
            const json& gpu = plan["gpus"][r];
            memory_[r]['i'].resize(gpu["input_chunks"].get<std::size_t>());
            memory_[r]['o'].resize(gpu["output_chunks"].get<std::size_t>());
            memory_[r]['s'].resize(gpu["scratch_chunks"].get<std::size_t>());
            REQUIRE(gpu["threadblocks"].size() == 1);
            CHECK(gpu["threadblocks"][0]["ops"].size() <= 64);
            CHECK(gpu["channels"][0]["connected_to"].size() <= 16);
            CHECK(gpu["threadblocks"][0]["channels"][0]["channel_ids"].size() ==
                  gpu["channels"][0]["connected_to"].size());
            CHECK(gpu["remote_buffers"].size() <= 16);
            CHECK(gpu["threadblocks"][0]["remote_buffer_refs"][0]["remote_buffer_ids"].size() ==
                  gpu["remote_buffers"].size());
        }
    }
    std::vector<long>& memory(std::size_t r, char which) { return memory_[r][which]; }

    /// Returns false if it stops before the end.
    bool run(support::random_source& random) {
        for (int idle = 0; idle < 1000;) {
            const auto r = static_cast<std::size_t>(random.below(std::ssize(at_)));
            idle = step(r) ? 0 : idle + 1;
        }
        for (std::size_t r = 0; r < at_.size(); ++r)
            if (at_[r] < plan_["gpus"][r]["threadblocks"][0]["ops"].size()) return false;
        return true;
    }

  private:
    std::size_t peer(std::size_t r, const json& op) const {
        return plan_["gpus"][r]["channels"][0]["connected_to"][op["channel_ids"][0].get<std::size_t>()]
            .get<std::size_t>();
    }
    bool step(std::size_t r) {
        const json& ops = plan_["gpus"][r]["threadblocks"][0]["ops"];
        if (at_[r] == ops.size()) return false;
        const json& op = ops[at_[r]];
        const std::string name = op["name"];
        if (name == "wait" && signals_[{peer(r, op), r}] == 0) return false;
        if (name == "wait") --signals_[{peer(r, op), r}];
        if (name == "signal") ++signals_[{r, peer(r, op)}];
        if (name == "put" || name == "copy" || name == "re") move(r, op);
        ++at_[r];
        return true;
    }
    void move(std::size_t r, const json& op) {
        std::vector<long> value(op["dst_buff"][0]["size"].get<std::size_t>());
        for (const json& from : op["src_buff"]) {
            const std::vector<long>& all = memory_[r][from["type"].get<std::string>()[0]];
            for (std::size_t i = 0; i < value.size(); ++i) value[i] += all.at(from["index"].get<std::size_t>() + i);
        }
        const json& to = op["dst_buff"][0];
        std::size_t where = r;
        char type = 'o';
        if (to.contains("buffer_id")) {
            const json& remote = plan_["gpus"][r]["remote_buffers"][to["buffer_id"].get<std::size_t>()];
            where = remote["rank"].get<std::size_t>();
            type = remote["type"].get<std::string>()[0];
        } else {
            type = to["type"].get<std::string>()[0];
        }
        for (std::size_t i = 0; i < value.size(); ++i)
            memory_[where][type].at(to["index"].get<std::size_t>() + i) = value[i];
    }

    const json& plan_;
    std::vector<std::size_t> at_;
    std::vector<std::map<char, std::vector<long>>> memory_;
    std::map<std::pair<std::size_t, std::size_t>, int> signals_;
};

/// Input chunk c of rank r: numbers of 40 bits of whose sums no two are equal by chance.
long value(std::size_t r, std::size_t c) {
    return static_cast<long>(((r + 1) * 6364136223846793005U + (c + 1) * 1442695040888963407U) >> 24);
}

}  // namespace

TEST_CASE("write_mscclpp: programs bring the result in any order") {
    support::random_source random(11);
    int ran = 0;
    for (const rank_t p : {2, 3, 4, 7, 12, 17})
        for (const algorithm_entry& entry : support::registered_at(p)) {
            const collective what = entry.info.collective;
            if (what != collective::allgather && what != collective::allreduce && what != collective::alltoall &&
                what != collective::broadcast && what != collective::reduce_scatter)
                continue;
            const any_schedule s = entry.make({.ranks = p, .block = 4, .bytes = 4 * p, .element = 4});
            if (s.check()) continue;
            json plan;
            try {
                plan = plan_of(s);
            } catch (const bad_argument& wrong) {
                const std::string said = wrong.error().argument;
                CHECK((said == "operations" || said == "step" || said == "peers" || said == "buffers"));
                continue;
            }
            CAPTURE(entry.info.name);
            CAPTURE(p);
            ++ran;
            machine all(plan);
            const auto ranks = static_cast<std::size_t>(p);
            for (std::size_t r = 0; r < ranks; ++r)
                for (std::size_t c = 0; c < all.memory(r, 'i').size(); ++c) all.memory(r, 'i')[c] = value(r, c);
            REQUIRE(all.run(random));
            const std::size_t per = all.memory(0, 'i').size() / (what == collective::allgather ? 1 : ranks);
            for (std::size_t r = 0; r < ranks; ++r)
                for (std::size_t c = 0; c < all.memory(r, 'o').size(); ++c) {
                    long sum = 0;
                    for (std::size_t q = 0; q < ranks; ++q)
                        sum += value(q, what == collective::allreduce ? c : r * per + c);
                    const long wanted = what == collective::allgather   ? value(c / per, c % per)
                                        : what == collective::alltoall  ? value(c / per, r * per + c % per)
                                        : what == collective::broadcast ? value(0, c)
                                                                        : sum;
                    CHECK(all.memory(r, 'o')[c] == wanted);
                }
        }
    CHECK(ran > 100 / static_cast<int>(support::one_of()));
}

TEST_CASE("write_mscclpp: inexpressible schedules are rejected") {
    const auto refusal = [](const auto& s) {
        try {
            const detail::mscclpp_plan plan(s);
        } catch (const bad_argument& wrong) {
            return std::string(wrong.error().argument);
        }
        return std::string();
    };
    CHECK(refusal(allgather::ring{.ranks = 20, .block = 4}) == "operations");
    CHECK(refusal(alltoall::linear{.ranks = 18, .block = 4}) == "operations");
    CHECK(refusal(barrier::linear{.ranks = 4}) == "collective");
    CHECK(refusal(allgather::ring{.ranks = 8, .block = 4}).empty());
    // Rank 0 writes into the output of each peer in one step, and into its scratch too if requested.
    const auto written = [](rank_t peers, bool both) {
        owned_array<edge> edges(both ? 2 * peers : peers);
        for (rank_t to = 1; to <= peers; ++to) {
            edge& copied = edges[to - 1];
            copied.dst = to;
            copied.size = 4;
            if (!both) continue;
            edge& combined = edges[peers + to - 1] = copied;
            combined.from_offset = combined.into_offset = 4;
            combined.action = action::combine_after;
        }
        owned_array<bytes_t> none(20), staging(20);
        for (bytes_t& bytes : staging) bytes = 4;
        const contract contract = lower(allreduce::ring{.ranks = 20, .bytes = 8, .element = 4}).contract();
        return stored_schedule(contract, 1, {}, std::move(none), std::move(staging), std::move(edges), 1);
    };
    CHECK(refusal(written(16, false)).empty());
    CHECK(refusal(written(17, false)) == "peers");
    CHECK(refusal(written(8, true)).empty());
    CHECK(refusal(written(9, true)) == "buffers");
}
