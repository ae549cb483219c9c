#include "conformance.hpp"

namespace conformance {

namespace {

/// 2x2 matrices modulo a prime: their product is associative, and not commutative.
void multiply_matrices(const int* a, int* b) {
    const auto product = [&](int row, int column) {
        return (a[2 * row] * b[column] + a[2 * row + 1] * b[2 + column]) % 1009;
    };
    const int result[] = {product(0, 0), product(0, 1), product(1, 0), product(1, 1)};
    for (int i = 0; i < 4; ++i) b[i] = result[i];
}

/// b := a b for matrices of four ints, `stride` ints apart, of which every `step`-th int is used.
template <std::size_t Stride, std::size_t Step>
void matrices(void* in, void* inout, int* count, MPI_Datatype*) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
        const int* a = static_cast<const int*>(in) + i * Stride;
        int* b = static_cast<int*>(inout) + i * Stride;
        int left[4], right[4];
        for (std::size_t k = 0; k < 4; ++k) left[k] = a[k * Step], right[k] = b[k * Step];
        multiply_matrices(left, right);
        for (std::size_t k = 0; k < 4; ++k) b[k * Step] = right[k];
    }
}

void add_modulo(void* in, void* inout, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i)
        static_cast<int*>(inout)[i] = (static_cast<int*>(inout)[i] + static_cast<const int*>(in)[i]) % 1009;
}

/// An operator, and the type of its operands.
struct operand {
    MPI_Op op = MPI_OP_NULL;
    layout as;
    bool floating = false;
};

/// Clears the bytes between the parts of an element, which are unspecified: MPI_DOUBLE_INT has an int of them.
int forget_padding(const operand& with, int* data, std::size_t count, int error) {
    if (with.as.type == MPI_DOUBLE_INT)
        for (std::size_t i = 0; i < count; ++i) data[i * with.as.stride + 3] = 0;
    return error;
}

/// Returns memory of `count` elements. Doubles are whole numbers, so that sums are exact.
std::vector<int> elements(const operand& with, int rank, std::size_t count) {
    std::vector<int> ints = filled(rank, count * with.as.stride + 4);
    if (!with.floating) return ints;
    for (std::size_t i = 0; i < count; ++i) {
        const double number = value(rank, i);
        std::memcpy(ints.data() + i * with.as.stride, &number, sizeof number);
    }
    return ints;
}

/// In place the reference is the call that is not in place: MPICH 4.0 itself crashes from 64 KiB on, unless the root is
/// 0.
void reduce(const group& on, const operand& with, int count, manner how) {
    const auto n = static_cast<std::size_t>(count);
    const std::vector<int> own = elements(with, on.rank, n), begin = elements(with, on.rank + 3, n);
    for (const int root : roots(on))
        for (const bool in_place : {false, true}) {
            if (in_place) how.starts = 1;
            compare("reduce", on, how, begin, [&](const manner& m, int* data) {
                const bool here = in_place && on.rank == root;
                const void* from = !here ? own.data() : m.native ? begin.data() : MPI_IN_PLACE;
                return forget_padding(with, data, n,
                                      CALL(m, Reduce, reduce, from, data, count, with.as.type, with.op, root, on.comm));
            });
        }
}

void to_all(const group& on, const operand& with, int count, manner how) {
    const auto n = static_cast<std::size_t>(count);
    const std::vector<int> own = elements(with, on.rank, n);
    for (const bool in_place : {false, true}) {
        if (in_place) how.starts = 1;
        const std::vector<int> begin = elements(with, on.rank + 3, n);
        const void* from = in_place ? MPI_IN_PLACE : own.data();
        compare("allreduce", on, how, begin, [&](const manner& m, int* data) {
            return forget_padding(with, data, n,
                                  CALL(m, Allreduce, allreduce, from, data, count, with.as.type, with.op, on.comm));
        });
        compare("scan", on, how, begin, [&](const manner& m, int* data) {
            return forget_padding(with, data, n,
                                  CALL(m, Scan, scan, from, data, count, with.as.type, with.op, on.comm));
        });
        compare("exscan", on, how, begin, [&](const manner& m, int* data) {
            const int error = forget_padding(
                with, data, n, CALL(m, Exscan, exscan, from, data, count, with.as.type, with.op, on.comm));
            if (on.rank == 0) std::memset(data, 0, begin.size() * sizeof(int));  // its content is unspecified there
            return error;
        });
    }
}

