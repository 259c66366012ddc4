# Debian's static serial HDF5, as the target hdf5_static: the shared one brings libcurl and 30 libraries more, which take
# longer to load than `refran list` takes to run.
find_path(
  HDF5_INCLUDE_DIR hdf5.h
  PATH_SUFFIXES hdf5/serial
  REQUIRED)
find_library(
  HDF5_ARCHIVE libhdf5.a
  PATH_SUFFIXES hdf5/serial
  REQUIRED)
find_library(SZIP_LIBRARY sz REQUIRED)
file(STRINGS ${HDF5_INCLUDE_DIR}/H5public.h version_line REGEX "define H5_VERS_INFO ")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" HDF5_VERSION "${version_line}")

add_library(hdf5_static INTERFACE)
target_include_directories(hdf5_static SYSTEM INTERFACE ${HDF5_INCLUDE_DIR})
target_link_libraries(hdf5_static INTERFACE ${HDF5_ARCHIVE} ${SZIP_LIBRARY} ZLIB::ZLIB
                                            Threads::Threads ${CMAKE_DL_LIBS} m)
