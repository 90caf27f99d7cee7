# C made at build time: the library elements, written out by a program that differentiates them.
file(GLOB generator_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/generate_elements*.c)
if(generator_sources AND TARGET ib_expr AND TARGET ib_mechanics)
  set(elements_dir ${PROJECT_BINARY_DIR}/generated/mechanics)
  add_executable(generate_elements ${generator_sources})
  target_link_libraries(generate_elements PRIVATE ib_expr ib_num)
  add_custom_command(
    OUTPUT ${elements_dir}/elements.c
    COMMAND ${CMAKE_COMMAND} -E make_directory ${elements_dir}
    COMMAND generate_elements ${elements_dir}/elements.c
    DEPENDS generate_elements
    COMMENT "Writing the library elements as C"
    VERBATIM)
  if(IB_SANITIZE)
    # Straight-line arithmetic: with every operation instrumented it takes many minutes to compile.
    set_source_files_properties(${elements_dir}/elements.c PROPERTIES COMPILE_OPTIONS
                                "-O0;-fno-sanitize=undefined")
  endif()
  target_sources(ib_mechanics PRIVATE ${elements_dir}/elements.c)
endif()

# Text files as strings of C.
function(ib_embed_text module file variable)
  set(text ${PROJECT_SOURCE_DIR}/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${text})
  file(READ ${text} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/text/${variable}.c @ONLY CONTENT
    "extern const char @variable@[];\nconst char @variable@[] = {@bytes@0};\n")
  target_sources(${module} PRIVATE ${PROJECT_BINARY_DIR}/generated/text/${variable}.c)
endfunction()
if(TARGET ib_fcc) # for flight computers that are compiled when they are loaded
  ib_embed_text(ib_fcc include/ironbird/fcc.h ib_fcc_header)
endif()
if(TARGET ib_fmi)
  ib_embed_text(ib_fmi src/fmi/rumoca.py ib_rumoca_script)
endif()

# The headers of FMI as bytes: what source FMUs are compiled against comes with the program.
file(GLOB fmi_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/fmi/headers/*.h)
if(fmi_headers AND TARGET ib_fmi)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${fmi_headers})
  set(arrays "")
  set(entries "")
  foreach(header IN LISTS fmi_headers)
    get_filename_component(name ${header} NAME_WE)
    file(READ ${header} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char ${name}[] = {${bytes}};\n")
    string(APPEND entries "    {\"${name}.h\", ${name}, sizeof ${name}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/fmi/headers.c @ONLY CONTENT
"#include \"fmi/source.h\"

@arrays@
const ib_fmi_header_file ib_fmi_header_files[] = {
@entries@};
const size_t ib_fmi_n_header_files = sizeof ib_fmi_header_files / sizeof ib_fmi_header_files[0];
")
  target_sources(ib_fmi PRIVATE ${PROJECT_BINARY_DIR}/generated/fmi/headers.c)
endif()
