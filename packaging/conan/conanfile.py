"""Recipe of Conan 2 for collsched: headers alone, the same package for every compiler and platform."""

import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, get
from conan.tools.layout import basic_layout


class CollschedRecipe(ConanFile):
    name = "collsched"
    version = "@VERSION@"
    description = "Communication schedules for collective operations"
    license = "BSL-1.0"
    topics = ("collective-communication", "mpi", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def layout(self):
        basic_layout(self, src_folder="src")

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        copy(self, "*", src=os.path.join(self.source_folder, "include"), dst=os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "collsched")
        self.cpp_info.set_property("cmake_target_name", "collsched::collsched")
        self.cpp_info.set_property("pkg_config_name", "collsched")
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread"]
