import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.models import Q

import governance.ids
import governance.vocabulary
import memories.models.embedding
import memories.vocabulary
from governance import ddl
from governance.ddl import Key

# What a vector is, whoever writes it: as long as it says, of length one, and there exactly when it is said to be.
SHAPE = """
ALTER TABLE memories_embedding
  ADD CONSTRAINT embedding_is_there CHECK ((state = 'ready') = (vector IS NOT NULL)),
  ADD CONSTRAINT embedding_dims CHECK (vector IS NULL OR vector_dims(vector) = dims),
  ADD CONSTRAINT embedding_normalised CHECK (vector IS NULL OR l2_norm(vector) BETWEEN 0.99 AND 1.01);
ALTER TABLE memories_embedding ADD CONSTRAINT memories_embedding_passage_id_scoped
  FOREIGN KEY (project_id, passage_id) REFERENCES memories_passage (project_id, id) ON DELETE CASCADE;
"""
SHAPELESS = """
ALTER TABLE memories_embedding DROP CONSTRAINT memories_embedding_passage_id_scoped,
  DROP CONSTRAINT embedding_normalised, DROP CONSTRAINT embedding_dims, DROP CONSTRAINT embedding_is_there;
"""
# A new text has no vector yet; what is dead, moved or shown to others is so for its vector at the same moment.
FOLLOW = """
CREATE FUNCTION memories_passage_vectors() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE anew boolean := (NEW.text, NEW.speaker) IS DISTINCT FROM (OLD.text, OLD.speaker);
BEGIN
  UPDATE public.memories_embedding e SET
    live = NEW.live, thread_id = NEW.thread_id, source_type = NEW.source_type,
    said_at = coalesce(NEW.as_of, NEW.created_at),
    confined = NEW.memory_id IS NOT NULL AND NEW.thread_id IS NOT NULL,
    audience = NEW.audience, audience_role = NEW.audience_role, owner_id = NEW.owner_id,
    state = CASE WHEN anew THEN 'pending' ELSE e.state END,
    vector = CASE WHEN anew THEN NULL ELSE e.vector END,
    attempts = CASE WHEN anew THEN 0 ELSE e.attempts END,
    error = CASE WHEN anew THEN '' ELSE e.error END,
    due_at = CASE WHEN anew THEN clock_timestamp() ELSE e.due_at END
  WHERE e.project_id = NEW.project_id AND e.passage_id = NEW.id;
  RETURN NULL;
END $f$;
CREATE TRIGGER vectors AFTER UPDATE ON memories_passage FOR EACH ROW
WHEN ((OLD.text, OLD.speaker, OLD.live, OLD.thread_id, OLD.memory_id, OLD.source_type, OLD.as_of,
       OLD.audience, OLD.audience_role, OLD.owner_id)
      IS DISTINCT FROM
      (NEW.text, NEW.speaker, NEW.live, NEW.thread_id, NEW.memory_id, NEW.source_type, NEW.as_of,
       NEW.audience, NEW.audience_role, NEW.owner_id))
EXECUTE FUNCTION memories_passage_vectors();
"""
NOT_FOLLOWED = "DROP TRIGGER vectors ON memories_passage; DROP FUNCTION memories_passage_vectors();"
# The graph of each model that comes with the product; another's is built by a command, once its length is known.
GRAPHS = {"use-multilingual-v3": 512, "multilingual-e5-small": 384}
DRAWN = "".join(
    f"CREATE INDEX memories_embedding_graph_{dims} ON memories_embedding"
    f" USING hnsw ((vector::halfvec({dims})) halfvec_ip_ops) WITH (m = 16, ef_construction = 128)"
    f" WHERE model = '{model}' AND state = 'ready' AND live;"
    for model, dims in GRAPHS.items()
)
UNDRAWN = "".join(f"DROP INDEX memories_embedding_graph_{dims};" for dims in GRAPHS.values())

