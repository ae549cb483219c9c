#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/utils/tensor_dtypes.h>

#include "collsched/core/byte_range.hpp"

namespace examples {

using collsched::bytes_t;
using milliseconds = std::chrono::milliseconds;
using tensors = std::vector<at::Tensor>;

inline bytes_t bytes_of(const at::Tensor& one) { return static_cast<bytes_t>(one.nbytes()); }
inline std::byte* data_of(const at::Tensor& one) { return static_cast<std::byte*>(one.data_ptr()); }
/// Returns the memory of a contiguous tensor.
inline std::span<std::byte> memory_of(const at::Tensor& one) { return {data_of(one), one.nbytes()}; }
/// Returns the number of bytes from the first element to the end of the last one, with the gaps between them.
inline bytes_t extent_of(const at::Tensor& one) {
    if (one.numel() == 0) return 0;
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < one.dim(); ++i) last += (one.size(i) - 1) * one.stride(i);
    return (last + 1) * static_cast<bytes_t>(one.element_size());
}
/// Returns the name of the type as in docs/pytorch.md: float, int32.
inline std::string name_of(at::ScalarType type) {
    const auto [name, other] = torch::utils::getDtypeNames(type);
    return at::isFloatingType(type) && !other.empty() ? other : name;
}

inline const at::Tensor& only(const tensors& all, const char* name) {
    TORCH_CHECK(all.size() == 1, name, ": got ", all.size(), " tensors, expected 1");
    return all.front();
}
/// Checks a tensor whose elements PyTorch copies.
inline const at::Tensor& in_memory(const at::Tensor& one, const char* name) {
    TORCH_CHECK(one.device().is_cpu(), name, ": got a tensor on ", one.device().str(), ", expected cpu");
    TORCH_CHECK(one.layout() == at::kStrided, name, ": got a tensor of layout ", one.layout(), ", expected Strided");
    const bytes_t from = one.storage_offset() * static_cast<bytes_t>(one.element_size());
    const auto room = static_cast<bytes_t>(one.storage().nbytes());
    TORCH_CHECK(one.numel() == 0 || from + extent_of(one) <= room, name, ": got a storage of ", room,
                " bytes, expected ", from + extent_of(one), " or more");
    return one;
}
/// Checks a tensor whose memory the operation uses in order.
inline const at::Tensor& usable(const at::Tensor& one, const char* name) {
    TORCH_CHECK(!in_memory(one, name).is_neg() && !one.is_conj(), name,
                ": got a view that negates or conjugates, expected a tensor with its own values");
    TORCH_CHECK(one.is_non_overlapping_and_dense(), name, ": got sizes ", one.sizes(), " with strides ", one.strides(),
                ", expected a tensor without gaps and without elements that share memory");
    return one;
}
inline const at::Tensor& contiguous(const at::Tensor& one, const char* name) {
    TORCH_CHECK(usable(one, name).is_contiguous(), name, ": got sizes ", one.sizes(), " with strides ", one.strides(),
                ", expected a contiguous tensor");
    return one;
}

/// Returns whether no element of tensors whose extents overlap shares a byte with another one. If one of them has gaps,
/// all are drawn into a map of their bytes.
inline bool are_apart(std::span<const at::Tensor> overlapping) {
    if (std::ranges::all_of(overlapping, &at::Tensor::is_non_overlapping_and_dense)) return overlapping.size() == 1;
    const std::byte *begin = nullptr, *end = nullptr;
    std::int64_t bytes = 0;
    for (const at::Tensor& one : overlapping) {
        begin = begin == nullptr ? data_of(one) : std::min<const std::byte*>(begin, data_of(one));
        end = std::max<const std::byte*>(end, data_of(one) + extent_of(one));
        bytes += bytes_of(one);
    }
    const at::Tensor map = at::zeros({end - begin}, at::kByte);
    for (const at::Tensor& one : overlapping) {
        std::vector<std::int64_t> sizes = one.sizes().vec(), strides = one.strides().vec();
        for (std::int64_t& stride : strides) stride *= one.element_size();
        sizes.push_back(one.element_size()), strides.push_back(1);
        map.as_strided(sizes, strides, data_of(one) - begin).fill_(1);
    }
    return map.sum().item<std::int64_t>() == bytes;
}
/// Checks that an operation can write each of these tensors without a change of another one.
inline void check_apart(const tensors& written, const char* name) {
    tensors all;
    for (const at::Tensor& one : written)
        if (one.numel() > 0) all.push_back(one);
    std::ranges::sort(all, {}, data_of);
    for (std::size_t first = 0, next = 0; first < all.size(); first = next) {
        const std::byte* end = data_of(all[first]);
        for (; next < all.size() && (next == first || data_of(all[next]) < end); ++next)
            end = std::max<const std::byte*>(end, data_of(all[next]) + extent_of(all[next]));
        TORCH_CHECK(are_apart({all.data() + first, next - first}), name,
                    ": got elements that share memory, expected tensors that do not overlap");
    }
}
/// Returns whether tensors may have bytes in common: true for any in the gaps of another one.
inline bool may_overlap(const tensors& some, const tensors& others) {
    return std::ranges::any_of(some, [&](const at::Tensor& a) {
        return std::ranges::any_of(others, [&](const at::Tensor& b) {
            return a.numel() > 0 && b.numel() > 0 && data_of(a) < data_of(b) + extent_of(b) &&
                   data_of(b) < data_of(a) + extent_of(a);
        });
    });
}

