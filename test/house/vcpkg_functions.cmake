# The functions of vcpkg that packaging/vcpkg/portfile.cmake calls, for test/house/packaging.py:
# cmake -DRECIPE=portfile.cmake -DARCHIVE_FILE=... -DWORK=... -P vcpkg_functions.cmake installs to WORK/packages.
set(PORT collsched)
set(CURRENT_PACKAGES_DIR "${WORK}/packages")

function(run)
    execute_process(COMMAND ${ARGV} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_download_distfile out)
    cmake_parse_arguments(arg "" "FILENAME;SHA512" "URLS" ${ARGN})
    file(SHA512 "${ARCHIVE_FILE}" digest)
    if(NOT digest STREQUAL arg_SHA512 OR NOT arg_URLS OR NOT arg_FILENAME)
        message(FATAL_ERROR "vcpkg_download_distfile: got ${ARGN}, expected URLS, FILENAME and SHA512 ${digest}")
    endif()
    set(${out} "${ARCHIVE_FILE}" PARENT_SCOPE)
endfunction()

function(vcpkg_extract_source_archive out)
    cmake_parse_arguments(arg "" "ARCHIVE" "" ${ARGN})
    file(ARCHIVE_EXTRACT INPUT "${arg_ARCHIVE}" DESTINATION "${WORK}/source")
    file(GLOB folder "${WORK}/source/*")
    set(${out} "${folder}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
    cmake_parse_arguments(arg "" "SOURCE_PATH" "" ${ARGN})
    run("${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${WORK}/build" "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}")
endfunction()

function(vcpkg_cmake_install)
    run("${CMAKE_COMMAND}" --install "${WORK}/build")
endfunction()

function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(arg "" "CONFIG_PATH" "" ${ARGN})
    file(RENAME "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" "${CURRENT_PACKAGES_DIR}/share/${PORT}")
endfunction()

function(vcpkg_fixup_pkgconfig)
    if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/share/pkgconfig/${PORT}.pc")
        message(FATAL_ERROR "vcpkg_fixup_pkgconfig: ${PORT}.pc is missing")
    endif()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(arg "" "" "FILE_LIST" ${ARGN})
    file(INSTALL ${arg_FILE_LIST} DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}" RENAME copyright)
endfunction()

include("${RECIPE}")
