#include "interception.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "never_destroyed.hpp"

namespace collsched::preload {

void refuse_calls(const std::string& path, const char* expected) {
    std::fprintf(stderr, "collsched: %s: got calls that cannot be taken over, expected %s\n", path.c_str(), expected);
    std::fflush(stderr);
    std::_Exit(2);
}

void* own_function(const char* name) {
    static const Dl_info self = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<void*>(&own_function), &info);
        return info;
    }();
    static void* const handle = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    Dl_info found{};
    void* const address = handle == nullptr ? nullptr : dlsym(handle, name);  // also of the libraries that it needs
    return address != nullptr && dladdr(address, &found) != 0 && found.dli_fbase == self.dli_fbase ? address : nullptr;
}

namespace {
constinit never_destroyed<std::map<std::string, void*>> natives;
}

void keep_native(const char* name, void* address) { (*natives)[name] = address; }

void* find_native(const char* name) {
    const auto kept = natives->find(name);
    void* const address = kept != natives->end() ? kept->second : dlsym(RTLD_NEXT, name);
    if (address == nullptr) refuse_calls(name, "a function of the MPI");
    return address;
}

namespace {

/// A library by an address in it.
struct searched_library {
    ElfW(Addr) base = 0;
    dl_phdr_info found{};
};

int compare(dl_phdr_info* info, std::size_t, void* into) {
    searched_library& searched = *static_cast<searched_library*>(into);
    if (searched.base == 0 || searched.base != info->dlpi_addr) return 0;
    searched.found = *info;
    return 1;
}

}  // namespace

const dl_phdr_info* library_of_mpi() {
    static const searched_library library = [] {
        Dl_info mpi{};
        searched_library searched;
        if (dladdr(find_native("PMPI_Allreduce"), &mpi) != 0)
            searched.base = reinterpret_cast<ElfW(Addr)>(mpi.dli_fbase);
        dl_iterate_phdr(compare, &searched);
        return searched;
    }();
    return library.found.dlpi_addr != 0 ? &library.found : nullptr;
}

namespace {

#if __ELF_NATIVE_CLASS == 64
std::size_t symbol_of(ElfW(Xword) info) { return ELF64_R_SYM(info); }
#else
std::size_t symbol_of(ElfW(Word) info) { return ELF32_R_SYM(info); }
#endif

/// The calls of the MPI's library of its own functions PMPI_..., from its program headers.
class own_calls_of_mpi {
  public:
    explicit own_calls_of_mpi(const dl_phdr_info& info) : base_(info.dlpi_addr), name_(info.dlpi_name) {
        for (const ElfW(Phdr) & part : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
            if (part.p_type == PT_DYNAMIC) read_dynamic(reinterpret_cast<const ElfW(Dyn)*>(base_ + part.p_vaddr));
            if (part.p_type == PT_GNU_RELRO) read_only_.begin = base_ + part.p_vaddr, read_only_.bytes = part.p_memsz;
        }
    }

    /// Keeps them within the MPI.
    void keep() const {
        if (names_ == nullptr || symbols_ == nullptr) return;
        set_read_only(false);
        for (const table& one : {relocations_, of_calls_})
            for (std::size_t at = 0; one.begin != 0 && at + one.entry <= one.bytes; at += one.entry)
                keep(*reinterpret_cast<const ElfW(Rel)*>(one.begin + at));
        set_read_only(true);
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
    void keep(const ElfW(Rel) & word) const {
        const char* const name = names_ + symbols_[symbol_of(word.r_info)].st_name;
        const std::string_view text = name;
        if (!text.starts_with("PMPI_") && !text.starts_with("PMPIX_")) return;
        if (own_function(name) != nullptr) *reinterpret_cast<void**>(base_ + word.r_offset) = find_native(name);
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

/// The MPI's library calls some of its functions by their names PMPI_..., which are this library's in other libraries.
/// It may hold its lock then, and this library calls the MPI while it holds its own.
[[gnu::constructor]] void keep_own_calls_of_mpi() {
    if (const dl_phdr_info* const mpi = library_of_mpi(); mpi != nullptr) own_calls_of_mpi(*mpi).keep();
}

}  // namespace

}  // namespace collsched::preload

/// For tests: returns the MPI's own function of a name PMPI_... that this library intercepts, null for other names.
extern "C" void* collsched_mpi_native(const char* name) {
    using namespace collsched::preload;
    return own_function(name) == nullptr ? nullptr : find_native(name);
}
