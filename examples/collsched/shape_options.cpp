#include "shape_options.hpp"

#include <fmt/format.h>

#include "usage_error.hpp"

using namespace collsched;

rank_range read_rank_range(const text_option& option, rank_t first, rank_t last) {
    if (!option.given()) return {first, last};
    const std::string text = option.text();
    const std::size_t dots = text.find("..");
    if (dots == text.npos) {
        const rank_t p = read_number(option.name(), text, 1);
        return {p, p};
    }
    const char* const accepted = "P, or A..B with 1 <= A <= B";
    rank_range range;
    try {
        range = {read_number(option.name(), text.substr(0, dots), 1),
                 read_number(option.name(), text.substr(dots + 2), 1)};
    } catch (const usage_error&) {  // it would name one end alone
        throw usage_error(option.name(), text, accepted);
    }
    if (range.first > range.last) throw usage_error(option.name(), text, accepted);
    return range;
}

namespace {

void check_element(const shape_request& shape) {
    const auto check = [&](const std::string& what, bytes_t size) {
        if (size % shape.element != 0)
            throw usage_error("--element", std::to_string(shape.element),
                              fmt::format("a size that divides {} = {}", what, size));
    };
    if (shape.block) check("--block", *shape.block);
    if (shape.bytes) check("--bytes", *shape.bytes);
    for (std::size_t i = 0; i < shape.counts.size(); ++i) check(fmt::format("--counts[{}]", i), shape.counts[i]);
}

}  // namespace

shape_options::shape_options(CLI::App& command, takes what)
    : what_(what),
      ranks_(command, "--ranks", what == takes::one_p ? "P" : "P|A..B", "number of ranks"),
      block_(command, "--block", "BYTES", "size of every rank's block (one element)"),
      bytes_(command, "--bytes", "BYTES", "size of all blocks together, split in p parts of whole elements"),
      counts_(command, "--counts", "A,B,...", "size of each rank's block in bytes"),
      displs_(command, "--displs", "A,B,...", "where each block lies in the result (packed in rank order)"),
      element_(command, "--element", "BYTES", "size of an element, which is never split (1)") {
    if (what == takes::range_in_place) in_place_.emplace(command, "--in-place", "input lies in output already");
}

shape_request shape_options::read() const {
    shape_request shape;
    if (!ranks_.given()) throw usage_error("--ranks", "", "the number of ranks, 1 or more");
    if (what_ == takes::one_p && ranks_.text().find("..") != std::string::npos)
        throw usage_error("--ranks", ranks_.text(), "one number of ranks");
    shape.ranks = read_rank_range(ranks_, 1, 1);
    at_most_one({&block_, &bytes_, &counts_});
    if (displs_.given() && !counts_.given())
        throw usage_error("--displs", displs_.text(), "only together with --counts");
    shape.element = element_.number(1, 1);
    if (block_.given()) shape.block = block_.number(0, 0);
    if (bytes_.given()) shape.bytes = bytes_.number(0, 0);
    if (counts_.given()) shape.counts = read_numbers("--counts", counts_.text(), 0);
    if (displs_.given()) shape.displs = read_numbers("--displs", displs_.text(), 0);
    const auto counts = static_cast<rank_t>(shape.counts.size());
    if (shape.has_counts() && (shape.ranks.first != counts || shape.ranks.last != counts))
        throw usage_error("--counts", counts_.text(), fmt::format("one for each of --ranks {}", ranks_.text()));
    if (displs_.given() && shape.displs.size() != shape.counts.size())
        throw usage_error("--displs", displs_.text(), fmt::format("one for each of the {} counts", counts));
    check_element(shape);
    if (in_place_ && in_place_->given()) shape.how = binding::in_place;
    return shape;
}

block_layout shape_request::layout(rank_t p) const {
    if (bytes) return block_layout::partition(*bytes, p, element);
    if (!has_counts()) return block.value_or(element);
    const std::span<const bytes_t> sizes(counts);
    return displs.empty() ? block_layout(sizes) : block_layout(sizes, displs);
}

any_schedule shape_request::make(const listed_schedule& which, rank_t p) const {
    if (which.irregular && !has_counts())
        throw usage_error("--counts", "", fmt::format("a size for each rank, which {} takes", which.name));
    const block_layout blocks = layout(p);
    if (const error wrong = blocks.check(p)) throw usage_error(wrong);
    any_schedule made = which.entry->make({.ranks = p, .block = blocks});
    if (const error wrong = made.check()) throw usage_error(wrong);
    return made;
}

any_schedule shape_request::make_one(const listed_schedule& which) const { return make(which, ranks.first); }
