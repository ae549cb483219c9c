// A transport of one's own: five calls. This one keeps every message in a map until its receive is posted.

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <tuple>

#include "collsched/collective.hpp"
#include "collsched/execute.hpp"

using namespace collsched;

using label = std::tuple<rank_t, rank_t, std::uint64_t, std::int64_t>;  // source, target, generation, sequence
std::map<label, std::vector<std::byte>> in_the_mail;

class post_office {
  public:
    explicit post_office(rank_t rank) : rank_(rank) {}
    int post_send(const message_key& key, const std::byte* data, bytes_t size) {
        in_the_mail[{rank_, key.peer, key.generation, key.sequence}].assign(data, data + size);
        done_.push_back({key.token, 0});
        return 0;
    }
    int post_recv(const message_key& key, std::byte* data, bytes_t) {
        expected_[{key.peer, rank_, key.generation, key.sequence}] = {key.token, data};
        return 0;
    }
    completion poll() {
        std::erase_if(expected_, [this](const auto& one) {
            const auto letter = in_the_mail.extract(one.first);
            if (letter) std::copy(letter.mapped().begin(), letter.mapped().end(), one.second.second);
            if (letter) done_.push_back({one.second.first, 0});
            return !letter.empty();
        });
        if (done_.empty()) return {};
        const completion first = done_.front();
        done_.pop_front();
        return first;
    }
    completion wait_any() { return {-1, 1}; }  // one thread runs all ranks here: waiting would be for ever
    void cancel() { expected_.clear(), done_.clear(); }

  private:
    rank_t rank_;
    std::deque<completion> done_;
    std::map<label, std::pair<std::int64_t, std::byte*>> expected_;
};

int main() {
    const allgather::bruck bruck{.ranks = 2, .block = 3};
    char text[2][4] = {"foo", "bar"}, all[2][7] = {};
    const auto of = [](auto& chars) { return std::as_writable_bytes(std::span(chars).first(std::size(chars) - 1)); };
    equipped_plan plans[] = {{bruck, 0, {of(text[0]), of(all[0])}}, {bruck, 1, {of(text[1]), of(all[1])}}};
    post_office offices[] = {post_office(0), post_office(1)};
    execution zero(plans[0].what(), offices[0]), one(plans[1].what(), offices[1]);
    zero.start(plans[0].buffers()), one.start(plans[1].buffers());
    while (!zero.progress().failed() && !(one.progress().done() && zero.state().done())) {}
    std::printf("%s %s\n", all[0], all[1]);
}
