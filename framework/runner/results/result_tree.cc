#include "result_tree.h"

#include <algorithm>
#include <map>

namespace refran::runner {
namespace {

Node dataset_node(const hdf5::Handle& dataset, std::string path) {
  Node node{std::move(path), hdf5::Kind::dataset, hdf5::attributes(dataset), {}, {}, false, {}};
  hdf5::DatasetShape shape = hdf5::shape_of(dataset);
  node.stored = shape.stored;
  node.extents = std::move(shape.extents);
  node.is_scale = hdf5::is_scale(dataset);
  node.dims.resize(node.extents.size());
  if (node.is_scale && node.dims.size() == 1) node.dims.front() = node.name();
  return node;
}

// Reads a group, then the groups in it.
void read_group(const hdf5::Handle& group, const std::string& path, std::vector<Node>& nodes) {
  nodes.push_back({path, hdf5::Kind::group, hdf5::attributes(group), {}, {}, false, {}});
  const std::string prefix = path.empty() ? "" : path + "/";
  std::map<hdf5::Reference, std::string> scales;
  std::vector<std::pair<std::size_t, std::vector<hdf5::Reference>>> uses;
  std::vector<hdf5::Child> groups;
  for (hdf5::Child& child : hdf5::children(group)) {
    if (child.kind == hdf5::Kind::group) {
      groups.push_back(std::move(child));
    } else if (child.kind == hdf5::Kind::dataset) {
      const hdf5::Handle& dataset = child.object;
      nodes.push_back(dataset_node(dataset, prefix + child.name));
      if (nodes.back().is_scale) {
        scales.emplace(hdf5::reference_to(dataset), child.name);
      } else {
        uses.emplace_back(nodes.size() - 1, hdf5::scales_of(dataset));
      }
    } else {
      nodes.push_back({prefix + child.name, hdf5::Kind::other, {}, {}, {}, false, {}});
    }
  }
  for (const auto& [node, references] : uses) {
    for (std::size_t dim = 0; dim < references.size(); ++dim) {
      if (const auto found = scales.find(references[dim]); found != scales.end())
        nodes[node].dims[dim] = found->second;
    }
  }
  for (hdf5::Child& child : groups) {
    read_group(child.object, prefix + child.name, nodes);
    child.object.reset();
  }
}

}  // namespace

const hdf5::Attribute* Node::find(const std::string& attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const auto& entry) { return entry.first == attribute; });
  return found == attributes.end() ? nullptr : &found->second;
}

std::string Node::text(const std::string& attribute) const {
  const hdf5::Attribute* value = find(attribute);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? "" : *text;
}

std::string Node::parent() const {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string Node::name() const { return path.substr(path.rfind('/') + 1); }

std::vector<Node> read_tree(const hdf5::Handle& file) {
  std::vector<Node> nodes;
  read_group(hdf5::open_object(file, "/"), "", nodes);
  std::sort(nodes.begin(), nodes.end(),
            [](const Node& a, const Node& b) { return a.path < b.path; });
  return nodes;
}

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder ||
         (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

}  // namespace refran::runner
