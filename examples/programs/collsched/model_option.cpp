#include "model_option.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "collsched/format/files/text_file.hpp"
#include "usage_error.hpp"

using namespace collsched;

const std::vector<std::string> model_notes{
    "MODEL has decimal parameters, in microseconds (us) and in nanoseconds per byte (ns) where no unit is stated:",
    "  loggp:L_us=A,o_us=B,g_us=C,G_ns=D       and optionally copy_ns (0.1), combine_ns (0.2), connection_us (0)",
    "  hockney:alpha_us=A,beta_ns=B",
    "  loggops:L=A,o=B,g=C,G=D,O=E,S=F         whole numbers in ns, S in bytes; all optional",
    "  lob                                     latencies, overheads and bandwidths of --cluster",
    "  contention:eager=BYTES,copy_ns=A,...    shared links of --cluster; all optional: also combine_ns,",
    "                                          overhead_ns, buffered, envelope, share, window (BYTES),",
    "                                          latency_weighted, synchronous_free (0 or 1), reverse_permille,",
    "                                          factors=BYTES:LATENCY:BANDWIDTH;...",
    "  smpi:overhead_ns=A,...                  contention with the defaults of SimGrid's MPI; all optional",
    "  queue:latency_occupies=1                links of --network, one transfer at a time; optional: 0 or 1 (0)",
    "docs/simulate.md, docs/contention.md and docs/networks.md describe the models."};

namespace {

constexpr const char* expected_models =
    "loggp, hockney, loggops, lob, contention, smpi, queue or @FILE; 'collsched simulate --help' lists their "
    "parameters";

template <class Model>
struct model_parameter {
    const char* key;
    std::int64_t Model::* value;
    bool needed;
    std::int64_t parts = 1'000'000;  // parts per unit: other values are rounded; 1: they are rejected
};

constexpr model_parameter<loggp_model> loggp_parameters[] = {{"L_us", &loggp_model::latency_ps, true},
                                                             {"o_us", &loggp_model::overhead_ps, true},
                                                             {"g_us", &loggp_model::gap_ps, true},
                                                             {"G_ns", &loggp_model::byte_fs, true},
                                                             {"copy_ns", &loggp_model::copy_fs, false},
                                                             {"combine_ns", &loggp_model::combine_fs, false},
                                                             {"connection_us", &loggp_model::connection_ps, false}};

constexpr model_parameter<hockney_model> hockney_parameters[] = {{"alpha_us", &hockney_model::alpha_ps, true},
                                                                 {"beta_ns", &hockney_model::beta_fs, true}};

constexpr model_parameter<loggops_model> loggops_parameters[] = {
    {"L", &loggops_model::latency_ns, false, 1},       {"o", &loggops_model::overhead_ns, false, 1},
    {"g", &loggops_model::gap_ns, false, 1},           {"G", &loggops_model::byte_gap_ns, false, 1},
    {"O", &loggops_model::byte_overhead_ns, false, 1}, {"S", &loggops_model::eager_bytes, false, 1}};

constexpr model_parameter<contention_model> contention_parameters[] = {
    {"copy_ns", &contention_model::copy_fs, false},
    {"combine_ns", &contention_model::combine_fs, false},
    {"overhead_ns", &contention_model::overhead_byte_fs, false},
    {"eager", &contention_model::eager_bytes, false, 1},
    {"buffered", &contention_model::buffered_bytes, false, 1},
    {"synchronous_free", &contention_model::synchronous_free, false, 1},
    {"envelope", &contention_model::envelope_bytes, false, 1},
    {"share", &contention_model::share_bytes, false, 1},
    {"window", &contention_model::window_bytes, false, 1},
    {"reverse_permille", &contention_model::reverse_permille, false, 1},
    {"latency_weighted", &contention_model::latency_weighted, false, 1},
    {"factors", nullptr, false}};

constexpr model_parameter<model_of_network> network_parameters[] = {
    {"latency_occupies", &model_of_network::latency_occupies, false, 1}};

bool only_digits(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

}  // namespace

std::int64_t read_decimal(std::string_view argument, std::string_view text) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view whole = text.substr(0, point);
    std::string parts(text.substr(std::min(point + 1, text.size())));
    if (whole.empty() || !only_digits(whole) || !only_digits(parts) || (point < text.size() && parts.empty()))
        throw usage_error(argument, text, "a decimal number, 0 or more");
    const bool up = parts.size() > 6 && parts[6] >= '5';
    parts.resize(6, '0');
    checked sum = up ? 1 : 0;
    for (std::int64_t scale = 1; const char digit : std::string(parts.rbegin(), parts.rend())) {
        sum = sum + checked(digit - '0') * scale;
        scale *= 10;
    }
    checked units = 0;
    for (const char digit : whole) units = units * 10 + (digit - '0');
    sum = sum + units * 1'000'000;
    if (!sum.ok()) throw usage_error(argument, text, "a decimal number below 2^63 / 10^6");
    return sum.value();
}