ARGUMENTS = (
    "of_model text, of_space text, of_dims integer, asked halfvec[], most integer, near uuid, only_in uuid,"
    " kinds text[], since timestamptz, until timestamptz, shared boolean, held_roles text[], bounded integer"
)
TYPES = (
    "text, text, integer, halfvec[], integer, uuid, uuid, text[], timestamptz, timestamptz, boolean, text[], integer"
)
GIVEN = "of_model, of_space, of_dims, asked, most, near, only_in, kinds, since, until, shared, held_roles, bounded"
# Whose rows they may be says row-level security: these functions have the rights of whoever calls them. Statements
# are composed, so that each is planned for the values at hand and says the conditions of its index literally.
ELIGIBLE = """
  'e.model = ' || quote_literal(of_model) || ' AND e.state = ''ready'' AND e.live AND e.dims = $3'
  || ' AND starts_with(e.version, $2) AND NOT ($11 AND e.audience = ''private'')'
  || CASE WHEN only_in IS NULL THEN '' ELSE ' AND e.thread_id = $7' END
  || CASE WHEN near IS NULL THEN '' ELSE ' AND (NOT e.confined OR e.thread_id = $6)' END
  || CASE WHEN kinds IS NULL THEN '' ELSE ' AND e.source_type = ANY ($8)' END
  || CASE WHEN since IS NULL THEN '' ELSE ' AND e.said_at >= $9' END
  || CASE WHEN until IS NULL THEN '' ELSE ' AND e.said_at < $10' END
  || CASE WHEN held_roles IS NULL THEN ''
          ELSE ' AND (e.audience <> ''role'' OR e.audience_role = ANY ($12))' END
"""
# The plain column, without the cast that the graph's index has: this statement cannot use it.
BY_SCAN = f"""
CREATE FUNCTION nearest_by_scan({ARGUMENTS}, OUT ids uuid[], OUT distances double precision[], OUT seen integer)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off
SET max_parallel_workers_per_gather = 0 AS $f$
DECLARE
  distance text := (SELECT string_agg(format('e.vector <#> $4[%s]', n), ', ') FROM generate_subscripts(asked, 1) AS n);
BEGIN
  EXECUTE 'WITH seen AS MATERIALIZED (SELECT e.passage_id AS id, least(' || distance || ') AS d'
    || ' FROM memories_embedding e WHERE ' || {ELIGIBLE} || ' LIMIT $13)'
    || ' SELECT array_agg(t.id ORDER BY t.d, t.id), array_agg(t.d ORDER BY t.d, t.id), (SELECT count(*) FROM seen)'
    || ' FROM (SELECT s.id, s.d FROM seen s ORDER BY s.d, s.id LIMIT $5) AS t'
  INTO ids, distances, seen USING {GIVEN};
END $f$;
"""
BY_GRAPH = f"""
CREATE FUNCTION nearest_by_graph({ARGUMENTS}, OUT ids uuid[], OUT distances double precision[], OUT seen integer)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_sort = off SET jit = off SET max_parallel_workers_per_gather = 0 AS $f$
DECLARE
  leg text := '(SELECT e.passage_id AS id, (e.vector::halfvec(' || of_dims || ')) <#> $4[%1$s] AS d'
    || ' FROM memories_embedding e WHERE ' || {ELIGIBLE}
    || ' ORDER BY (e.vector::halfvec(' || of_dims || ')) <#> $4[%1$s] LIMIT $5)';
BEGIN
  PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '200', true),
          set_config('hnsw.max_scan_tuples', '40000', true);
  EXECUTE 'WITH seen AS MATERIALIZED ('
    || (SELECT string_agg(replace(leg, '%1$s', n::text), ' UNION ALL ') FROM generate_subscripts(asked, 1) AS n)
    || '), best AS (SELECT s.id, min(s.d) AS d FROM seen s GROUP BY s.id)'
    || ' SELECT array_agg(t.id ORDER BY t.d, t.id), array_agg(t.d ORDER BY t.d, t.id), count(*)'
    || ' FROM (SELECT b.id, b.d FROM best b ORDER BY b.d, b.id LIMIT $5) AS t'
  INTO ids, distances, seen USING {GIVEN};
END $f$;
"""
# All of a scope of up to `bounded` vectors is compared. A larger one is searched by the graph, and once more whole
# where what may be seen lies too thin in it: what comes back is always as much as was asked for, if it is there.
NEAREST = f"""
CREATE FUNCTION nearest_passages({ARGUMENTS})
RETURNS TABLE (passage_id uuid, cosine real, path text, seen integer)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $f$
DECLARE
  whole integer := bounded;
  found record;
BEGIN
  path := 'scan';
  bounded := whole + 1;
  IF only_in IS NULL AND (SELECT coalesce(sum(t.passages), 0) FROM memories_passagetally t) > whole THEN
    path := 'graph';
  ELSE
    SELECT * INTO found FROM nearest_by_scan({GIVEN});
    IF found.seen > whole THEN path := 'graph'; END IF;
  END IF;
  IF path = 'graph' THEN
    SELECT * INTO found FROM nearest_by_graph({GIVEN});
    IF found.seen < most THEN
      path := 'graph, then scan';
      bounded := NULL;
      SELECT * INTO found FROM nearest_by_scan({GIVEN});
    END IF;
  END IF;
  RETURN QUERY SELECT u.id, (-u.d)::real, path, found.seen FROM unnest(found.ids, found.distances) AS u (id, d);
END $f$;
"""
FUNCTIONS = ("nearest_passages", "nearest_by_graph", "nearest_by_scan")
CALLED = "".join(
    f"REVOKE ALL ON FUNCTION {name}({TYPES}) FROM PUBLIC; GRANT EXECUTE ON FUNCTION {name}({TYPES}) TO gw_app;"
    for name in FUNCTIONS
)
UNCALLED = "".join(f"DROP FUNCTION {name}({TYPES});" for name in FUNCTIONS)

