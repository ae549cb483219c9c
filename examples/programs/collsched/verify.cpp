#include <fmt/format.h>

#include "collsched/verify.hpp"
#include "commands.hpp"
#include "limits.hpp"
#include "shape_options.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct verify_options {
    explicit verify_options(CLI::App& command)
        : shape(command, shape_options::takes::range_of_all),
          json(command, option_group::output, "--json", "one JSON object per schedule and number of ranks") {}

    shape_options shape;
    flag_option json;
};

void refuse_large(const std::string&, const any_schedule& s) {
    refuse_beyond(s, 26, "");
    refuse_large_replay(s);
}

std::string verdict_json(const std::string& name, rank_t ranks, const verdict& found) {
    if (found.ok()) return fmt::format(R"({{"schedule":{},"ranks":{},"result":"ok"}})", json_text(name), ranks);
    return fmt::format(R"({{"schedule":{},"ranks":{},"result":"refused","finding":"{}","step":{},"rank":{},)"
                       R"("buffer":"{}","byte":{}}})",
                       json_text(name), ranks, name_of(found.finding), found.step, found.rank, name_of(found.where),
                       found.byte);
}

/// Returns the finding as a cell; empty for a correct schedule.
std::string detail_of(const verdict& found) {
    if (found.ok()) return {};
    return fmt::format("finding={} step={} rank={} buffer={} byte={}", name_of(found.finding), found.step, found.rank,
                       name_of(found.where), found.byte);
}

int verify_all(const verify_options& options) {
    const shape_request shape = options.shape.read();
    shape.for_each_largest(refuse_large);  // before the first line
    const bool json = options.json.given();
    progress_line progress(json);
    text_table table = schedule_table(shape, {{"result", text_table::side::left, 7}, {"detail"}});
    int status = success;
    shape.for_each([&](const std::string& name, const any_schedule& s) {
        refuse_large(name, s);
        progress.show(fmt::format("{}, {} ranks", name, s.ranks));
        const verdict found = verify(s, shape.how);
        progress.erase();
        if (!found.ok()) status = refused;
        if (json) {
            put_line(verdict_json(name, s.ranks, found));
        } else {
            table.add({name, std::to_string(s.ranks), found.ok() ? "ok" : "refused", detail_of(found)},
                      found.ok() ? text_style::plain : text_style::failure);
            table.print();
        }
        standard_output().flush();
    });
    return status;
}

}  // namespace

command add_verify(CLI::App& program) {
    return make_command<verify_options>(
        program,
        {.name = "verify",
         .phrase = "proof of a schedule by symbolic replay",
         .sentence = "Replays a schedule symbolically and checks that it fulfills the contract of its collective.",
         .usage = {"verify NAME|all SHAPE... [--json]"},
         .examples = {"verify allgather/ring --ranks 2..16", "verify all --ranks 8"}},
        verify_all);
}
