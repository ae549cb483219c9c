#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "interception.hpp"

/// A caller that loads the MPI's library and searches its handle for MPI_Allreduce, as ctypes of Python and ccall of Julia
/// do, would find the MPI's own function, and so would a tool behind this library that searches the next PMPI_Wait. So
/// the table of symbols of that library gets the addresses of this library's functions. Calls that are linked already
/// are not affected.

namespace collsched::preload { namespace {

/// The exported symbols of a loaded library, from its dynamic section.
class symbol_table {
  public:
    explicit symbol_table(const dl_phdr_info& info) : base_(info.dlpi_addr), path_(info.dlpi_name) {
        for (const ElfW(Phdr) & part : std::span(info.dlpi_phdr, info.dlpi_phnum))
            if (part.p_type == PT_DYNAMIC) read(reinterpret_cast<const ElfW(Dyn)*>(base_ + part.p_vaddr));
    }

    /// Replaces the addresses of the functions MPI_... and PMPI_... that this library has.
    void redirect() const {
        if (symbols_ == nullptr || names_ == nullptr || hash_ == nullptr)
            refuse_calls(path_, "a table of symbols with a GNU hash");
        const std::span<ElfW(Sym)> symbols(symbols_, size());
        set_protection(symbols, PROT_READ | PROT_WRITE);
        for (ElfW(Sym) & one : symbols) {
            const std::string_view name = names_ + one.st_name;
            const bool native = name.starts_with("PMPI_") || name.starts_with("PMPIX_");
            if (one.st_shndx == SHN_UNDEF || !(native || name.starts_with("MPI_") || name.starts_with("MPIX_")))
                continue;
            void* const function = own_function(name.data());
            if (function == nullptr) continue;
            if (native) keep_native(name.data(), reinterpret_cast<void*>(base_ + one.st_value));
            one.st_value = reinterpret_cast<ElfW(Addr)>(function) - base_;  // modulo 2^64: the sum is the address
        }
        set_protection(symbols, PROT_READ);
    }

  private:
    void read(const ElfW(Dyn) * entry) {
        for (; entry->d_tag != DT_NULL; ++entry) {
            const ElfW(Addr) value = entry->d_un.d_ptr < base_ ? base_ + entry->d_un.d_ptr : entry->d_un.d_ptr;
            if (entry->d_tag == DT_STRTAB) names_ = reinterpret_cast<const char*>(value);
            if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<ElfW(Sym)*>(value);
            if (entry->d_tag == DT_GNU_HASH) hash_ = reinterpret_cast<const std::uint32_t*>(value);
        }
    }

    /// The number of symbols: a GNU hash has no field for it. The last chain of the last bucket ends with them.
    std::size_t size() const {
        const std::uint32_t buckets = hash_[0], first = hash_[1], filter_words = hash_[2];
        const std::uint32_t* const bucket = hash_ + 4 + filter_words * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
        const std::uint32_t* const chains = bucket + buckets;
        std::uint32_t last = buckets == 0 ? 0 : *std::max_element(bucket, bucket + buckets);
        if (last < first) return first;
        while ((chains[last - first] & 1U) == 0) ++last;
        return last + 1;
    }

    void set_protection(std::span<ElfW(Sym)> symbols, int protection) const {
        const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        const auto begin = reinterpret_cast<std::uintptr_t>(symbols.data()) / page * page;
        const auto end = reinterpret_cast<std::uintptr_t>(symbols.data() + symbols.size());
        if (mprotect(reinterpret_cast<void*>(begin), end - begin, protection) != 0)
            refuse_calls(path_, "permission to change the protection of its symbols");
    }

    ElfW(Addr) base_;
    const char* path_;
    const char* names_ = nullptr;
    ElfW(Sym) * symbols_ = nullptr;
    const std::uint32_t* hash_ = nullptr;
};

[[gnu::constructor]] void intercept_handles() {
    if (const dl_phdr_info* const mpi = library_of_mpi(); mpi != nullptr) symbol_table(*mpi).redirect();
}

}}  // namespace collsched::preload
