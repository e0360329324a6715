#include "support/crash_disk.h"

#include <algorithm>
#include <set>
#include <utility>

namespace holdfast::test {
namespace {

void put_at(std::string& image, std::int64_t offset, std::string_view bytes) {
  const auto begin = static_cast<std::size_t>(offset);
  if (image.size() < begin + bytes.size()) image.resize(begin + bytes.size(), '\0');
  image.replace(begin, bytes.size(), bytes);
}

void apply(std::string& image, const UnsyncedChange& change) {
  if (change.is_truncation) {
    image.resize(static_cast<std::size_t>(change.offset), '\0');
  } else {
    put_at(image, change.offset, change.bytes);
  }
}

/// Decides what one power loss does. Most losses treat each change by itself; some drop all, or
/// keep all up to one moment, because those two find bugs that a mixture hides.
class PowerLoss {
 public:
  PowerLoss(std::uint64_t seed, bool powersafe_overwrite)
      : random_(seed), powersafe_overwrite_(powersafe_overwrite) {
    const std::uint64_t mood = draw(random_, 8);
    drops_all_ = mood == 0;
    keeps_in_order_ = mood == 1;
  }

  [[nodiscard]] bool keeps_name_change() { return !drops_all_ && draw(random_, 2) == 0; }

  [[nodiscard]] std::string settle(const StoredFile& file) {
    std::string image = file.durable;
    if (drops_all_) return image;
    if (keeps_in_order_) {
      const std::uint64_t kept = draw(random_, file.unsynced.size() + 1);
      for (std::size_t i = 0; i < kept; ++i) apply(image, file.unsynced[i]);
      return image;
    }
    for (const UnsyncedChange& change : file.unsynced) settle_change(image, change);
    return image;
  }

 private:
  void settle_change(std::string& image, const UnsyncedChange& change) {
    const std::uint64_t fate = draw(random_, 4);
    if (fate == 0) return;
    if (fate == 1 || change.is_truncation) return apply(image, change);
    const bool damages = fate == 3;
    const std::int64_t end = change.offset + static_cast<std::int64_t>(change.bytes.size());
    for (std::int64_t at = change.offset; at < end;) {
      const std::int64_t next = std::min(end, (at / kSectorBytes + 1) * kSectorBytes);
      const std::string_view piece =
          std::string_view(change.bytes)
              .substr(static_cast<std::size_t>(at - change.offset),
                      static_cast<std::size_t>(next - at));
      const std::uint64_t sector_fate = draw(random_, damages ? 3 : 2);
      if (sector_fate == 1) put_at(image, at, piece);
      if (sector_fate == 2) damage(image, at, next);
      at = next;
    }
  }

  /// Fills [begin, end) with noise, and the rest of its sector too when the disk may do that.
  void damage(std::string& image, std::int64_t begin, std::int64_t end) {
    if (!powersafe_overwrite_) {
      const auto size = static_cast<std::int64_t>(image.size());
      const std::int64_t sector = begin / kSectorBytes * kSectorBytes;
      begin = std::min(begin, sector);
      end = std::max(end, std::min(size, sector + kSectorBytes));
    }
    std::string noise(static_cast<std::size_t>(end - begin), '\0');
    for (char& byte : noise) byte = static_cast<char>(draw(random_, 256));
    put_at(image, begin, noise);
  }

  std::mt19937_64 random_;
  bool powersafe_overwrite_;
  bool drops_all_ = false;
  bool keeps_in_order_ = false;
};

std::string_view directory_of(std::string_view name) {
  const auto slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

}  // namespace

DiskImage::DiskImage(const DiskImage& other) {
  // A file may have its name in both maps; it must stay one file in the copy.
  std::map<const StoredFile*, FileRef> copies;
  const auto copy_names = [&copies](const auto& from, auto& to) {
    for (const auto& [name, file] : from) {
      FileRef& copy = copies[file.get()];
      if (!copy) copy = std::make_shared<StoredFile>(*file);
      to.emplace(name, copy);
    }
  };
  copy_names(other.now_, now_);
  copy_names(other.durable_, durable_);
}

DiskImage& DiskImage::operator=(const DiskImage& other) {
  DiskImage copy(other);
  std::swap(now_, copy.now_);
  std::swap(durable_, copy.durable_);
  return *this;
}

std::optional<std::string> DiskImage::bytes(const std::string& name) const {
  const FileRef file = find(name);
  if (!file) return std::nullopt;
  return file->now;
}

void DiskImage::put(const std::string& name, std::string bytes) {
  const auto file = std::make_shared<StoredFile>();
  file->now = file->durable = std::move(bytes);
  now_[name] = durable_[name] = file;
}

std::vector<std::string> DiskImage::names() const {
  std::vector<std::string> names;
  for (const auto& entry : now_) names.push_back(entry.first);
  return names;
}

std::int64_t DiskImage::total_bytes() const {
  std::int64_t total = 0;
  for (const auto& entry : now_) total += static_cast<std::int64_t>(entry.second->now.size());
  return total;
}

DiskImage::FileRef DiskImage::find(const std::string& name) const {
  const auto found = now_.find(name);
  return found == now_.end() ? nullptr : found->second;
}

DiskImage::FileRef DiskImage::create(const std::string& name) {
  return now_[name] = std::make_shared<StoredFile>();
}

void DiskImage::remove(const std::string& name) { now_.erase(name); }

void DiskImage::write(StoredFile& file, std::int64_t offset, std::string_view bytes) {
  put_at(file.now, offset, bytes);
  file.unsynced.push_back({.offset = offset, .bytes = std::string(bytes)});
}

void DiskImage::truncate(StoredFile& file, std::int64_t size) {
  file.now.resize(static_cast<std::size_t>(size), '\0');
  file.unsynced.push_back({.is_truncation = true, .offset = size, .bytes = {}});
}

void DiskImage::sync(StoredFile& file) {
  for (const UnsyncedChange& change : file.unsynced) {
    if (!change.forgotten) apply(file.durable, change);
  }
  file.unsynced.clear();
}

void DiskImage::forget_unsynced(StoredFile& file) {
  for (UnsyncedChange& change : file.unsynced) change.forgotten = true;
}

void DiskImage::sync_directory(const std::string& name) {
  const std::string directory(directory_of(name));
  std::erase_if(durable_, [&](const auto& entry) {
    return directory_of(entry.first) == directory && !now_.contains(entry.first);
  });
  for (const auto& [other, file] : now_) {
    if (directory_of(other) == directory) durable_[other] = file;
  }
}

DiskImage DiskImage::after_power_loss(std::uint64_t seed, bool powersafe_overwrite) const {
  PowerLoss loss(seed, powersafe_overwrite);
  std::set<std::string> names;
  for (const auto& entry : now_) names.insert(entry.first);
  for (const auto& entry : durable_) names.insert(entry.first);
  DiskImage found;
  for (const std::string& name : names) {
    const FileRef now = find(name);
    const auto old = durable_.find(name);
    const FileRef durable = old == durable_.end() ? nullptr : old->second;
    const FileRef survivor = now == durable || loss.keeps_name_change() ? now : durable;
    if (survivor) found.put(name, loss.settle(*survivor));
  }
  return found;
}

}  // namespace holdfast::test
