// What the sources that see HDF5 share: the check of every call, types and dataspaces.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "hdf5_handle.h"

namespace refran::runner::hdf5 {

static_assert(sizeof(hid_t) == sizeof(std::int64_t) && sizeof(hobj_ref_t) == sizeof(Reference));

// HDF5 prints its errors unless told not to.
void silence();

// Throws Error with `what`, the name or path of what it was done to, and HDF5's cause.
[[noreturn]] void fail(std::string_view what, std::string_view name);
[[noreturn]] void fail(std::string_view what, const Handle& object);

template <class Result>
Result check(Result result, std::string_view what, std::string_view name = {}) {
  if (result < 0) fail(what, name);
  return result;
}

template <class Result>
Result check(Result result, std::string_view what, const Handle& object) {
  if (result < 0) fail(what, object);
  return result;
}

inline Handle own(hid_t id, std::string_view what, std::string_view name = {}) {
  return Handle(check(id, what, name));
}

inline Handle own(hid_t id, std::string_view what, const Handle& object) {
  return Handle(check(id, what, object));
}

// Types and property lists are made once and live as long as HDF5 does. Types are those of the file
// and of memory alike: values are little-endian in both on x86-64, the one machine this is built
// for.
const Handle& file_access();
const Handle& type_of(Stored stored);
// For texts: HDF5 clears its whole conversion buffer at every call, 1 MiB unless told otherwise.
const Handle& text_transfer();
Handle space_of(const std::vector<std::uint64_t>& extents);
// The dataset's space with the box selected, and the space of the memory beside it.
std::pair<Handle, Handle> select(const Handle& dataset, const Box& box);

}  // namespace refran::runner::hdf5
