# Compile options of every target of ours; PRIVATE, so that a host program keeps its own.
function(holdfast_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 warns of an overlap that is not there when a literal and a string are added.
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(HOLDFAST_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(HOLDFAST_TESTING)
    target_compile_definitions(${target} PRIVATE HOLDFAST_TESTING _GLIBCXX_ASSERTIONS)
  endif()
  if(HOLDFAST_FUZZ)
    target_compile_options(${target} PRIVATE
      -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer
      -fno-sanitize-recover=undefined)
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  elseif(HOLDFAST_SANITIZE STREQUAL "address")
    target_compile_options(${target} PRIVATE
      -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  elseif(HOLDFAST_SANITIZE STREQUAL "thread")
    target_compile_options(${target} PRIVATE -fsanitize=thread)
    target_link_options(${target} PRIVATE -fsanitize=thread)
  endif()
endfunction()

# One module: library, alias, public headers, install rules and a link test that proves that it
# uses only what it declares.
function(holdfast_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  list(TRANSFORM ARG_HEADERS PREPEND include/holdfast/${name}/)
  add_library(holdfast_${name} STATIC ${ARG_SOURCES})
  add_library(holdfast::${name} ALIAS holdfast_${name})
  target_sources(holdfast_${name} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${ARG_HEADERS})
  target_link_libraries(holdfast_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  target_compile_features(holdfast_${name} PUBLIC cxx_std_20)
  set_target_properties(holdfast_${name} PROPERTIES
    EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  holdfast_compile_options(holdfast_${name})
  # A test build has droppable guards: it must not end up where a program could link it.
  if(NOT HOLDFAST_TESTING)
    install(TARGETS holdfast_${name} EXPORT holdfastTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()

  if(HOLDFAST_TESTING)
    add_executable(holdfast_${name}_links ${PROJECT_SOURCE_DIR}/cmake/empty_main.cpp)
    target_link_libraries(holdfast_${name}_links
      PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,holdfast_${name}>")
    holdfast_compile_options(holdfast_${name}_links)
    add_test(NAME links.${name} COMMAND holdfast_${name}_links)
  endif()
endfunction()

# The tests of one module: one binary, each case a CTest test.
function(holdfast_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(holdfast_${name}_tests ${ARG_SOURCES})
  target_link_libraries(holdfast_${name}_tests PRIVATE ${ARG_LINK} Catch2::Catch2WithMain)
  target_include_directories(holdfast_${name}_tests PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  holdfast_compile_options(holdfast_${name}_tests)
  # Tests tagged [soak] take longer than a test run may; ./dev soak runs them.
  catch_discover_tests(holdfast_${name}_tests TEST_SPEC "~[soak]" TEST_PREFIX "${name}: "
    PROPERTIES LABELS ${name} TIMEOUT 300 SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()
