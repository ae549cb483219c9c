#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <vector>

// legal_calls WORD...: calls collectives as the standard allows them and compares each buffer, gaps included, with a result computed
// on the rank itself. Prints one line per difference. A word is a collective ("bcast"), or "commutative": only
// operators that commute, or "alike": one datatype, and equal arguments on all ranks also where MPI ignores them.

namespace {

int me = 0, ranks = 1;
bool commutative = false, alike = false;
std::string call_name;  // the call that is checked

constexpr int untouched = -77, margin = 64;

/// Elements of one int each, in items of one MPI datatype.
struct layout {
    MPI_Datatype type = MPI_INT;
    std::ptrdiff_t extent = sizeof(int);
    std::vector<std::ptrdiff_t> inner = {0};  // where the elements of an item are

    std::ptrdiff_t at(int k) const {
        const int n = static_cast<int>(inner.size());
        return margin + (k / n * extent + inner[static_cast<std::size_t>(k % n)]) / static_cast<int>(sizeof(int));
    }
    int items(int elements) const { return elements / static_cast<int>(inner.size()); }
};

layout made(MPI_Datatype type, std::vector<std::ptrdiff_t> inner) {
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_commit(&type);
    MPI_Type_get_extent(type, &lower, &extent);
    return {type, extent, std::move(inner)};
}
MPI_Datatype resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent) {
    MPI_Datatype changed;
    MPI_Type_create_resized(type, lower, extent, &changed);
    return changed;
}
MPI_Datatype contiguous(int count) {
    MPI_Datatype type;
    MPI_Type_contiguous(count, MPI_INT, &type);
    return type;
}

/// Datatypes of one signature for blocks of `elements` ints, an even number.
std::vector<layout> layouts(int elements) {
    std::vector<layout> all = {layout{}};
    all.push_back(made(contiguous(2), {0, 4}));
    all.push_back(made(resized(MPI_INT, 0, 12), {0}));
    all.push_back(made(resized(MPI_INT, -4, 8), {0}));
    MPI_Datatype strided;
    MPI_Type_vector(2, 1, 3, MPI_INT, &strided);
    all.push_back(made(resized(strided, 0, 24), {0, 12}));
    const int one = 1;
    const MPI_Aint displacement = 8;
    MPI_Datatype displaced;
    MPI_Type_create_hindexed(1, &one, &displacement, MPI_INT, &displaced);
    all.push_back(made(displaced, {8}));
    std::vector<std::ptrdiff_t> whole;
    for (int i = 0; i < elements; ++i) whole.push_back(4 * i);
    all.push_back(made(contiguous(elements), whole));
    return all;
}

/// A buffer of elements of a layout, with its expected content.
struct buffer {
    const layout& form;
    std::vector<int> held, right;

    buffer(const layout& l, int elements)
        : form(l),
          held(
              static_cast<std::size_t>(std::max<std::ptrdiff_t>(elements > 0 ? l.at(elements - 1) : 0, 0) + 2 * margin),
              untouched),
          right(held) {}
    void* data() { return held.data() + margin; }
    void put(int k, int value) {
        held[static_cast<std::size_t>(form.at(k))] = right[static_cast<std::size_t>(form.at(k))] = value;
    }
    void expect(int k, int value) { right[static_cast<std::size_t>(form.at(k))] = value; }
    void compare(const char* where) const {
        static std::set<std::string> printed;
        for (std::size_t i = 0; i < held.size(); ++i)
            if (held[i] != right[i]) {
                if (printed.insert(call_name).second)
                    std::printf("%s: rank %d, %s[%d] is %d, should be %d\n", call_name.c_str(), me, where,
                                static_cast<int>(i) - margin, held[i], right[i]);
                return;
            }
    }
};

int value(int from, int to, int k) { return 1 + from * 1000003 + to * 10007 + k * 13; }

/// Runs `call` for blocks of several sizes, and for layouts to send and receive in that differ from rank to rank, or do not.
void for_layouts(const char* name, const std::function<void(int elements, const layout& out, const layout& in)>& call) {
    for (const int elements : {2, 64, 6000}) {
        const std::vector<layout> all = layouts(elements);
        const int n = static_cast<int>(all.size());
        for (int mixed = 0; mixed < (alike ? 1 : 2); ++mixed)
            for (int shift = 0; shift < n; ++shift) {
                call_name = std::string(name) + ", blocks of " + std::to_string(elements) + " ints, datatype " +
                            std::to_string(shift) + (mixed ? " and others" : "");
                const int out = (shift + mixed * me) % n, in = alike ? out : (shift + mixed * (3 * me + 1)) % n;
                call(elements, all[static_cast<std::size_t>(out)], all[static_cast<std::size_t>(in)]);
            }
    }
}

