# What the program's tables are also written as: man pages (where scdoc is there to format them), shell
# completions and the schema of model files.
if(NOT TARGET ironbird)
  return()
endif()
set(documents_dir ${PROJECT_BINARY_DIR}/generated)
set(documents "")

# ib_document(FILE ARGUMENTS...): what the program prints with these arguments, as a file.
function(ib_document file)
  get_filename_component(folder ${documents_dir}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${documents_dir}/${file}
    COMMAND ironbird ${ARGN} > ${documents_dir}/${file} DEPENDS ironbird VERBATIM)
  set(documents ${documents} ${documents_dir}/${file} PARENT_SCOPE)
endfunction()

ib_document(schema/model.schema.json schema model)
ib_document(schema/mission.schema.json schema mission)
ib_document(schema/network.schema.json schema network)
foreach(shell bash zsh fish)
  ib_document(completion/ironbird.${shell} --completion ${shell})
endforeach()
install(FILES ${documents_dir}/schema/model.schema.json ${documents_dir}/schema/mission.schema.json
  ${documents_dir}/schema/network.schema.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ironbird/schema)
install(FILES ${documents_dir}/completion/ironbird.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ironbird)
install(FILES ${documents_dir}/completion/ironbird.zsh
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _ironbird)
install(FILES ${documents_dir}/completion/ironbird.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

find_program(SCDOC scdoc)
if(SCDOC)
  file(STRINGS ${PROJECT_SOURCE_DIR}/cli/commands.def commands REGEX "^IB_COMMAND\\(")
  set(pages ironbird)
  foreach(line IN LISTS commands)
    string(REGEX REPLACE "^IB_COMMAND\\(([a-z]+).*" "ironbird-\\1" page "${line}")
    list(APPEND pages ${page})
  endforeach()
  foreach(page IN LISTS pages)
    string(REGEX REPLACE "^ironbird-?" "" command ${page})
    ib_document(man/${page}.scd --man ${command})
    set(page_file ${documents_dir}/man/${page}.1)
    add_custom_command(OUTPUT ${page_file}
      COMMAND ${SCDOC} < ${documents_dir}/man/${page}.scd > ${page_file}
      DEPENDS ${documents_dir}/man/${page}.scd VERBATIM)
    list(APPEND documents ${page_file})
    install(FILES ${page_file} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endforeach()
endif()
add_custom_target(documents ALL DEPENDS ${documents})
