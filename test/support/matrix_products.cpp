#include "support/matrix_products.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "collsched/execute/inline.hpp"
#include "support/layouts.hpp"
#include "support/oracle.hpp"

namespace support {

namespace {

struct matrix {
    std::uint64_t a = 1, b = 0, c = 0, d = 1;

    friend matrix operator*(const matrix& x, const matrix& y) {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
    bool operator==(const matrix&) const = default;
};

static_assert(sizeof(matrix) == matrix_bytes);

matrix matrix_at(const std::byte* memory) {
    matrix m;
    std::memcpy(&m, memory, sizeof m);
    return m;
}

}  // namespace

void multiply(void*, std::byte* into, const std::byte* incoming, bytes_t size, action action) {
    for (bytes_t i = 0; i < size; i += matrix_bytes) {
        const matrix x = matrix_at(into + i), y = matrix_at(incoming + i);
        const matrix product = action == action::combine_before ? y * x : x * y;
        std::memcpy(into + i, &product, sizeof product);
    }
}

std::string wrong_product(const some_schedule& x, binding binding) {
    const contract contract = x.contract();
    random_source random(static_cast<std::uint64_t>(contract.ranks));
    std::vector<std::vector<std::byte>> inputs, hosts, outputs;
    std::vector<rank_memory> memory;
    for (rank_t r = 0; r < contract.ranks; ++r) {
        inputs.emplace_back(static_cast<std::size_t>(contract.input_bytes(r)));
        for (std::byte& b : inputs.back()) b = static_cast<std::byte>(random.below(256));
    }
    hosts = inputs;
    for (rank_t r = 0; r < contract.ranks; ++r) {
        outputs.emplace_back(static_cast<std::size_t>(contract.output_bytes(r)));
        const bool lies_inside = contract.alias(r, binding).any();
        std::vector<std::byte>& host = hosts[static_cast<std::size_t>(r)];
        memory.push_back(
            {host, lies_inside ? std::span(host).first(outputs.back().size()) : std::span(outputs.back())});
    }
    if (!run_inline(x, memory, binding, {multiply, nullptr}).done()) return "it does not run to its end";
    std::string fault;
    for (rank_t r = 0; r < contract.ranks; ++r)
        contract.results(r, [&](const contract::result_range& part) {
            for (bytes_t i = 0; i < part.where.size; i += matrix_bytes) {
                matrix product, backwards;
                for (rank_t of = part.first; of < part.last; ++of) {
                    const matrix next = matrix_at(inputs[static_cast<std::size_t>(of)].data() + part.at + i);
                    product = product * next;
                    backwards = next * backwards;
                }
                if (part.last - part.first > 1 && product == backwards) fault = "matrices that commute";
                const std::byte* output = memory[static_cast<std::size_t>(r)].output.data() + part.where.offset + i;
                if (!(matrix_at(output) == product)) fault = "a wrong product on rank " + std::to_string(r);
            }
        });
    return fault;
}

stored_schedule operands_swapped(const some_schedule& x) {
    const stored_schedule s = materialize(x);
    std::vector<edge> edges(s.edges().begin(), s.edges().end());
    for (edge& e : edges)
        if (e.combines()) e.action = e.action == action::combine_after ? action::combine_before : action::combine_after;
    return with_edges(s, edges);
}

}  // namespace support