void bcast() {
    for_layouts("bcast", [](int elements, const layout& form, const layout&) {
        for (int root = 0; root < ranks; ++root) {
            buffer b(form, elements);
            for (int k = 0; k < elements; ++k)
                if (me == root) b.put(k, value(root, 0, k));
                else b.expect(k, value(root, 0, k));
            MPI_Bcast(b.data(), form.items(elements), form.type, root, MPI_COMM_WORLD);
            b.compare("buffer");
        }
    });
}

// Ranks pass different values for arguments that MPI ignores.
MPI_Datatype ignored_type(const layout& l) { return alike ? l.type : me % 2 == 0 ? MPI_Datatype() : MPI_DOUBLE; }
int ignored_count(int count) { return alike ? count : me % 3 * 1000; }

void gather() {
    for_layouts("gather", [](int e, const layout& out, const layout& in) {
        for (int root = 0; root < ranks; ++root)
            for (const bool in_place : {false, true}) {
                buffer b(out, e), all(in, me == root ? ranks * e : 0);
                for (int k = 0; k < e; ++k) b.put(k, value(me, root, k));
                for (int k = 0; me == root && k < ranks * e; ++k) all.expect(k, value(k / e, root, k % e));
                for (int k = 0; me == root && in_place && k < e; ++k) all.put(me * e + k, value(me, root, k));
                const bool at_root = me == root;
                MPI_Gather(at_root && in_place ? MPI_IN_PLACE : b.data(),
                           at_root && in_place ? ignored_count(e) : out.items(e),
                           at_root && in_place ? ignored_type(out) : out.type, at_root ? all.data() : nullptr,
                           at_root ? in.items(e) : ignored_count(e), at_root ? in.type : ignored_type(in), root,
                           MPI_COMM_WORLD);
                b.compare("input");
                all.compare("output");
            }
    });
}

void scatter() {
    for_layouts("scatter", [](int e, const layout& out, const layout& in) {
        for (int root = 0; root < ranks; ++root)
            for (const bool in_place : {false, true}) {
                const bool at_root = me == root;
                buffer all(out, at_root ? ranks * e : 0), b(in, e);
                for (int k = 0; at_root && k < ranks * e; ++k) all.put(k, value(root, k / e, k % e));
                for (int k = 0; k < e && !(at_root && in_place); ++k) b.expect(k, value(root, me, k));
                MPI_Scatter(at_root ? all.data() : nullptr, at_root ? out.items(e) : ignored_count(e),
                            at_root ? out.type : ignored_type(out), at_root && in_place ? MPI_IN_PLACE : b.data(),
                            at_root && in_place ? ignored_count(e) : in.items(e),
                            at_root && in_place ? ignored_type(in) : in.type, root, MPI_COMM_WORLD);
                all.compare("input");
                b.compare("output");
            }
    });
}

void allgather() {
    for_layouts("allgather", [](int e, const layout& out, const layout& in) {
        for (const bool in_place : {false, true}) {
            buffer b(out, e), all(in, ranks * e);
            for (int k = 0; k < e; ++k) b.put(k, value(me, 0, k));
            for (int k = 0; k < ranks * e; ++k) all.expect(k, value(k / e, 0, k % e));
            for (int k = 0; in_place && k < e; ++k) all.put(me * e + k, value(me, 0, k));
            MPI_Allgather(in_place ? MPI_IN_PLACE : b.data(), in_place ? ignored_count(e) : out.items(e),
                          in_place ? ignored_type(out) : out.type, all.data(), in.items(e), in.type, MPI_COMM_WORLD);
            b.compare("input");
            all.compare("output");
        }
    });
}

// Rank r's block has (r + 1) % 3 parts of e elements, and every block is followed by e unused elements.
int parts(int rank) { return (rank + 1) % 3; }

void allgatherv() {
    for_layouts("allgatherv", [](int e, const layout& out, const layout& in) {
        std::vector<int> counts, displs;
        for (int r = 0, end = 0; r < ranks; ++r, end += parts(r - 1) + 1) {
            counts.push_back(in.items(parts(r) * e));
            displs.push_back(in.items(end * e));
        }
        for (const bool in_place : {false, true}) {
            const int mine = parts(me) * e;
            buffer b(out, mine), all(in, 3 * ranks * e);
            for (int k = 0; k < mine; ++k) b.put(k, value(me, 0, k));
            for (int r = 0; r < ranks; ++r)
                for (int k = 0; k < parts(r) * e; ++k) {
                    const int place = displs[static_cast<std::size_t>(r)] * static_cast<int>(in.inner.size()) + k;
                    if (in_place && r == me) all.put(place, value(r, 0, k));
                    else all.expect(place, value(r, 0, k));
                }
            MPI_Allgatherv(in_place ? MPI_IN_PLACE : b.data(), in_place ? 0 : out.items(mine),
                           in_place ? in.type : out.type, all.data(), counts.data(), displs.data(), in.type,
                           MPI_COMM_WORLD);
            b.compare("input");
            all.compare("output");
        }
    });
}

