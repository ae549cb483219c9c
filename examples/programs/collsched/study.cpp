#include <initializer_list>
#include <string>

#include <fmt/format.h>

#include "benchmarks/studies/study_allgather.hpp"
#include "benchmarks/studies/study_ccsim.hpp"
#include "benchmarks/studies/study_gatherv.hpp"
#include "benchmarks/studies/study_grouped.hpp"
#include "commands.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct study_options {
    explicit study_options(CLI::App& command)
        : subject(command, "SUBJECT", "allgather, gatherv, ccsim or grouped"),
          ranks(command, option_group::shape, "--ranks", "P|A..B|A,B,...",
                "numbers of ranks: allgather A..B (default 2..64), or P (64) with --cluster; gatherv A,B,... "
                "(default 64,1024,32768); ccsim A,B,... (default 4,8,...,512); grouped P (default 16)"),
          seed(command, option_group::other, "--seed", "N",
               "gatherv, ccsim, grouped: seed of random displacements, clusters or data (default 1)"),
          gatherv(command),
          ccsim(command),
          grouped(command),
          cluster(command, option_group::cluster, "--cluster", "FILE",
                  "allgather: cluster for times in place of counts; its links are shared by messages"),
          json(command, option_group::output, "--json", "one JSON object per result, without the comparison") {}
    text_option subject, ranks, seed;
    gatherv_options gatherv;
    ccsim_options ccsim;
    grouped_options grouped;
    text_option cluster;
    flag_option json;

    /// Rejects options of other subjects.
    void refuse(std::initializer_list<const text_option*> others) const {
        for (const text_option* other : others)
            if (other->given()) throw usage_error::conflict(other->name(), fmt::format("study {}", subject.text()));
    }
};

/// Rejects options of other subjects.
void check_options(const study_options& options) {
    const std::string subject = options.subject.text();
    const gatherv_options& gatherv = options.gatherv;
    const grouped_options& g = options.grouped;
    if (subject != "gatherv") options.refuse({&gatherv.model, &gatherv.connection_bytes, &gatherv.connection_us});
    if (subject != "ccsim") options.refuse({&options.ccsim.clusters});
    if (subject != "ccsim" && subject != "grouped") options.refuse({&options.ccsim.svg});
    if (subject != "grouped")
        options.refuse(
            {&g.bytes, &g.bandwidth, &g.latency, &g.packet, &g.buffer, &g.window, &g.timeout, &g.master, &g.delay});
    if (subject != "allgather") options.refuse({&options.cluster});
    if (subject == "allgather") options.refuse({&options.seed});
}

int study(const study_options& options) {
    const std::string subject = options.subject.text();
    const bool json = options.json.given();
    check_options(options);
    if (subject == "allgather")
        return options.cluster.given() ? study_allgather_timing(options.ranks, options.cluster, json)
                                       : study_allgather(options.ranks, json);
    if (subject == "gatherv") return study_gatherv(options.ranks, options.seed, options.gatherv, json);
    if (subject == "ccsim") return study_ccsim(options.ranks, options.seed, options.ccsim, json);
    if (subject == "grouped")
        return study_grouped(options.ranks, options.seed, options.ccsim.svg, options.grouped, json);
    throw usage_error("SUBJECT", subject, "allgather, gatherv, ccsim, grouped");
}

}  // namespace

command add_study(CLI::App& program) {
    return make_command<study_options>(
        program,
        {.name = "study",
         .phrase = "results of published papers, computed again",
         .sentence = "Computes the results of a published paper and prints them beside the published figures.",
         .usage = {"study allgather [--ranks A..B | --cluster FILE [--ranks P]] [--json]",
                   "study gatherv [--ranks A,B,...] [--model MODEL] [OPTION...] [--seed N] [--json]",
                   "study ccsim [--ranks A,B,...] [--clusters N] [--seed N] [--svg FILE] [--json]",
                   "study grouped [--ranks P] [OPTION...] [--seed N] [--svg FILE] [--json]"},
         .examples = {"study allgather --ranks 2..8", "study gatherv --ranks 64"},
         .notes = {"A description that begins with subjects applies to these subjects only.",
                   "docs/ccsim.md and docs/grouped_study.md describe ccsim and grouped."}},
        study);
}
