# Debian's static serial HDF5, as the target hdf5_static: the shared one brings libcurl and 30 libraries more, which take
# longer to load than `refran list` takes to run. (On Debian 13 the static one needs them as well.)
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

# From 1.14 on its core calls the driver for files in S3.
set(s3_libraries)
if(HDF5_VERSION VERSION_GREATER_EQUAL 1.14)
  find_library(CURL_LIBRARY curl REQUIRED)
  set(s3_libraries ${CURL_LIBRARY} OpenSSL::Crypto)
endif()

add_library(hdf5_static INTERFACE)
target_include_directories(hdf5_static SYSTEM INTERFACE ${HDF5_INCLUDE_DIR})
target_link_libraries(hdf5_static INTERFACE ${HDF5_ARCHIVE} ${s3_libraries} ${SZIP_LIBRARY} ZLIB::ZLIB
                                            Threads::Threads ${CMAKE_DL_LIBS} m)
