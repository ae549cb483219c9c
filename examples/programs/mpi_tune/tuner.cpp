#include "tuner.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "algorithms/algorithms.hpp"
#include "collsched/format.hpp"
#include "examples/programs/collsched/decision_output.hpp"
#include "examples/programs/collsched/model_option.hpp"
#include "examples/programs/collsched/text_output.hpp"
#include "examples/programs/collsched/usage_error.hpp"
#include "timed_case.hpp"
#include "rank_protocol.hpp"

using namespace collsched;

namespace {

constexpr auto right = text_table::side::right;

std::vector<text_table::column> columns() {
    return {{"schedule", text_table::side::left, 34},
            {"parameters", text_table::side::left, 12},
            {"ranks", right, 5},
            {"bytes", right, 8},
            {"time_us", right, 14},
            {"low_us", right, 14},
            {"high_us", right, 14},
            {"runs", right, 6},
            {"candidates", right}};
}

/// Fails for a table that could not be written at the end.
void check_writable(const std::string& path) {
    const written_files none;
    write_file("--out", path, [](text_output::iterator) {});
}

bool is_faster(const decision& a, const decision& b) { return a.time < b.time; }

}  // namespace

tuner::tuner(machine& here, const tune_request& request, clock::time_point begin)
    : here_(here),
      request_(request),
      end_(begin + std::chrono::seconds(request.budget)),
      beaten_(begin),
      table_(columns()) {
    check_writable(request.out);
    if (!request.state.empty()) state_.open_file(request.state);
    for (const decision& row : state_.content().rows) {
        if (row.ranks > here.size() || row.ranks_per_node != here.place(row.ranks).ranks_per_node()) continue;
        rows_.push_back(row);
    }
}

std::vector<tuned_case> tuner::cases() const {
    std::vector<tuned_case> made;
    for (const collective what : request_.collectives)
        for (const rank_t ranks : request_.ranks)
            for (const bytes_t bytes : what == collective::barrier ? std::vector<bytes_t>{0} : request_.sizes)
                made.push_back({what, ranks, bytes});
    return made;
}

int tuner::run() {
    send_start(here_, {request_.patience, request_.ranks});
    begin_model();
    const std::vector<tuned_case> all = cases();
    std::size_t left = 0;
    for (const tuned_case& one : all)
        if (!is_complete(one)) ++left;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool complete = is_complete(all[i]);
        if (!complete && clock::now() < end_) {
            const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(end_ - clock::now()).count();
            progress_.show(fmt::format("{} of {}: {}, {} ranks, {}; {} s left", i + 1, all.size(),
                                       name_of(all[i].collective), all[i].ranks, bytes_text(all[i].bytes), seconds));
            tune(all[i], left);
            --left;
        }
        report(all[i]);
    }
    progress_.erase();
    const auto unmeasured = std::ranges::count_if(all, [&](const tuned_case& one) { return rows_of(one).empty(); });
    if (unmeasured > 0)
        std::fputs(fmt::format("mpi_tune: {} of {} cases not measured within {} seconds; --state continues a run\n",
                               unmeasured, all.size(), request_.budget)
                       .c_str(),
                   stderr);
    put_line(fmt::format("model {}", model_text(fit_.model())));
    standard_output().flush();
    write_table();
    return wrong_ == 0 ? success : refused;
}

void tuner::begin_model() {
    const tuning::tuning_file& file = state_.content();
    loggp_model model;
    if (request_.model) {
        model = *request_.model;
    } else if (file.run) {
        model = read_loggp(fmt::format("--state: {}:1: model", request_.state), file.run->model);
    } else {
        progress_.show("model between ranks 0 and 1");
        model = calibrated(here_, clock::now() + (end_ - clock::now()) / 20);
    }
    fit_ = tuning::model_fit(model);
    state_.begin({here_.size(), here_.place(here_.size()).ranks_per_node(), request_.keeps_order, model_text(model)});
    for (const decision& row : rows_) fit(row);
}

std::vector<decision> tuner::rows_of(const tuned_case& one) const {
    std::vector<decision> made;
    for (const decision& row : rows_)
        if (tuned_case{row.collective, row.ranks, row.bytes} == one) made.push_back(row);
    return made;
}

bool tuner::is_complete(const tuned_case& one) const { return rows_of(one).size() >= request_.candidates; }

void tuner::tune(const tuned_case& one, std::size_t left) {
    const auto even = (end_ - clock::now()) / (2 * static_cast<std::int64_t>(std::max<std::size_t>(1, left)));
    const std::vector<choice::candidate> wanted = contenders(one, clock::now() + even);
    const std::vector<decision> done = rows_of(one);
    std::vector<decision> missing;
    for (const choice::candidate& candidate : wanted) {
        const auto same = [&](const decision& row) {
            return std::string_view(row.algorithm) == candidate.entry->info.name;
        };
        if (done.size() + missing.size() < wanted.size() && std::ranges::none_of(done, same))
            missing.push_back(row_of(candidate, one.bytes));
    }
    if (!missing.empty()) measure(one, missing, end_of_share(wanted, left));
}