namespace {

/// Returns the parameters of a model, for error messages: "hockney, with alpha_us, beta_ns".
template <class Model, std::size_t N>
std::string parameters_of(const std::string& text, const model_parameter<Model> (&table)[N]) {
    std::string needed, optional;
    for (const model_parameter<Model>& one : table) {
        std::string& names = one.needed ? needed : optional;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", one.key);
    }
    return text.substr(0, text.find(':')) + (needed.empty() ? "" : ", with " + needed) +
           (optional.empty() ? "" : ", optionally with " + optional);
}

/// Reads the factors "BYTES:LATENCY:BANDWIDTH;..." of messages above sizes.
owned_array<contention_model::size_factor> read_factors(const std::string& named, const std::string& text) {
    using size_factor = contention_model::size_factor;
    std::vector<size_factor> factors;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(';', begin), text.size());
        const std::string part = text.substr(begin, end - begin);
        const std::size_t first = part.find(':'), second = part.find(':', first + 1);
        if (first == part.npos || second == part.npos)
            throw usage_error(named, part, "BYTES:LATENCY:BANDWIDTH, with semicolons between sizes");
        const std::int64_t above = read_decimal(named, part.substr(0, first));
        if (above % 1'000'000 != 0) throw usage_error(named, part, "a size in whole bytes");
        factors.push_back({above / 1'000'000, read_decimal(named, part.substr(first + 1, second - first - 1)),
                           read_decimal(named, part.substr(second + 1))});
        begin = end + 1;
    }
    for (std::size_t i = 0; i < factors.size(); ++i) {
        if (i > 0 && factors[i].above <= factors[i - 1].above)
            throw usage_error(named, std::to_string(factors[i].above), "sizes that increase");
        for (const std::int64_t ppm : {factors[i].latency_ppm, factors[i].bandwidth_ppm})
            if (ppm < size_factor::least_ppm || ppm > size_factor::most_ppm)
                throw usage_error(named, fmt::format("{}", static_cast<double>(ppm) / 1e6), "factors from 0.1 to 100");
    }
    owned_array<size_factor> all(std::ssize(factors));
    std::ranges::copy(factors, all.begin());
    return all;
}

/// Reads a parameter that is not a number. Only contention models have such a parameter.
void read_list(contention_model& model, const std::string& named, const std::string& value) {
    model.size_factors = read_factors(named, value);
}
void read_list(auto&, const std::string&, const std::string&) {}

/// Reads the parameters "A=1,B=2" after the name of the model. The other parameters are those of `model`.
template <class Model, std::size_t N>
Model read_parameters(const std::string& argument, const std::string& text, const model_parameter<Model> (&table)[N],
                      Model model = {}) {
    std::array<bool, N> given{};
    for (std::size_t begin = text.find(':') + 1; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string piece = text.substr(begin, end - begin);
        const std::size_t equals = std::min(piece.find('='), piece.size());
        const std::string key = piece.substr(0, equals), named = fmt::format("{}[{}]", argument, key);
        std::size_t i = 0;
        while (i < N && key != table[i].key) ++i;
        if (i == N) throw usage_error(argument, text, parameters_of(text, table));
        const std::string value = piece.substr(std::min(equals + 1, piece.size()));
        if (given[i]) throw usage_error(named, value, "each parameter once");
        given[i] = true;
        begin = end + 1;
        if (table[i].value == nullptr) {
            read_list(model, named, value);
            continue;
        }
        const std::int64_t units = read_decimal(named, value), scale = 1'000'000 / table[i].parts;
        if (units % scale != 0) throw usage_error(named, value, "a whole number");
        model.*table[i].value = units / scale;
    }
    for (std::size_t i = 0; i < N; ++i)
        if (table[i].needed && !given[i])
            throw usage_error::missing(fmt::format("{}[{}]", argument, table[i].key), parameters_of(text, table));
    return model;
}

}  // namespace

