#include "decision_output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <range/v3/algorithm/any_of.hpp>
#include <range/v3/algorithm/find.hpp>
#include <range/v3/algorithm/find_if.hpp>
#include <range/v3/algorithm/stable_sort.hpp>

#include "algorithms/algorithms.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "collsched/format/rules/write_decisions.hpp"
#include "files/output_target.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

std::string time_text(const decision& row) {
    if (row.time == 0) return {};
    std::string text = microseconds(row.time);
    if (row.time_high != 0) text += fmt::format(" ({} to {})", microseconds(row.time_low), microseconds(row.time_high));
    return text;
}

bool has_class(std::span<const decision> rows) {
    return ranges::any_of(rows, [](const decision& row) { return row.association != association_class::any; });
}

/// Columns of a row: the algorithm with its parameters, the smallest values of calls that it fits, and its origin.
/// @param classes  whether there is a column for the class of the brackets
std::vector<text_table::column> decision_columns(bool classes) {
    constexpr auto right = text_table::side::right;
    std::vector<text_table::column> all = {{"schedule"},     {"parameters"}, {"ranks", right}, {"per node", right},
                                           {"bytes", right}, {"operation"},  {"source"},       {"time_us", right}};
    if (classes) all.insert(all.end() - 2, {"class"});
    return all;
}
std::vector<std::string> decision_cells(const decision& row, bool classes) {
    std::vector<std::string> all = {fmt::format("{}/{}", name_of(row.collective), row.algorithm),
                                    parameters_text(row),
                                    fmt::format("{}..", row.ranks),
                                    fmt::format("{}..", row.ranks_per_node),
                                    fmt::format("{}..", row.bytes),
                                    row.commutative ? "commutative" : "any",
                                    name_of(row.origin),
                                    time_text(row)};
    if (classes) all.insert(all.end() - 2, name_of(row.association));
    return all;
}

/// Returns the reason why a row that fits is not the chosen one.
std::string reason_against(const decision& row, const decision& chosen) {
    constexpr const char* reasons[] = {"fewer ranks",
                                       "fewer ranks per node",
                                       "fewer bytes",
                                       "a row for commutative operations exists",
                                       "a row with a lower class exists",
                                       "an equal row follows"};
    const auto of_row = row.precedence(), of_chosen = chosen.precedence();
    return reasons[std::ranges::mismatch(of_row, of_chosen).in1 - of_row.begin()];
}

/// A row that fits a call, and the reason for or against it.
struct explained_row {
    const decision* row;
    std::string verdict;
    text_style style = text_style::plain;
};

std::vector<explained_row> explained_rows(std::span<const decision> table, const decision::call& call,
                                          const decision::result& made) {
    std::vector<explained_row> rows;
    for (const decision::result::skipped_row& one : made.skipped)
        rows.push_back({one.row, fmt::format("skipped: {}", text_of_refusal(one.error))});
    const std::vector<const decision*> fitting = fitting_rows(table, call);
    for (const decision* const row : std::span(fitting).subspan(rows.size())) {
        if (row == made.row) rows.push_back({row, "chosen", text_style::best});
        else rows.push_back({row, reason_against(*row, *made.row)});
    }
    return rows;
}

std::string json_of(const decision& row) {
    std::string text;
    write_decision(std::back_inserter(text), row);
    return text;
}

/// A lock on the folder of a file, so that programs that change the file take turns.
class folder_lock {
  public:
    folder_lock() = default;
    folder_lock(const folder_lock&) = delete;
    folder_lock& operator=(const folder_lock&) = delete;
    ~folder_lock() {
        if (folder_ >= 0) ::close(folder_);
    }
    void take(const std::string& argument, const std::string& path) {
        const std::string parent = std::filesystem::path(path).parent_path().string();
        folder_ = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder_ < 0 || ::flock(folder_, LOCK_EX) != 0)
            throw usage_error(argument, path,
                              fmt::format("a file in a folder that can be locked; {}", std::strerror(errno)));
    }

  private:
    int folder_ = -1;
};

/// Returns the rows that serve commutative operations from the ranks and size of `row` on, over which `row` would take
/// precedence, and which are cheaper there: the same choices from there on, for commutative operations only.
std::vector<decision> repeated_rows(std::span<const decision> rows, const decision& row, const row_price& price) {
    std::vector<decision> found;
    for (const association_class level :
         {association_class::any, association_class::rank, association_class::position, association_class::canonical}) {
        const decision::call call{.collective = row.collective,
                                  .ranks = row.ranks,
                                  .bytes = row.bytes,
                                  .ranks_per_node = row.ranks_per_node,
                                  .association = level};
        const std::vector<const decision*> serving = fitting_rows(rows, call);  // before their class is proved
        const decision* const served = serving.empty() ? nullptr : serving.front();
        if (served == nullptr || !row.fits(call) || !row.precedes(*served) || row.same_choice(*served)) continue;
        decision repeated = row;
        repeated.association = served->association;
        repeated.commutative = true;
        repeated.algorithm = served->algorithm;
        for (const decision::free_parameter& one : free_parameters) repeated.*one.row = served->*one.row;
        repeated.time = price(repeated);
        if (repeated.time < row.time && ranges::find(found, repeated) == found.end()) found.push_back(repeated);
    }
    return found;
}

