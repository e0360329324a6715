#include <cstdio>

#include <holdfast/exchange/wordnet.h>
#include <holdfast/space/store.h>

int main(int argc, char** argv) {
  auto store = holdfast::Store::open(argv[1]);
  auto space = store->create_space("default", "me");
  if (argc > 2) {
    auto r = holdfast::exchange::import_wordnet(space, argv[2], {});
    std::printf("%lu %lu %lu loops %lu triples %lu skipped %lu\n", r.entities.created, r.notes.created, r.edges.created, r.self_loops, r.distinct_triples, r.edges.skipped);
  }
  auto v = store->verify();
  std::printf("events %lu rows %lu findings %lu\n", v.events, v.rows, v.findings_total);
  for (auto& f : v.findings) std::printf("%s %s\n", f.check.c_str(), f.detail.c_str());
}
