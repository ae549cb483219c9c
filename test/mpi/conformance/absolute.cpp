#include <array>
#include <memory>

#include "conformance.hpp"

namespace conformance {

namespace {

/// The ints 0, 1 and 3 at an address, as one element of MPI_BOTTOM.
class absolute {
  public:
    explicit absolute(int* at) {
        std::array<MPI_Aint, 2> places{};
        MPI_Get_address(at, &places[0]);
        MPI_Get_address(at + 3, &places[1]);
        const std::array<int, 2> lengths{2, 1};
        MPI_Type_create_hindexed(2, lengths.data(), places.data(), MPI_INT, &type_);
        MPI_Type_commit(&type_);
    }
    absolute(const absolute&) = delete;
    absolute& operator=(const absolute&) = delete;
    ~absolute() { MPI_Type_free(&type_); }

    operator MPI_Datatype() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

void rooted(const group& on, int root, manner how) {
    compare("bcast of MPI_BOTTOM", on, how, filled(on.rank, 5), [&](const manner& m, int* data) {
        const absolute type(data);
        return CALL(m, Bcast, bcast, MPI_BOTTOM, 1, type, root, on.comm);
    });
    const auto p = static_cast<std::size_t>(on.size);
    compare("gather from MPI_BOTTOM", on, how, filled(on.rank, 5 + 3 * p), [&](const manner& m, int* data) {
        const absolute type(data);
        return CALL(m, Gather, gather, MPI_BOTTOM, 1, type, data + 5, 3, MPI_INT, root, on.comm);
    });
    compare("scatter into MPI_BOTTOM", on, how, filled(on.rank, 5 + 3 * p), [&](const manner& m, int* data) {
        const absolute type(data);
        return CALL(m, Scatter, scatter, data + 5, 3, MPI_INT, MPI_BOTTOM, 1, type, root, on.comm);
    });
    compare("gatherv from MPI_BOTTOM", on, how, filled(on.rank, 5 + 4 * p), [&](const manner& m, int* data) {
        const absolute type(data);
        integers counts, displs;
        for (int r = 0; r < on.size; ++r) counts.push_back(3), displs.push_back(4 * r);
        return CALL(m, Gatherv, gatherv, MPI_BOTTOM, 1, type, data + 5, counts, displs, MPI_INT, root, on.comm);
    });
}

void without_root(const group& on, manner how) {
    const auto p = static_cast<std::size_t>(on.size);
    compare("allgather from MPI_BOTTOM", on, how, filled(on.rank, 5 + 3 * p), [&](const manner& m, int* data) {
        const absolute type(data);
        return CALL(m, Allgather, allgather, MPI_BOTTOM, 1, type, data + 5, 3, MPI_INT, on.comm);
    });
    compare("alltoallw from MPI_BOTTOM to MPI_BOTTOM", on, how, filled(on.rank, 10 * p),
            [&](const manner& m, int* data) {
                std::vector<MPI_Datatype> out, in;
                std::vector<std::unique_ptr<absolute>> kept;
                for (std::size_t r = 0; r < 2 * p; ++r) {
                    kept.push_back(std::make_unique<absolute>(data + 5 * r));
                    (r < p ? out : in).push_back(*kept.back());
                }
                integers counts, none(p);
                for (int r = 0; r < on.size; ++r) counts.push_back(1);
                return CALL(m, Alltoallw, alltoallw, MPI_BOTTOM, counts, none, out.data(), MPI_BOTTOM, counts, none,
                            in.data(), on.comm);
            });
}

}  // namespace

/// Tests types of absolute addresses, with MPI_BOTTOM as the address of the buffer.
void absolutes(const group& on) {
    for (const manner& how : manners()) {
        for (const int root : roots(on)) rooted(on, root, how);
        without_root(on, how);
    }
}

}  // namespace conformance