/// A case of reduce_scatter: the numbers of elements per rank, of all ranks, and before those of this rank.
struct scattered {
    integers counts;
    std::size_t own = 0, all = 0, before = 0;

    scattered(const group& on, int count, bool block) {
        for (int i = 0; i < on.size; ++i) {
            counts.push_back(block ? count : (i * 3 + 1) % 4 * count);
            const auto last = static_cast<std::size_t>(counts[counts.size() - 1]);
            if (i < on.rank) before += last;
            all += last;
        }
        own = static_cast<std::size_t>(counts[static_cast<std::size_t>(on.rank)]);
    }
};

/// The reference if the order of operands matters: the own block of an allreduce. MPICH 4.0 itself does not keep the
/// order with derived types.
int block_of_allreduce(const group& on, const operand& with, const scattered& of, const void* from, int* data) {
    const std::size_t stride = with.as.stride, ints = of.own * stride;
    const std::vector<int> begin(data, data + of.all * stride);
    std::vector<int> result = begin;
    std::memcpy(result.data() + of.before * stride, data, ints * sizeof(int));  // gaps are unchanged
    const int error = PMPI_Allreduce(from == MPI_IN_PLACE ? begin.data() : from, result.data(),
                                     static_cast<int>(of.all), with.as.type, with.op, on.comm);
    std::memcpy(data, result.data() + of.before * stride, ints * sizeof(int));
    return error;
}

void reduce_scatter(const group& on, const operand& with, int count, manner how) {
    int commutes = 0;
    MPI_Op_commutative(with.op, &commutes);
    for (const bool block : {false, true}) {
        const scattered of(on, count, block);
        const std::vector<int> operands = elements(with, on.rank, of.all);
        for (const bool in_place : {false, true}) {
            how.starts = in_place ? 1 : 2;
            const void* from = in_place ? MPI_IN_PLACE : operands.data();
            const auto call = [&](const manner& m, int* data) {
                if (m.native && commutes == 0) return block_of_allreduce(on, with, of, from, data);
                if (block)
                    return CALL(m, Reduce_scatter_block, reduce_scatter_block, from, data, count, with.as.type, with.op,
                                on.comm);
                return CALL(m, Reduce_scatter, reduce_scatter, from, data, of.counts, with.as.type, with.op, on.comm);
            };
            compare(block ? "reduce_scatter_block" : "reduce_scatter", on, how, elements(with, on.rank + 3, of.all),
                    [&](const manner& m, int* data) {
                        const int error = call(m, data);
                        const std::size_t stride = with.as.stride;
                        // In place, the memory behind the result is unspecified.
                        if (in_place) std::memset(data + of.own * stride, 0, (of.all - of.own) * stride * sizeof(int));
                        return forget_padding(with, data, of.own, error);
                    });
        }
    }
}

}  // namespace

void reductions(const group& on) {
    MPI_Op matrix_product, spread_product, sum;
    MPI_Op_create(matrices<4, 1>, 0, &matrix_product);
    MPI_Op_create(matrices<9, 2>, 0, &spread_product);
    MPI_Op_create(add_modulo, 1, &sum);
    operand with[] = {{MPI_SUM, plain_ints(1)},
                      {MPI_BXOR, plain_ints(1)},
                      {MPI_MAX, {MPI_DOUBLE, 2, 2}, true},
                      {MPI_SUM, {MPI_DOUBLE, 2, 2}, true},
                      {MPI_MINLOC, {MPI_DOUBLE_INT, 3, 4}, true},
                      {MPI_MAXLOC, {MPI_2INT, 2, 2}},
                      {sum, plain_ints(1)},
                      {matrix_product, plain_ints(4)},
                      {spread_product, spread_ints(4)}};
    for (const manner& how : manners())
        for (const operand& one : with)
            for (const int count : {0, 1, 6, 500, 20000}) {
                if (count > 500 && (on.size > 4 || how.which == form::persistent)) continue;
                if (how.wide && count != 6) continue;
                reduce(on, one, count, how);
                to_all(on, one, count, how);
                if (count <= 500) reduce_scatter(on, one, count, how);
            }
    for (operand& one : with) free_layout(one.as);
    for (MPI_Op* op : {&matrix_product, &spread_product, &sum}) MPI_Op_free(op);
}

}  // namespace conformance