/// Adds a row in place of those for the same calls. A row for an operation that does not commute leaves cheaper choices
/// for commutative ones as they are.
void add_row(std::vector<decision>& rows, const decision& row, bool keeps_order, const row_price& price) {
    std::vector<decision> added = keeps_order ? repeated_rows(rows, row, price) : std::vector<decision>();
    added.push_back(row);
    std::erase_if(rows, [&](const decision& other) {
        return ranges::any_of(added, [&](const decision& one) {
            return one.bytes == other.bytes && one.ranks == other.ranks && one.ranks_per_node == other.ranks_per_node &&
                   one.collective == other.collective && one.association == other.association &&
                   (one.commutative == other.commutative || (!keeps_order && !one.commutative));
        });
    });
    rows.insert(rows.end(), added.begin(), added.end());
}

}  // namespace

std::string text_of_refusal(const argument_error& error) {
    if (error.argument != std::string_view("association")) return error.text().c_str();
    return fmt::format("has the class {}", name_of(static_cast<association_class>(error.value)));
}

choice::request request_for(collective what, rank_t ranks, bytes_t bytes, bytes_t element) {
    shape sized{.ranks = ranks, .segment = shape::as_it_is};
    const bool blocks = moves_blocks(what) || what == collective::alltoall;
    if (!blocks) sized.bytes = what == collective::barrier ? 0 : bytes;
    else if (bytes / element % ranks == 0) sized.block = block_layout(bytes / ranks);
    else sized.block = block_layout::partition(bytes, ranks, element);
    if (what != collective::barrier) sized.element = element;
    return {.collective = what, .parameters = sized};
}

decision row_of(const choice::candidate& best, bytes_t bytes) {
    decision row{.collective = best.entry->info.collective,
                 .ranks = best.parameters.ranks,
                 .bytes = bytes,
                 .algorithm = best.entry->info.name,
                 .origin = decision::source::simulated,
                 .time = best.cost};
    row.commutative = best.entry->make(best.parameters).contract().commutative;
    for (const decision::free_parameter& one : free_parameters)
        if (best.entry->takes(one.value)) row.*one.row = best.parameters.*one.value;
    return row;
}

std::string parameters_text(const decision& row) {
    std::string text;
    for (const decision::free_parameter& one : free_parameters)
        if (row.*one.row != shape::as_it_is)
            text += fmt::format("{}{}={}", text.empty() ? "" : " ", one.name, row.*one.row);
    return text;
}

void put_decisions(std::span<const decision> rows) {
    const bool classes = has_class(rows);
    text_table table(decision_columns(classes));
    for (const decision& row : rows) table.add(decision_cells(row, classes));
    table.print();
}

void put_decision_json(const decision& row) { put_line(json_of(row)); }

std::string description_of(const text_file& file) {
    const auto read = nlohmann::json::parse(file.text, nullptr, false);
    const auto found = read.is_object() ? read.find("description") : read.end();
    return read.is_object() && found != read.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void save_decision(const std::string& argument, const std::string& path, const decision& row, bool keeps_order,
                   const row_price& price) {
    if (target_of(path).how != output_target::way::replaced)  // the rows before would remain in front of the new ones
        throw usage_error(argument, path, "a file, or a name without one");
    static folder_lock lock;  // until the file is replaced
    lock.take(argument, path);
    std::vector<decision> rows;
    std::string description = "choices of collsched choose";
    std::error_code none;
    if (const std::filesystem::path target = path; std::filesystem::exists(target, none)) {
        if (!std::filesystem::is_regular_file(target, none))
            throw usage_error(argument, path, "a file, or a name without one");
        const text_file::log updated;  // the file is no input that the output must not replace
        const text_file file = read_or_refuse(argument, [&] { return read_text_file(target); });
        rows = read_or_refuse(argument, [&] { return read_decisions(file, compiled::whole_registry()); });
        if (const std::string own = description_of(file); !own.empty()) description = own;
    }
    add_row(rows, row, keeps_order, price);
    ranges::stable_sort(rows, [](const decision& a, const decision& b) {
        return std::tuple(a.collective, a.ranks, a.ranks_per_node, a.association, a.bytes, a.commutative) <
               std::tuple(b.collective, b.ranks, b.ranks_per_node, b.association, b.bytes, b.commutative);
    });
    write_file(argument, path, [&](text_output::iterator out) { write_decisions(out, rows, description); });
}

int explain_decision(const explained_call& wanted) {
    const std::vector<decision> table = read_or_refuse(
        "--explain", [&] { return read_decisions(std::filesystem::path(wanted.file), compiled::whole_registry()); });
    choice::request request = request_for(wanted.call.collective, wanted.call.ranks, wanted.call.bytes, wanted.element);
    request.keeps_order = !wanted.call.commutative;
    request.bits = wanted.call.association;
    request.ranks_per_node = wanted.call.ranks_per_node;
    const decision::result made = decide(table, request, compiled::whole_registry());
    const bool classes = has_class(table);
    std::vector<text_table::column> all = decision_columns(classes);
    all.push_back({"verdict"});
    text_table out(all);
    for (const explained_row& one : explained_rows(table, wanted.call, made)) {
        if (wanted.json) {
            std::string line = json_of(*one.row);
            line.insert(line.size() - 1, fmt::format(",\"verdict\":{}", json_text(one.verdict)));
            put_line(line);
            continue;
        }
        std::vector<std::string> line = decision_cells(*one.row, classes);
        line.push_back(one.verdict);
        out.add(line, one.style);
    }
    if (made.row == nullptr && made.skipped.empty())
        throw usage_error("--explain", wanted.file, "a table with a row that fits this call");
    if (!wanted.json) out.print();
    return made.row != nullptr ? success : refused;
}
