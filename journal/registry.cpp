#include <holdfast/journal/registry.h>

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/journal/projection.h>

namespace holdfast::journal {

void Registry::add(Source source) {
  probes_.push_back("SELECT seq, deleted_at FROM " + std::string(source.table) +
                    " WHERE space = $1 AND id = $2");
  sources_.push_back(std::move(source));
}

void Registry::add(const Projection& projection) { projections_.push_back(&projection); }

Registry Registry::with(const Projection& projection) const {
  Registry other = *this;
  for (const Projection*& known : other.projections_) {
    if (known->type() == projection.type()) known = &projection;
  }
  return other;
}

bool Registry::knows_projection(std::string_view type) const {
  return std::any_of(projections_.begin(), projections_.end(),
                     [type](const Projection* known) { return known->type() == type; });
}

const Projection& Registry::projection(std::string_view type) const {
  for (const Projection* const projection : projections_) {
    if (projection->type() == type) return *projection;
  }
  throw Unsupported("this program does not know projections of type " + std::string(type) +
                    ": a newer one, or one with types of its own, made them");
}

bool Registry::knows(std::string_view kind) const {
  return std::any_of(sources_.begin(), sources_.end(),
                     [kind](const Source& source) { return source.kind == kind; });
}

const Source& Registry::source(std::string_view kind) const {
  std::string known;
  for (const Source& source : sources_) {
    if (source.kind == kind) return source;
    known += (known.empty() ? "" : ", ") + std::string(source.kind);
  }
  throw InvalidArgument("kind", std::string(kind), "be one of " + known);
}

std::optional<Mark> Registry::probe(storage::Transaction& transaction, std::string_view space,
                                    std::string_view kind, const Uuid& id) const {
  const auto index = static_cast<std::size_t>(&source(kind) - sources_.data());
  auto select = transaction.prepare(probes_[index]);
  select.bind(space, id);
  if (!select.step()) return std::nullopt;
  return Mark{.seq = select.get<Sequence>(0),
              .deleted_at = select.get<std::optional<Timestamp>>(1)};
}

}  // namespace holdfast::journal
