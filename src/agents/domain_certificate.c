/* domain_certificate.c: has every rank computed what one rank would have computed? See domain.h.
 *
 * An agent of the halo is known if it was computed as its owner did: the same hash of all its plans, windows, boxes and
 * contacts. Own agents are right if none of them was touched by one that is not known: neither by its boxes as the owner has
 * them, nor by those that it had here. docs/decisions/0023-ranks.md has the proof. All agents of a rank count as one: the
 * hull of their hulls, its slab. */
#include <math.h>
#include <string.h>

#include "agents/domain_parts.h"

/* ---- hulls ---- */

/* Does the hull of the agent, in any block, touch the slab of the rank? */
static bool touches(const brink_domain *domain, uint32_t agent, size_t rank) {
  const brink_agents *own = domain->own;
  const brink_agent_population *pop = brink_worker_population(&own->worker, agent);
  for (size_t b = 0; b < own->def.npairs; b++) {
    const brink_pair_guards *pg = &own->worker.pair_guards[b];
    size_t slab = rank * own->def.npairs + b;
    int sides[2], count = brink_pair_sides(pg, pop, sides);
    for (int k = 0; k < count && domain->slab_there[slab]; k++) {
      uint32_t number = brink_pair_grid_index(pg, sides[k], agent - pop->first);
      if (brink_box_touches(&domain->trail.hull[b][number], &domain->slabs[slab],
                            pg->def.ndimensions))
        return true;
    }
  }
  return false;
}

/* The slab of this rank, of each block. */
static void make_slab(brink_domain *domain) {
  const brink_agents *own = domain->own;
  for (size_t b = 0; b < own->def.npairs; b++) {
    const brink_pair_guards *pg = &own->worker.pair_guards[b];
    brink_box *slab = &domain->slabs[domain->rank * own->def.npairs + b];
    bool *there = &domain->slab_there[domain->rank * own->def.npairs + b];
    *there = false;
    for (uint32_t i = 0; i < own->n; i++) {
      const brink_agent_population *pop = brink_worker_population(&own->worker, i);
      int sides[2];
      if (domain->owner[i] != domain->rank || brink_pair_sides(pg, pop, sides) == 0) continue;
      const brink_box *hull =
          &domain->trail.hull[b][brink_pair_grid_index(pg, sides[0], i - pop->first)];
      if (*there)
        brink_box_extend(slab, hull, pg->def.ndimensions);
      else
        *slab = *hull;
      *there = true;
    }
  }
}

/* ---- messages ---- */

static brink_status send_all(brink_domain *domain, brink_diag *diag) {
  brink_status status = BRINK_OK;
  for (size_t r = 0; r < domain->ranks && status == BRINK_OK; r++) {
    const brink_text *out = &domain->outs[r];
    if (r == domain->rank) continue;
    status = out->failed
                 ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the certificate")
                 : brink_exchange_send(domain->exchange, r, out->data, out->length, diag);
  }
  return status;
}

static brink_status exchange_slabs(brink_domain *domain, brink_diag *diag) {
  size_t count = domain->own->def.npairs, first = domain->rank * count;
  make_slab(domain);
  for (size_t r = 0; r < domain->ranks; r++) {
    domain->outs[r].length = 0;
    brink_text_append(&domain->outs[r], (const char *)&domain->slabs[first],
                      count * sizeof *domain->slabs);
    brink_text_append(&domain->outs[r], (const char *)&domain->slab_there[first],
                      count * sizeof *domain->slab_there);
  }
  brink_status status = send_all(domain, diag);
  for (size_t r = 0; r < domain->ranks && status == BRINK_OK; r++) {
    const void *data;
    brink_domain_bytes bytes = {0};
    if (r == domain->rank) continue;
    status = brink_exchange_receive(domain->exchange, r, &data, &bytes.size, diag);
    bytes.data = data;
    if (status == BRINK_OK &&
        (!brink_domain_get(&bytes, &domain->slabs[r * count], count * sizeof *domain->slabs) ||
         !brink_domain_get(&bytes, &domain->slab_there[r * count], count)))
      status = brink_diag_set(diag, BRINK_ERR_CALLBACK, "a slab of rank %zu is not whole", r);
  }
  return status;
}