inline void check_type(const at::Tensor& one, const at::Tensor& as, const char* name) {
    TORCH_CHECK(one.scalar_type() == as.scalar_type(), name, ": got ", name_of(one.scalar_type()), ", expected ",
                name_of(as.scalar_type()), " as the other tensors");
}
/// Checks a list of a tensor per rank, each of the type and size of `as`.
inline const tensors& alike(const std::vector<tensors>& lists, const at::Tensor& as, int ranks, const char* name) {
    TORCH_CHECK(lists.size() == 1, name, ": got ", lists.size(), " lists, expected 1");
    TORCH_CHECK(static_cast<int>(lists[0].size()) == ranks, name, ": got ", lists[0].size(), " tensors, expected ",
                ranks);
    for (const at::Tensor& one : lists[0]) {
        check_type(in_memory(one, name), as, name);
        TORCH_CHECK(one.numel() == as.numel(), name, ": got ", one.numel(), " elements, expected ", as.numel());
    }
    return lists[0];
}
inline void check_root(std::int64_t root, int ranks) {
    TORCH_CHECK(root >= 0 && root < ranks, "root: got ", root, ", expected 0..", ranks - 1);
}
/// Checks how the rows of a tensor are divided among the ranks. @param sizes  rows per rank; empty: equal shares
inline void check_split(const at::Tensor& one, const std::vector<std::int64_t>& sizes, int ranks, const char* name) {
    TORCH_CHECK(one.dim() > 0, name, ": got a tensor without dimensions, expected 1 or more");
    const std::int64_t rows = one.size(0);
    if (sizes.empty()) {
        TORCH_CHECK(rows % ranks == 0, name, ": got ", rows, " rows without split sizes, expected a multiple of ",
                    ranks);
        return;
    }
    TORCH_CHECK(static_cast<int>(sizes.size()) == ranks, name, " split sizes: got ", sizes.size(), ", expected ",
                ranks);
    std::int64_t left = rows;
    for (const std::int64_t size : sizes) {
        TORCH_CHECK(size >= 0 && size <= left, name, " split sizes: got ", size, ", expected 0..", left, " of ", rows,
                    " rows");
        left -= size;
    }
    TORCH_CHECK(left == 0, name, " split sizes: got a sum of ", rows - left, ", expected ", rows);
}

inline at::Tensor flat_like(const at::Tensor& one, std::int64_t count) {
    return at::empty({count, one.numel()}, one.options());
}
inline void copy_rows(const at::Tensor& flat, const tensors& into) {
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i].copy_(flat.select(0, static_cast<std::int64_t>(i)).view(into[i].sizes()));
}
inline void fill_rows(const at::Tensor& flat, const tensors& from) {
    for (std::size_t i = 0; i < from.size(); ++i)
        flat.select(0, static_cast<std::int64_t>(i)).copy_(from[i].reshape({-1}));
}
/// Makes a function for memory alone: no operation is recorded, and tensors of the inference mode are taken as well.
inline std::function<void()> on_memory(std::function<void()> function) {
    if (!function) return {};
    return [function = std::move(function)] {
        const at::AutoDispatchBelowADInplaceOrView memory;
        function();
    };
}

}  // namespace examples
