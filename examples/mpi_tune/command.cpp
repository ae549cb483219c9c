#include "command.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "algorithms/algorithms.hpp"

using namespace collsched;

namespace {

/// Free parameters of a candidate, in the order of a message.
constexpr std::int64_t decision::* settings[] = {&decision::segment, &decision::radix, &decision::group,
                                                 &decision::aggregate, &decision::window};
constexpr std::size_t candidate_words = 1 + std::size(settings);

/// Reads the numbers of a message in order, each with its range.
class message_reader {
  public:
    explicit message_reader(const command::message& message) : message_(message) {}

    std::int64_t next(std::int64_t least, std::int64_t most) {
        const std::int64_t value = message_[at_++];
        if (value < least || value > most)
            throw std::runtime_error(fmt::format("command[{}]: got {}, expected {}..{}", at_ - 1, value, least, most));
        return value;
    }
    std::int64_t setting() { return message_[at_] == shape::as_it_is ? message_[at_++] : next(0, INT64_MAX); }

  private:
    const command::message& message_;
    std::size_t at_ = 0;
};

std::int64_t index_of(const decision& row) {
    return compiled::find(row.collective, row.algorithm) - compiled::registry().data();
}

}  // namespace

choice::request request_of(const tuned_case& one, const topology::placement& placement) {
    shape sized{.ranks = one.ranks, .segment = shape::as_it_is, .placement = placement};
    const bool blocks = moves_blocks(one.collective) || one.collective == collective::alltoall;
    if (!blocks) sized.bytes = one.bytes;
    else if (one.bytes % one.ranks == 0) sized.block = block_layout(one.bytes / one.ranks);
    else sized.block = block_layout::partition(one.bytes, one.ranks);
    return {.collective = one.collective, .parameters = sized};
}

command::message command::encoded() const {
    message made{static_cast<std::int64_t>(what),
                 status,
                 static_cast<std::int64_t>(one.collective),
                 one.ranks,
                 one.bytes,
                 static_cast<std::int64_t>(candidates.size())};
    auto out = made.begin() + 6;
    for (const decision& row : candidates) {
        *out++ = index_of(row);
        for (const auto setting : settings) *out++ = row.*setting;
    }
    return made;
}

command command::decoded(const message& received, rank_t ranks) {
    static_assert(words == 6 + candidate_words * most_candidates);
    message_reader in(received);
    command made;
    made.what = static_cast<kind>(in.next(0, static_cast<int>(kind::stop)));
    made.status = static_cast<int>(in.next(0, 255));
    made.one.collective = static_cast<collective>(in.next(0, static_cast<int>(collective::barrier)));
    made.one.ranks = in.next(2, ranks);
    made.one.bytes = in.next(0, std::int64_t{1} << 40);
    made.candidates.resize(static_cast<std::size_t>(in.next(0, most_candidates)));
    for (decision& row : made.candidates) {
        const auto last = static_cast<std::int64_t>(compiled::registry().size()) - 1;
        const algorithm_entry& entry = compiled::registry()[static_cast<std::size_t>(in.next(0, last))];
        if (entry.info.collective != made.one.collective)
            throw std::runtime_error(fmt::format("command: got an algorithm of {}, expected one of {}",
                                                 name_of(entry.info.collective), name_of(made.one.collective)));
        row.collective = entry.info.collective;
        row.algorithm = entry.info.name;
        for (const auto setting : settings) row.*setting = in.setting();
    }
    return made;
}
