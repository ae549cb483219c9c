#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include <ATen/ATen.h>

#include "collsched/core/byte_range.hpp"

namespace examples {

using collsched::bytes_t;
using milliseconds = std::chrono::milliseconds;

inline const at::Tensor& only(const std::vector<at::Tensor>& all, const char* name) {
    TORCH_CHECK(all.size() == 1, name, ": got ", all.size(), " tensors, expected 1");
    return all.front();
}
/// Checks a tensor whose memory the operation uses in order.
inline const at::Tensor& usable(const at::Tensor& one, const char* name) {
    TORCH_CHECK(one.device().is_cpu(), name, ": got a tensor on ", one.device().str(), ", expected cpu");
    TORCH_CHECK(one.layout() == at::kStrided, name, ": got a sparse tensor, expected a dense one");
    TORCH_CHECK(one.is_non_overlapping_and_dense(), name, ": got a tensor with gaps, expected a contiguous one");
    return one;
}
inline const at::Tensor& contiguous(const at::Tensor& one, const char* name) {
    TORCH_CHECK(usable(one, name).is_contiguous(), name,
                ": got another order of dimensions, expected a contiguous tensor");
    return one;
}
inline bytes_t bytes_of(const at::Tensor& one) { return static_cast<bytes_t>(one.nbytes()); }
inline std::byte* data_of(const at::Tensor& one) { return static_cast<std::byte*>(one.data_ptr()); }

inline void check_alike(const std::vector<at::Tensor>& all, const at::Tensor& as, int ranks, const char* name) {
    TORCH_CHECK(static_cast<int>(all.size()) == ranks, name, ": got ", all.size(), " tensors, expected ", ranks);
    for (const at::Tensor& one : all)
        TORCH_CHECK(one.scalar_type() == as.scalar_type() && one.numel() == as.numel() && one.device().is_cpu(), name,
                    ": got tensors that differ, expected the type and size of the other argument");
}
inline void check_root(std::int64_t root, int ranks) {
    TORCH_CHECK(root >= 0 && root < ranks, "root: got ", root, ", expected 0..", ranks - 1);
}
inline at::Tensor flat_like(const at::Tensor& one, std::int64_t count) {
    return at::empty({count, one.numel()}, one.options());
}
inline void copy_rows(const at::Tensor& flat, const std::vector<at::Tensor>& into) {
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i].copy_(flat.select(0, static_cast<std::int64_t>(i)).view(into[i].sizes()));
}
inline void fill_rows(const at::Tensor& flat, const std::vector<at::Tensor>& from) {
    for (std::size_t i = 0; i < from.size(); ++i)
        flat.select(0, static_cast<std::int64_t>(i)).copy_(from[i].reshape({-1}));
}
/// Returns whether all these tensors are contiguous and have no byte in common.
inline bool are_apart(const std::vector<at::Tensor>& outputs, const at::Tensor& input) {
    std::vector<const std::byte*> begins{data_of(input)};
    for (const at::Tensor& one : outputs) {
        if (!one.is_contiguous()) return false;
        begins.push_back(data_of(one));
    }
    std::ranges::sort(begins);
    for (std::size_t i = 1; i < begins.size(); ++i)
        if (begins[i] - begins[i - 1] < bytes_of(input)) return false;
    return true;
}

}  // namespace examples
