// A user-defined transport: five functions. It stores every message in a map until its receive is posted.

#include <cstdio>
#include <deque>
#include <map>
#include <tuple>

#include "collsched/collective.hpp"
#include "collsched/execute.hpp"

using namespace collsched;
// Source, target, channel and start of the plan, number of the message.
using label = std::tuple<rank_t, rank_t, std::uint64_t, std::uint64_t, std::int64_t>;
std::map<label, std::deque<std::byte>> in_the_mail;
struct post_office {
    rank_t rank;
    std::deque<completion> done{};
    std::map<label, std::pair<message::request, std::span<const message::receive_part>>> expected{};

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        auto& letter = in_the_mail[{rank, key.peer, key.channel, key.epoch, key.sequence}];
        for (const message::send_part& one : parts) letter.insert(letter.end(), one.data, one.data + one.size);
        done.push_back({key.request});
        return 0;
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        expected[{key.peer, rank, key.channel, key.epoch, key.sequence}] = {key.request, parts};
        return 0;
    }
    completion poll() {
        std::erase_if(expected, [this](const auto& one) {
            auto letter = in_the_mail.extract(one.first);
            if (!letter) return false;
            for (const message::receive_part& to : one.second.second)
                for (bytes_t i = 0; i < to.size; letter.mapped().pop_front()) to.data[i++] = letter.mapped().front();
            done.push_back({one.second.first});
            return true;
        });
        if (done.empty()) return {};
        const completion first = done.front();
        return done.pop_front(), first;
    }
    completion wait_any(std::chrono::nanoseconds) { return {{}, 1}; }  // not needed: one thread runs all ranks
    void cancel(const void* owner) {
        std::erase_if(expected, [=](const auto& one) { return one.second.first.owner == owner; });
        std::erase_if(done, [=](const completion& one) { return one.request.owner == owner; });
    }
};

int main() {
    const allgather::bruck bruck{.ranks = 2, .block = 3};
    char text[2][4] = {"foo", "bar"}, all[2][7] = {};
    const auto of = [](auto& chars) { return std::as_writable_bytes(std::span(chars).first(std::size(chars) - 1)); };
    bound_plan plans[] = {{bruck, 0, {of(text[0]), of(all[0])}}, {bruck, 1, {of(text[1]), of(all[1])}}};
    post_office offices[] = {{0}, {1}};
    execution zero(plans[0].plan(), offices[0]), one(plans[1].plan(), offices[1]);
    zero.start(plans[0].buffers()), one.start(plans[1].buffers());
    while (!zero.progress().failed() && !(one.progress().done() && zero.state().done())) {}
    std::printf("%s %s\n", all[0], all[1]);
}