# The doors see whose vectors are waited for, and neither texts nor vectors.
SEEN = {
    "memories_embedding": "project_id, audience, audience_role, owner_id, passage_id, model, version, dims, state,"
    " error, attempts, live, due_at",
    "memories_passage": "id, project_id, audience, audience_role, owner_id, live, created_at",
}
OPENED = "".join(
    f"GRANT SELECT ({columns}) ON {table} TO gw_doors;"
    f"CREATE POLICY gw_doors_vectors ON {table} FOR SELECT TO gw_doors USING (true);"
    for table, columns in SEEN.items()
)
CLOSED = "".join(
    f"DROP POLICY gw_doors_vectors ON {table}; REVOKE SELECT ({columns}) ON {table} FROM gw_doors;"
    for table, columns in SEEN.items()
)
READERS = "TABLE (project_id uuid, audience text, audience_role text, owner_id uuid, acting uuid)"
# The newest that wait, by who may read them; never a look at the whole of a long queue.
DUE = """
  SELECT d.project_id, d.audience, d.audience_role, d.owner_id, coalesce(d.owner_id, a.id)
  FROM (
    SELECT e.project_id, e.audience, e.audience_role, e.owner_id, e.due_at FROM public.memories_embedding e
    WHERE e.state = 'pending' AND e.live AND e.due_at <= clock_timestamp()
      AND (e.model, e.version) IN (SELECT u.model, u.version FROM unnest($1, $2) AS u (model, version))
    ORDER BY e.due_at DESC LIMIT least($3, 1000)) AS d
  JOIN public.governance_actor a ON a.project_id = d.project_id AND a.kind = 'system'
  GROUP BY 1, 2, 3, 4, 5 ORDER BY max(d.due_at) DESC, 1, 2, 3, 4
"""
MISSING = """
  SELECT d.project_id, d.audience, d.audience_role, d.owner_id, coalesce(d.owner_id, a.id)
  FROM (
    SELECT p.project_id, p.audience, p.audience_role, p.owner_id FROM public.memories_passage p
    CROSS JOIN unnest($1, $2) AS u (model, version)
    WHERE p.live AND NOT EXISTS (
      SELECT FROM public.memories_embedding e WHERE e.project_id = p.project_id AND e.passage_id = p.id
      AND e.model = u.model AND e.version = u.version)) AS d
  JOIN public.governance_actor a ON a.project_id = d.project_id AND a.kind = 'system'
  GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4 LIMIT least($3, 1000)
"""
FACTS = """
  SELECT e.model::text, e.version::text, e.dims::integer, e.state::text, e.error::text, count(*), min(e.due_at)
  FROM public.memories_embedding e WHERE e.live GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
"""


