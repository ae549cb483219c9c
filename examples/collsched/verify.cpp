#include <memory>

#include <fmt/format.h>

#include "collsched/verify.hpp"
#include "commands.hpp"
#include "limits.hpp"
#include "shape_options.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct verify_options {
    explicit verify_options(CLI::App& command) : shape(command, shape_options::takes::range_of_all) {}

    shape_options shape;
};

int verify_all(const verify_options& options) {
    const shape_request shape = options.shape.read();
    int status = success;
    shape.for_each([&](const std::string& name, const any_schedule& s) {
        refuse_beyond(s, 26, "");
        refuse_large_replay(s);
        const verdict found = verify(s, shape.how);
        if (found.ok()) {
            fmt::format_to(standard_output().out(), "ok {} p={}\n", name, s.ranks);
        } else {
            fmt::format_to(standard_output().out(), "refused {} p={} finding={} step={} rank={} buffer={} byte={}\n",
                           name, s.ranks, name_of(found.finding), found.step, found.rank, name_of(found.where),
                           found.byte);
            status = refused;
        }
        standard_output().flush();
    });
    return status;
}

}  // namespace

command add_verify(CLI::App& program) {
    CLI::App* parser = add_command(program, "verify", "prove a schedule right by symbolic replay");
    const auto options = std::make_shared<verify_options>(*parser);
    return {parser, [options] { return verify_all(*options); }};
}
