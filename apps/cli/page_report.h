#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/json_text.h>
#include <holdfast/storage/page.h>

#include "session.h"
#include "text.h"

namespace holdfast::cli {

/// Adds "items", "next", "left_out" and "left_out_is_minimum".
template <class Item, class ToJson>
void add_page(core::JsonWriter& out, const Page<Item>& page, ToJson to_json) {
  std::vector<std::string> items;
  for (const Item& item : page.items) items.push_back(to_json(item));
  out.raw("items", json_array(items));
  if (page.next) {
    out.string("next", *page.next);
  } else {
    out.null("next");
  }
  out.unsigned_integer("left_out", page.left_out)
      .boolean("left_out_is_minimum", page.left_out_is_minimum);
}

template <class Item, class ToJson>
std::string page_json(const Page<Item>& page, ToJson to_json) {
  core::JsonWriter out;
  add_page(out, page, to_json);
  return out.finish();
}

/// What a list ends with for people: how many are shown, how many follow, and how to see them.
template <class Item>
std::string page_footer(const Page<Item>& page, std::string_view one, std::string_view many) {
  const std::string shown = counted(page.items.size(), one, many);
  if (!page.next) return shown + "\n";
  return shown + " shown, " + (page.left_out_is_minimum ? "more than " : "") +
         grouped(page.left_out) + " left out; next page: --cursor " + *page.next + "\n";
}

}  // namespace holdfast::cli