/* What the owner says of an agent. */
typedef struct testimony {
  uint64_t hash;
  uint32_t agent;
  bool touches; /* the slab of the rank that it is sent to */
} testimony;

static void testify(brink_domain *domain, uint32_t agent, size_t rank, bool touching) {
  testimony one;
  memset(&one, 0, sizeof one);
  one.hash = domain->trail.hash[agent];
  one.agent = agent;
  one.touches = touching;
  brink_text_append(&domain->outs[rank], (const char *)&one, sizeof one);
}

/* To each rank: all own agents that were in its halo, and all others that touched its slab. */
static brink_status send_testimonies(brink_domain *domain, brink_diag *diag) {
  const brink_agents *own = domain->own;
  for (size_t r = 0; r < domain->ranks; r++) {
    size_t next = 0; /* in the list of the halo, which has the order of agents */
    domain->outs[r].length = 0;
    if (r == domain->rank) continue;
    for (uint32_t i = 0; i < own->n; i++) {
      if (domain->owner[i] != domain->rank) continue;
      bool listed = next < domain->nhalo_of[r] && domain->halo_of[r][next] == i;
      bool touching = touches(domain, i, r);
      if (listed) next++;
      if (listed || touching) testify(domain, i, r, touching);
    }
  }
  return send_all(domain, diag);
}

static brink_status hear_testimonies(brink_domain *domain, bool *certified, brink_diag *diag) {
  for (size_t r = 0; r < domain->ranks; r++) {
    const void *data;
    brink_domain_bytes bytes = {0};
    if (r == domain->rank) continue;
    brink_status status = brink_exchange_receive(domain->exchange, r, &data, &bytes.size, diag);
    if (status != BRINK_OK) return status;
    bytes.data = data;
    testimony one;
    while (brink_domain_get(&bytes, &one, sizeof one)) {
      if (one.agent >= domain->own->n)
        return brink_diag_set(diag, BRINK_ERR_CALLBACK, "rank %zu tells of nobody", r);
      bool known = domain->owner[one.agent] == r && domain->trail.hash[one.agent] == one.hash;
      domain->known[one.agent] = known;
      if (one.touches && !known) *certified = false;
    }
  }
  return BRINK_OK;
}

/* How far inside the halo the hull of an agent came, from its outer edge. */
static double depth_of(const brink_domain *domain, uint32_t agent) {
  const brink_agents *own = domain->own;
  const brink_agent_population *pop = brink_worker_population(&own->worker, agent);
  double from = domain->ends[domain->rank], to = domain->ends[domain->rank + 1];
  for (size_t b = 0; b < own->def.npairs; b++) {
    const brink_pair_guards *pg = &own->worker.pair_guards[b];
    int sides[2];
    if (brink_pair_sides(pg, pop, sides) == 0) continue;
    const brink_box *hull =
        &domain->trail.hull[b][brink_pair_grid_index(pg, sides[0], agent - pop->first)];
    double left = from - hull->high[0], right = hull->low[0] - to; /* distances from the strip */
    double distance = fmax(fmax(left, right), 0.0);
    return fmax(domain->halo - distance, 0.0);
  }
  return 0.0;
}

brink_status brink_domain_certify(brink_domain *domain, bool *certified, double *depth,
                                  brink_diag *diag) {
  *certified = true;
  *depth = 0.0;
  brink_status status = exchange_slabs(domain, diag);
  if (status == BRINK_OK) status = send_testimonies(domain, diag);
  if (status == BRINK_OK) status = hear_testimonies(domain, certified, diag);
  if (status != BRINK_OK) return status;
  for (uint32_t i = 0; i < domain->own->n; i++) {
    uint16_t owner = domain->owner[i];
    if (owner == domain->rank || owner == BRINK_NOWHERE || domain->known[i]) continue;
    if (touches(domain, i, domain->rank)) *certified = false;
    *depth = fmax(*depth, depth_of(domain, i));
  }
  return BRINK_OK;
}