bytes_t least_segment(const any_model& model) { return std::holds_alternative<model_of_network>(model) ? 4096 : 0; }

bool needs_cluster(const any_model& model) {
    return std::holds_alternative<model_of_cluster>(model) || std::holds_alternative<contention_model>(model);
}

void check_cluster(const any_model& model, const std::optional<placed_cluster>& cluster,
                   const std::optional<given_network>& network) {
    if (std::holds_alternative<model_of_network>(model) && !network)
        throw usage_error::missing("--network", "the file of the network, for this model");
    if (needs_cluster(model) && !cluster)
        throw usage_error::missing("--cluster", "the file of the cluster, for this model");
}

void occupy_latencies(const any_model& model, std::optional<given_network>& network) {
    if (const auto* links = std::get_if<model_of_network>(&model))
        network->occupy_latencies(links->latency_occupies != 0);
}

void check_overheads(const any_model& model, const std::optional<placed_cluster>& cluster) {
    if (std::holds_alternative<contention_model>(model) && !cluster->has_overheads)
        throw usage_error::missing("--overhead-us",
                                   "the overhead per message, which the cluster file does not have; 0: none");
}

namespace {

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t begin = std::min(line.find_first_not_of(blanks), line.size());
    return line.substr(begin, line.find_last_not_of(blanks) + 1 - begin);
}

/// Returns the only line of the file that is not a comment.
std::string model_of_file(const std::string& path) {
    const text_file file = read_text_file(std::filesystem::path(path));
    std::string model;
    int number = 0;
    for (std::string_view rest = file.text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        ++number;
        const std::string_view text = trimmed(line);
        if (text.empty() || text.front() == '#') continue;
        if (!model.empty()) file.refuse(number, "a second model", "one model, and comments that begin with #");
        model = text;
    }
    if (model.empty()) file.refuse(1, "no model", "a line with a model, in the format of --model");
    return model;
}

}  // namespace

std::string model_text(const text_option& option, const std::optional<given_network>& network) {
    return network && !option.given() ? "queue" : option.text();
}

any_model read_model(const std::string& argument, const std::string& text) {
    if (text.starts_with("@")) {
        const std::string held = read_or_refuse(argument, [&] { return model_of_file(text.substr(1)); });
        if (held.starts_with("@"))
            throw usage_error(argument, text, "a file with a model, not with the name of another file");
        return read_model(argument, held);
    }
    if (text == "lob") return model_of_cluster{};
    if (text == "loggops" || text == "loggops:") return loggops_model{};
    if (text == "contention" || text == "contention:") return contention_model{};
    if (text == "smpi" || text == "smpi:") return contention_model::smpi();
    if (text == "queue" || text == "queue:") return model_of_network{};
    if (text.starts_with("queue:")) {
        const auto made = read_parameters(argument, text, network_parameters);
        if (made.latency_occupies > 1)
            throw usage_error(argument + "[latency_occupies]", std::to_string(made.latency_occupies), "0 or 1");
        return made;
    }
    if (text.starts_with("smpi:"))
        return read_parameters(argument, text, contention_parameters, contention_model::smpi());
    if (text.starts_with("contention:")) return read_parameters(argument, text, contention_parameters);
    if (text.starts_with("loggops:")) return read_parameters(argument, text, loggops_parameters);
    if (text == "hockney" || text.starts_with("hockney:")) return read_parameters(argument, text, hockney_parameters);
    return read_loggp(argument, text);
}

loggp_model read_loggp(const std::string& argument, const std::string& text) {
    if (text != "loggp" && !text.starts_with("loggp:")) throw usage_error(argument, text, expected_models);
    return read_parameters(argument, text, loggp_parameters);
}
