#include "fortran.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collsched::preload {

void refuse_calls(const std::string& path, const char* expected) {
    std::fprintf(stderr, "collsched: %s: got calls that cannot be taken over, expected %s\n", path.c_str(), expected);
    std::fflush(stderr);
    std::_Exit(2);
}

void* own_function(const char* name) {
    static const Dl_info self = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<void*>(&intercept_fortran), &info);
        return info;
    }();
    static void* const handle = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    Dl_info found{};
    void* const address = handle == nullptr ? nullptr : dlsym(handle, name);  // also of the libraries that it needs
    return address != nullptr && dladdr(address, &found) != 0 && found.dli_fbase == self.dli_fbase ? address : nullptr;
}

namespace {

#if __ELF_NATIVE_CLASS == 64
std::size_t symbol_of(ElfW(Xword) info) { return ELF64_R_SYM(info); }
#else
std::size_t symbol_of(ElfW(Word) info) { return ELF32_R_SYM(info); }
#endif

/// A loaded library, from its program headers.
class loaded_library {
  public:
    explicit loaded_library(const dl_phdr_info& info) : base_(info.dlpi_addr), name_(info.dlpi_name) {
        for (const ElfW(Phdr) & part : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
            if (part.p_type == PT_DYNAMIC) read_dynamic(reinterpret_cast<const ElfW(Dyn)*>(base_ + part.p_vaddr));
            if (part.p_type == PT_GNU_RELRO) read_only_.begin = base_ + part.p_vaddr, read_only_.bytes = part.p_memsz;
        }
    }

    /// Makes calls of MPI's functions PMPI_... call this library's MPI_..., where it has one. Returns their number.
    int redirect() {
        if (names_ == nullptr || symbols_ == nullptr) return 0;
        set_read_only(false);
        int number = 0;
        for (const table& one : {relocations_, of_calls_})
            for (std::size_t at = 0; one.begin != 0 && at + one.entry <= one.bytes; at += one.entry)
                number += redirect(*reinterpret_cast<const ElfW(Rel)*>(one.begin + at)) ? 1 : 0;
        set_read_only(true);
        return number;
    }

  private:
    struct table {
        ElfW(Addr) begin = 0;
        std::size_t bytes = 0;
        std::size_t entry = sizeof(ElfW(Rela));  // begins like ElfW(Rel)
    };

    /// Some systems leave addresses relative to the library.
    ElfW(Addr) address(const ElfW(Dyn) & entry) const {
        return entry.d_un.d_ptr < base_ ? base_ + entry.d_un.d_ptr : entry.d_un.d_ptr;
    }

    void read_dynamic(const ElfW(Dyn) * entry) {
        for (; entry->d_tag != DT_NULL; ++entry) switch (entry->d_tag) {
                case DT_STRTAB: names_ = reinterpret_cast<const char*>(address(*entry)); break;
                case DT_SYMTAB: symbols_ = reinterpret_cast<const ElfW(Sym)*>(address(*entry)); break;
                case DT_REL: relocations_.entry = sizeof(ElfW(Rel)); [[fallthrough]];
                case DT_RELA: relocations_.begin = address(*entry); break;
                case DT_RELSZ:
                case DT_RELASZ: relocations_.bytes = entry->d_un.d_val; break;
                case DT_JMPREL: of_calls_.begin = address(*entry); break;
                case DT_PLTRELSZ: of_calls_.bytes = entry->d_un.d_val; break;
                case DT_PLTREL:
                    of_calls_.entry = entry->d_un.d_val == DT_RELA ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
                    break;
                default: break;
            }
    }

    /// Stores the address in the word that the dynamic linker filled, or will fill at the first call.
    bool redirect(const ElfW(Rel) & word) const {
        const std::string_view name = names_ + symbols_[symbol_of(word.r_info)].st_name;
        if (!name.starts_with("PMPI_") && !name.starts_with("PMPIX_")) return false;
        void* const function = own_function(name.data() + 1);
        if (function == nullptr) return false;
        *reinterpret_cast<void**>(base_ + word.r_offset) = function;
        return true;
    }

    void set_read_only(bool is) const {
        if (read_only_.bytes == 0) return;
        const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
        const ElfW(Addr) begin = read_only_.begin / page * page;  // the dynamic linker protects whole pages alone
        const ElfW(Addr) end = (read_only_.begin + read_only_.bytes) / page * page;
        if (end > begin &&
            mprotect(reinterpret_cast<void*>(begin), end - begin, is ? PROT_READ : PROT_READ | PROT_WRITE) != 0)
            refuse_calls(name_, "permission to change the protection of its addresses");
    }

    ElfW(Addr) base_;
    std::string name_;
    const char* names_ = nullptr;
    const ElfW(Sym) * symbols_ = nullptr;
    table relocations_, of_calls_, read_only_;
};

/// Whether the library with Fortran functions of an MPI calls PMPI_... alone. Others call MPI_... in some functions.
struct fortran_library {
    std::string_view part_of_name;
    bool calls_pmpi_alone;
};
constexpr fortran_library fortran_libraries[] = {
    {"mpi_mpifh", true},    // Open MPI
    {"mpichfort", false},   // Debian's MPICH
    {"libmpifort", false},  // MPICH and those of its binary interface
};

/// Returns the entry of a library, null if it is not one of Fortran functions.
const fortran_library* entry_of(const dl_phdr_info& info) {
    const std::string_view path = info.dlpi_name == nullptr ? "" : info.dlpi_name;
    const std::string_view file = path.substr(path.rfind('/') + 1);
    for (const fortran_library& one : fortran_libraries)
        if (file.find(one.part_of_name) != std::string_view::npos) return &one;
    return nullptr;
}

int collect(dl_phdr_info* info, std::size_t, void* found) {
    if (entry_of(*info) != nullptr) static_cast<std::vector<dl_phdr_info>*>(found)->push_back(*info);
    return 0;
}

/// Before the program, which may begin with a call from Fortran.
[[gnu::constructor]] void intercept_at_load() { intercept_fortran(); }

}  // namespace

void intercept_fortran() {
    std::vector<dl_phdr_info> found;
    dl_iterate_phdr(collect, &found);  // holds a lock of the dynamic linker
    for (const dl_phdr_info& one : found)
        if (loaded_library(one).redirect() == 0 && entry_of(one)->calls_pmpi_alone)
            refuse_calls(one.dlpi_name, "relocations of PMPI functions");
}

}  // namespace collsched::preload