void alltoall() {
    for_layouts("alltoall", [](int e, const layout& out, const layout& in) {
        for (const bool in_place : {false, true}) {
            buffer b(out, ranks * e), all(in, ranks * e);
            for (int k = 0; k < ranks * e; ++k) {
                b.put(k, value(me, k / e, k % e));
                if (in_place) all.put(k, value(me, k / e, k % e));
                all.expect(k, value(k / e, me, k % e));
            }
            MPI_Alltoall(in_place ? MPI_IN_PLACE : b.data(), in_place ? ignored_count(e) : out.items(e),
                         in_place ? ignored_type(out) : out.type, all.data(), in.items(e), in.type, MPI_COMM_WORLD);
            b.compare("input");
            all.compare("output");
        }
    });
}

void alltoallv() {
    for_layouts("alltoallv", [](int e, const layout& out, const layout& in) {
        // Rank a has (a + b) % 3 parts for rank b, so the sizes sent to a rank and received from it are equal in place.
        for (const bool in_place : {false, true}) {
            std::vector<int> send, from, receive, into;
            buffer b(out, 3 * ranks * e), all(in, 3 * ranks * e);
            for (int r = 0; r < ranks; ++r) {
                const int n = (me + r) % 3 * e;
                send.push_back(out.items(n)), receive.push_back(in.items(n));
                from.push_back(out.items(3 * r * e)), into.push_back(in.items(3 * r * e));
                for (int k = 0; k < n; ++k) {
                    b.put(3 * r * e + k, value(me, r, k));
                    if (in_place) all.put(3 * r * e + k, value(me, r, k));
                    all.expect(3 * r * e + k, value(r, me, k));
                }
            }
            MPI_Alltoallv(in_place ? MPI_IN_PLACE : b.data(), in_place ? nullptr : send.data(),
                          in_place ? nullptr : from.data(), in_place ? ignored_type(out) : out.type, all.data(),
                          receive.data(), into.data(), in.type, MPI_COMM_WORLD);
            b.compare("input");
            all.compare("output");
        }
    });
}

// Pairs (m, c) represent x -> m x + c modulo 2^32. Their composition is associative, and does not commute unless all m are 1.
void compose(void* in, void* inout, int* n, MPI_Datatype* type) {
    MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    MPI_Type_get_extent(*type, &lower, &extent);
    MPI_Type_get_true_extent(*type, &true_lower, &true_extent);
    for (int i = 0; i < *n; ++i) {
        auto* a = reinterpret_cast<std::uint32_t*>(static_cast<char*>(in) + true_lower + i * extent);
        auto* b = reinterpret_cast<std::uint32_t*>(static_cast<char*>(inout) + true_lower + i * extent);
        b[1] = a[0] * b[1] + a[1];
        b[0] = a[0] * b[0];
    }
}
std::uint32_t multiplier(int rank) { return commutative ? 1 : static_cast<std::uint32_t>(2 * rank + 3); }
int element(int rank, int k) { return k % 2 == 0 ? static_cast<int>(multiplier(rank)) : value(rank, 0, k); }
/// The composition of ranks [0, end) at element k.
int composed(int end, int k) {
    std::uint32_t m = 1, c = 0;
    for (int r = end - 1; r >= 0; --r) {
        c = multiplier(r) * c + static_cast<std::uint32_t>(value(r, 0, k | 1));
        m = multiplier(r) * m;
    }
    return static_cast<int>(k % 2 == 0 ? m : c);
}

/// Runs `call` for numbers of pairs and for datatypes of a pair, the same on all ranks; with and without MPI_IN_PLACE.
void for_pairs(const char* name,
               const std::function<void(int pairs, const layout& form, MPI_Op op, bool in_place)>& call) {
    static MPI_Op op = MPI_OP_NULL;
    if (op == MPI_OP_NULL) MPI_Op_create(compose, commutative ? 1 : 0, &op);
    const int one = 2;
    const MPI_Aint displacement = 8;
    MPI_Datatype displaced;
    MPI_Type_create_hindexed(1, &one, &displacement, MPI_INT, &displaced);
    std::vector<layout> all = {made(contiguous(2), {0, 4})};
    all.push_back(made(resized(contiguous(2), 0, 16), {0, 4}));
    all.push_back(made(resized(contiguous(2), -4, 20), {0, 4}));
    all.push_back(made(displaced, {8, 12}));
    for (const int pairs : {0, 1, 3, 40, 5000})
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const bool in_place : {false, true}) {
                call_name = std::string(name) + ", " + std::to_string(pairs) + " pairs, datatype " + std::to_string(i) +
                            (in_place ? ", in place" : "") + (commutative ? "" : ", does not commute");
                call(pairs, all[i], op, in_place);
            }
}

