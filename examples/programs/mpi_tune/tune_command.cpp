#include "tune_command.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "algorithms/algorithms.hpp"
#include "examples/programs/collsched/decision_output.hpp"

using namespace collsched;

namespace {

constexpr std::size_t candidate_words = 1 + std::size(free_parameters);

/// Reads the numbers of a message in order, each with its range.
class message_reader {
  public:
    explicit message_reader(const tune_command::message& message) : message_(message) {}

    std::int64_t next(std::int64_t least, std::int64_t most) {
        const std::int64_t value = message_[at_++];
        if (value < least || value > most)
            throw std::runtime_error(fmt::format("command[{}]: got {}, expected {}..{}", at_ - 1, value, least, most));
        return value;
    }
    std::int64_t setting() { return message_[at_] == shape::as_it_is ? message_[at_++] : next(0, INT64_MAX); }

  private:
    const tune_command::message& message_;
    std::size_t at_ = 0;
};

std::int64_t index_of(const decision& row) {
    return compiled::find(row.collective, row.algorithm) - compiled::registry().data();
}

}  // namespace

choice::request request_of(const tuned_case& one, const topology::placement& placement) {
    choice::request request = request_for(one.collective, one.ranks, one.bytes);
    request.parameters.placement = placement;
    return request;
}

tune_command::message tune_command::encoded() const {
    message made{static_cast<std::int64_t>(what),
                 status,
                 static_cast<std::int64_t>(one.collective),
                 one.ranks,
                 one.bytes,
                 static_cast<std::int64_t>(candidates.size())};
    auto out = made.begin() + 6;
    for (const decision& row : candidates) {
        *out++ = index_of(row);
        for (const auto& setting : free_parameters) *out++ = row.*setting.row;
    }
    return made;
}

tune_command tune_command::decoded(const message& received, rank_t ranks) {
    static_assert(words == 6 + candidate_words * most_candidates);
    message_reader in(received);
    tune_command made;
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
        for (const auto& setting : free_parameters) row.*setting.row = in.setting();
    }
    return made;
}