std::vector<choice::candidate> tuner::contenders(const tuned_case& one, clock::time_point until) {
    choice::request request = request_of(one, here_.place(one.ranks));
    request.keeps_order = request_.keeps_order;
    request.edge_limit = std::min(std::int64_t{1} << 20, (std::int64_t{1} << 12) * one.ranks);
    std::vector<choice::candidate> all;
    for (const algorithm_entry& entry : compiled::registry()) {
        if (entry.info.collective != one.collective) continue;
        int tried = 0;  // the first setting always has a price
        const auto price = [&, model = simulated_price(fit_.model())](const any_schedule& s, picoseconds limit) {
            beat();
            return tried++ > 0 && clock::now() > until ? unpriced : model(s, limit);
        };
        const choice made = choose(request, {&entry, 1}, price);
        all.insert(all.end(), made.candidates.begin(), made.candidates.end());
    }
    std::ranges::stable_sort(all, {}, &choice::candidate::cost);
    const std::size_t count = std::min(request_.candidates, all.size());
    const auto ordered = [](const choice::candidate& candidate) {
        return !candidate.entry->make(candidate.parameters).contract().commutative;
    };
    const auto first = std::ranges::find_if(all, ordered);
    std::vector<choice::candidate> made(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    if (first != all.end() && first - all.begin() >= static_cast<std::ptrdiff_t>(count)) made.push_back(*first);
    return made;
}

tuner::clock::time_point tuner::end_of_share(const std::vector<choice::candidate>& wanted, std::size_t left) {
    double weight = 0;
    for (const choice::candidate& one : wanted) weight += one.cost <= 2 * wanted.front().cost ? 1 : 0;
    weights_ += weight;
    weighted_ += 1;
    const double later = weights_ / weighted_ * static_cast<double>(left - 1);
    const std::chrono::duration<double> remaining = end_ - clock::now(),
                                        most(static_cast<double>(request_.patience) / 3);
    const auto share = std::min(remaining * (weight / (weight + later)), most);
    return clock::now() + std::chrono::duration_cast<clock::duration>(share);
}

void tuner::measure(const tuned_case& one, const std::vector<decision>& candidates, clock::time_point until) {
    const tune_command wanted{tune_command::kind::measure, 0, one, candidates};
    send(here_, wanted);
    const timed_case ended = measured_by_all(here_, wanted, until);
    picoseconds& barrier = barriers_.try_emplace(one.ranks, ended.barrier).first->second;
    barrier = std::min(barrier, ended.barrier);
    const auto alone = [&](picoseconds time) { return std::max<picoseconds>(1, time - barrier); };
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const measured_candidate& candidate = ended.candidates[i];
        decision row = candidates[i];
        row.ranks_per_node = here_.place(one.ranks).ranks_per_node();
        row.origin = decision::source::measured;
        row.time = alone(candidate.time.median);
        row.time_low = alone(candidate.time.low);
        row.time_high = alone(candidate.time.high);
        row.runs = candidate.runs;
        if (candidate.end == measured_candidate::outcome::measured) note(row);
        if (candidate.end == measured_candidate::outcome::wrong) report_wrong(row);
    }
}

void tuner::report_wrong(const decision& row) {
    ++wrong_;
    progress_.erase();
    const std::string parameters = parameters_text(row);
    std::fputs(fmt::format("mpi_tune: {}/{}{}{} on {} ranks, {} bytes: got a wrong result, expected that of the "
                           "collective\n",
                           name_of(row.collective), row.algorithm, parameters.empty() ? "" : " ", parameters, row.ranks,
                           row.bytes)
                   .c_str(),
               stderr);
}

void tuner::note(const decision& row) {
    state_.append(row);
    rows_.push_back(row);
    fit(row);
}

void tuner::beat() {
    here_.watch().progress();
    if (clock::now() < beaten_ + std::chrono::milliseconds(250 * request_.patience)) return;
    send(here_, {.what = tune_command::kind::wait, .one = {}, .candidates = {}});
    beaten_ = clock::now();
}

void tuner::fit(const decision& row) {
    const algorithm_entry* const entry = compiled::find(row.collective, row.algorithm);
    const choice::request request = request_of({row.collective, row.ranks, row.bytes}, here_.place(row.ranks));
    const any_schedule schedule = entry->make(decided(row, request.parameters));
    const bool is_noise = row.time_low <= 1;  // not longer than a barrier
    if (!schedule.check() && !is_noise) fit_.add(schedule, row.time);
    beat();
}

void tuner::report(const tuned_case& one) {
    const std::vector<decision> rows = rows_of(one);
    if (rows.empty()) return;
    progress_.erase();
    const decision& best = *std::ranges::min_element(rows, is_faster);
    table_.add({fmt::format("{}/{}", name_of(best.collective), best.algorithm), parameters_text(best),
                std::to_string(best.ranks), std::to_string(best.bytes), microseconds(best.time),
                microseconds(best.time_low), microseconds(best.time_high), std::to_string(best.runs),
                std::to_string(rows.size())});
    table_.print();
    standard_output().flush();
}

void tuner::write_table() const {
    std::vector<decision> wanted;
    for (const tuned_case& one : cases())
        for (const decision& row : rows_of(one)) wanted.push_back(row);
    written_files files;
    write_file("--out", request_.out,
               [&](text_output::iterator out) { write_decisions(out, fastest_decisions(wanted), request_.words); });
    files.publish();
}