void reduce() {
    for_pairs("reduce", [](int n, const layout& form, MPI_Op op, bool in_place) {
        for (int root = 0; root < ranks; ++root) {
            buffer in(form, 2 * n), out(form, me == root ? 2 * n : 0);
            for (int k = 0; k < 2 * n; ++k) in.put(k, element(me, k));
            for (int k = 0; me == root && k < 2 * n; ++k) {
                if (in_place) out.put(k, element(me, k));
                out.expect(k, composed(ranks, k));
            }
            MPI_Reduce(me == root && in_place ? MPI_IN_PLACE : in.data(), me == root ? out.data() : nullptr, n,
                       form.type, op, root, MPI_COMM_WORLD);
            in.compare("input");
            out.compare("output");
        }
    });
}

/// Allreduce, scan and exscan: `end` is the number of ranks whose operands a rank's result has.
void prefix(const char* name, decltype(&MPI_Allreduce) call, int end) {
    for_pairs(name, [&](int n, const layout& form, MPI_Op op, bool in_place) {
        buffer in(form, 2 * n), out(form, 2 * n);
        for (int k = 0; k < 2 * n; ++k) {
            in.put(k, element(me, k));
            if (in_place) out.put(k, element(me, k));
            if (end > 0) out.expect(k, composed(end, k));
        }
        call(in_place ? MPI_IN_PLACE : in.data(), out.data(), n, form.type, op, MPI_COMM_WORLD);
        in.compare("input");
        if (end > 0) out.compare("output");
    });
}

void reduce_scatter(bool equal) {
    for_pairs(equal ? "reduce_scatter_block" : "reduce_scatter",
              [&](int n, const layout& form, MPI_Op op, bool in_place) {
                  std::vector<int> counts;
                  int before = 0, all = 0;
                  for (int r = 0; r < ranks; ++r) {
                      counts.push_back(equal ? n : n * parts(r));
                      if (r < me) before += counts.back();
                      all += counts.back();
                  }
                  const int mine = counts[static_cast<std::size_t>(me)];
                  buffer in(form, 2 * all), out(form, in_place ? 2 * all : 2 * mine);
                  for (int k = 0; k < 2 * all; ++k) {
                      in.put(k, element(me, k));
                      if (in_place) out.put(k, element(me, k));
                  }
                  for (int k = 0; k < 2 * mine; ++k) out.expect(k, composed(ranks, 2 * before + k));
                  // In place, the bytes after a rank's result are undefined.
                  void* const from = in_place ? MPI_IN_PLACE : in.data();
                  if (equal) MPI_Reduce_scatter_block(from, out.data(), n, form.type, op, MPI_COMM_WORLD);
                  else MPI_Reduce_scatter(from, out.data(), counts.data(), form.type, op, MPI_COMM_WORLD);
                  in.compare("input");
                  for (int k = 2 * mine; in_place && k < 2 * all; ++k)
                      out.held[static_cast<std::size_t>(form.at(k))] = out.right[static_cast<std::size_t>(form.at(k))];
                  out.compare("output");
              });
}

void barrier() {
    for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int count, char** values) {
    MPI_Init(&count, &values);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::set<std::string> words(values + 1, values + count);
    commutative = words.contains("commutative");
    alike = words.contains("alike");
    const std::vector<std::pair<const char*, std::function<void()>>> calls = {
        {"allgather", allgather},
        {"allgatherv", allgatherv},
        {"allreduce", [] { prefix("allreduce", MPI_Allreduce, ranks); }},
        {"alltoall", alltoall},
        {"alltoallv", alltoallv},
        {"barrier", barrier},
        {"bcast", bcast},
        {"exscan", [] { prefix("exscan", MPI_Exscan, me); }},
        {"gather", gather},
        {"reduce", reduce},
        {"reduce_scatter", [] { reduce_scatter(false); }},
        {"reduce_scatter_block", [] { reduce_scatter(true); }},
        {"scan", [] { prefix("scan", MPI_Scan, me + 1); }},
        {"scatter", scatter}};
    for (const auto& [name, call] : calls)
        if (words.contains(name)) call();
    MPI_Finalize();
}