class Migration(migrations.Migration):
    """Vectors of passages, beside them: made after the passage is there, and followed by the database."""

    dependencies = [("memories", "0006_bm25")]

    operations = [
        migrations.CreateModel(
            name="Embedding",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "audience",
                    models.CharField(
                        choices=[("project", "project"), ("role", "role"), ("private", "private")],
                        default=governance.vocabulary.Audience["PROJECT"],
                        max_length=8,
                    ),
                ),
                ("audience_role", models.CharField(blank=True, max_length=64, null=True)),
                (
                    "source_type",
                    models.CharField(
                        choices=[(word.value, word.value) for word in memories.vocabulary.SourceType], max_length=12
                    ),
                ),
                ("said_at", models.DateTimeField()),
                ("confined", models.BooleanField(default=False)),
                ("live", models.BooleanField(default=True)),
                ("model", models.CharField(max_length=80)),
                ("version", models.CharField(max_length=80)),
                ("dims", models.PositiveSmallIntegerField()),
                ("vector", memories.models.embedding.HalfVector(blank=True, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "pending"), ("ready", "ready"), ("failed", "failed")],
                        default=memories.vocabulary.VectorState["PENDING"],
                        max_length=8,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("error", models.CharField(blank=True, default="", max_length=40)),
                ("due_at", models.DateTimeField()),
                ("ready_at", models.DateTimeField(blank=True, null=True)),
                *(
                    (
                        name,
                        models.ForeignKey(
                            blank=null,
                            db_constraint=False,
                            null=null,
                            on_delete=django.db.models.deletion.DO_NOTHING,
                            related_name="+",
                            to=to,
                        ),
                    )
                    for name, to, null in (
                        ("owner", "governance.actor", True),
                        ("passage", "memories.passage", False),
                        ("thread", "threads.thread", True),
                    )
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=Q(state="ready", live=True),
                        fields=["project", "model", "thread"],
                        name="embedding_of_scope",
                    ),
                    models.Index(condition=Q(state="pending", live=True), fields=["-due_at"], name="embedding_due"),
                    models.Index(fields=["model", "version", "state"], name="embedding_by_state"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(state__in=["pending", "ready", "failed"]), name="embedding_state_known"
                    ),
                    models.UniqueConstraint(fields=("project", "passage", "model", "version"), name="embedding_once"),
                ],
            },
        ),
        ddl.addressable("memories_passage"),
        ddl.composite_keys(
            "memories_embedding", [Key("owner_id", "governance_actor"), Key("thread_id", "threads_thread")]
        ),
        ddl.statement(SHAPE, SHAPELESS),
        ddl.isolate("memories_embedding"),
        ddl.audience_shape("memories_embedding"),
        ddl.inherit_audience("memories_embedding", parent="memories_passage", column="passage_id"),
        ddl.statement(FOLLOW, NOT_FOLLOWED),
        ddl.statement(DRAWN, UNDRAWN),
        ddl.statement(BY_SCAN + BY_GRAPH + NEAREST + CALLED, UNCALLED),
        ddl.statement(OPENED, CLOSED),
        ddl.door("due_embeddings", "models text[], versions text[], most integer", READERS, DUE),
        ddl.door("unembedded_passages", "models text[], versions text[], most integer", READERS, MISSING),
        ddl.door(
            "embedding_facts",
            "",
            "TABLE (model text, version text, dims integer, state text, error text, passages bigint, oldest timestamptz)",
            FACTS,
        ),
    ]
