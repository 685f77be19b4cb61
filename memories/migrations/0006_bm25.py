import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
import governance.vocabulary
from governance import ddl
from governance.ddl import Key

# Unlike "=", this condition has no index: the terms' own index is the only way in, whatever the planner believes.
READABLE = ddl.readable("p").replace("p.project_id =", "p.project_id IS NOT DISTINCT FROM")
COUNTABLE = ddl.readable("p")
SHARED = """
  NOT (shared AND p.audience = 'private')
  AND (held_roles IS NULL OR p.audience <> 'role' OR p.audience_role = ANY (held_roles))
"""
NARROWED = """
  (only_in IS NULL OR p.thread_id = only_in)
  AND (kinds IS NULL OR p.source_type = ANY (kinds))
  AND (since IS NULL OR coalesce(p.as_of, p.created_at) >= since)
  AND (until IS NULL OR coalesce(p.as_of, p.created_at) < until)
"""
# A memory that holds on a thread holds on no other; what was said there may be found from anywhere.
ASKED_FOR = f"""
  p.live AND (p.memory_id IS NULL OR near IS NULL OR p.thread_id IS NULL OR p.thread_id = near)
  AND {NARROWED} AND {SHARED} AND NOT p.ref = ANY (known_refs)
"""
ARGUMENTS = (
    "asked_keys bigint[], asked_terms text[], most integer, k1 double precision, b double precision, near uuid,"
    " only_in uuid, kinds text[], since timestamptz, until timestamptz, shared boolean, held_roles text[],"
    " known_refs text[]"
)
FOUND = (
    "TABLE (found uuid, score double precision, passages double precision, mean_length double precision,"
    " spread double precision[])"
)
SIGNATURE = (
    "find_passages(bigint[], text[], integer, double precision, double precision, uuid, uuid, text[], timestamptz,"
    " timestamptz, boolean, text[], text[])"
)
# BM25 over the lists that the index holds, and nothing else: each key stands for one term that occurs once, twice, or
# three times and more, so that neither the terms nor their counts are read from any row. Below 2,000 passages it is
# exact. Above, a term that a sample shows in every 20th passage, or whose list is over 500, tells little: it raises
# what other terms found, and finds alone only where all are so common. In how many passages such a term stands comes
# from the sample, and the number of passages from the last count.
FIND = f"""
  WITH asked AS MATERIALIZED (
    SELECT ((u.n - 1) / 3)::integer AS term, ((u.n - 1) % 3 + 1)::double precision AS times, u.key
    FROM unnest(asked_keys) WITH ORDINALITY AS u (key, n)
  ), counted AS MATERIALIZED (
    SELECT count(*)::double precision AS passages, avg(c.length)::double precision AS mean, count(*) >= 2000 AS large
    FROM (
      (SELECT p.length FROM public.memories_passage p
       WHERE only_in IS NULL AND kinds IS NULL AND since IS NULL AND until IS NULL
         AND p.live AND {COUNTABLE} AND {SHARED} LIMIT 2000)
      UNION ALL
      (SELECT p.length FROM public.memories_passage p
       WHERE NOT (only_in IS NULL AND kinds IS NULL AND since IS NULL AND until IS NULL)
         AND p.live AND {COUNTABLE} AND {NARROWED} AND {SHARED} LIMIT 2000)) AS c
  ), kept AS (
    SELECT sum(p.passages)::double precision AS passages, sum(p.terms)::double precision AS terms
    FROM public.memories_passagetally p WHERE only_in IS NULL AND {COUNTABLE} AND {SHARED}
  ), scope AS MATERIALIZED (
    SELECT greatest(c.passages, CASE WHEN c.large THEN k.passages END) AS passages,
           greatest(1, CASE WHEN c.large AND k.passages > 0 THEN k.terms / k.passages ELSE c.mean END) AS mean
    FROM counted c CROSS JOIN kept k
  ), sample AS MATERIALIZED (
    SELECT p.keys FROM public.memories_passage p
    WHERE (SELECT c.large FROM counted c) AND p.live AND {COUNTABLE} AND {NARROWED} AND {SHARED} LIMIT 200
  ), seen AS MATERIALIZED (
    SELECT a.term, count(*) AS times, count(*) / (SELECT greatest(count(*), 1) FROM sample)::double precision AS share
    FROM (SELECT unnest(s.keys) AS key FROM sample s) AS k JOIN asked a USING (key) GROUP BY 1
  ), held AS MATERIALIZED (
    SELECT a.term, a.times, f.id, f.length FROM asked a CROSS JOIN LATERAL (
      SELECT p.id, p.length::double precision AS length FROM public.memories_passage p
      WHERE p.keys @> ARRAY[a.key] AND {READABLE} AND {ASKED_FOR}
      LIMIT (SELECT CASE WHEN c.large THEN 500 ELSE 2000 END FROM counted c)) AS f
    WHERE a.term NOT IN (SELECT e.term FROM seen e WHERE e.share >= 0.05)
    UNION ALL -- written before there were keys, and not made anew yet
    SELECT (w.n - 1)::integer, 1, p.id, cardinality(p.terms)
    FROM public.memories_passage p JOIN unnest(asked_terms) WITH ORDINALITY AS w (word, n) ON w.word = ANY (p.terms)
    WHERE p.lexemes_version = 0 AND p.terms && asked_terms AND {READABLE} AND {ASKED_FOR}
  ), lists AS MATERIALIZED (
    SELECT l.term, sum(l.held) AS held, max(l.held) >= 500 AND (SELECT c.large FROM counted c) AS common
    FROM (SELECT h.term, h.times, count(*) AS held FROM held h GROUP BY 1, 2) AS l GROUP BY 1
  ), weights AS MATERIALIZED (
    SELECT d.term, d.common, d.held,
           ln(1 + (greatest(s.passages, d.held) - d.held + 0.5::double precision) / (d.held + 0.5::double precision))
             * (k1 + 1) AS weight
    FROM (SELECT term, coalesce(l.common, true) AS common, greatest(l.held, e.share * s.passages) AS held
          FROM lists l FULL JOIN (SELECT * FROM seen WHERE share >= 0.05) AS e USING (term) CROSS JOIN scope s) AS d
    CROSS JOIN scope s
  ), commons AS MATERIALIZED (
    SELECT a.term, a.times, a.key, w.weight FROM asked a JOIN weights w USING (term) WHERE w.common
  ), telling AS MATERIALIZED (
    SELECT w.term, w.weight FROM weights w WHERE NOT w.common
  ), first AS MATERIALIZED (
    SELECT h.id, h.length,
           sum(w.weight * h.times / (h.times + k1 * (1 - b + b * h.length / (SELECT s.mean FROM scope s)))) AS score
    FROM held h JOIN telling w USING (term)
    GROUP BY 1, 2 ORDER BY 3 DESC, 1 DESC
    LIMIT least(most, 200) * CASE WHEN EXISTS (SELECT FROM commons) THEN 4 ELSE 1 END
  ), last AS MATERIALIZED ( -- nothing that tells: whatever holds a common term, as far as the index is read
    SELECT f.id, f.length, 0::double precision FROM commons c CROSS JOIN LATERAL (
      SELECT p.id, p.length::double precision AS length FROM public.memories_passage p
      WHERE p.keys @> ARRAY[c.key] AND {READABLE} AND {ASKED_FOR} LIMIT 500) AS f
    WHERE NOT EXISTS (SELECT FROM telling) GROUP BY 1, 2
  ), whole AS (
    SELECT f.id, f.score FROM first f
    UNION ALL
    SELECT f.id, c.weight * c.times / (c.times + k1 * (1 - b + b * f.length / (SELECT s.mean FROM scope s)))
    FROM (SELECT * FROM first UNION ALL SELECT * FROM last) AS f
    JOIN public.memories_passage p ON p.id = f.id JOIN commons c ON c.key = ANY (p.keys)
  )
  SELECT o.id, sum(o.score), s.passages, s.mean, ARRAY(
    SELECT coalesce(w.held, 0) FROM (SELECT DISTINCT a.term FROM asked a) AS t LEFT JOIN weights w USING (term)
    ORDER BY t.term)
  FROM whole o CROSS JOIN scope s GROUP BY 1, 3, 4 ORDER BY 2 DESC, 1 DESC LIMIT least(most, 200)
"""
# In PL/pgSQL a session plans it once; and once for all values, for its way is fixed by how it is written.
SEARCH = f"""
CREATE FUNCTION find_passages({ARGUMENTS}) RETURNS {FOUND} LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan
AS $f$ BEGIN RETURN QUERY {FIND}; END $f$;
REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC; GRANT EXECUTE ON FUNCTION {SIGNATURE} TO gw_app;
ALTER FUNCTION {SIGNATURE} OWNER TO gw_search;
"""
# One statement, so that no moment is half counted; what a search reads meanwhile is the count before.
RECOUNT = """
CREATE FUNCTION recount_passages() RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $f$
  WITH now_there AS MATERIALIZED (
    SELECT p.project_id, p.audience, p.audience_role, p.owner_id, count(*) AS passages, sum(p.length) AS terms,
      min(p.lexemes_version) AS oldest
    FROM public.memories_passage p WHERE p.live GROUP BY 1, 2, 3, 4
  ), gone AS (
    DELETE FROM public.memories_passagetally t WHERE NOT EXISTS (
      SELECT FROM now_there n WHERE (n.project_id, n.audience) = (t.project_id, t.audience)
        AND n.audience_role IS NOT DISTINCT FROM t.audience_role AND n.owner_id IS NOT DISTINCT FROM t.owner_id)
  )
  INSERT INTO public.memories_passagetally
    (id, created_at, project_id, audience, audience_role, owner_id, passages, terms, oldest, counted_at)
  SELECT gen_random_uuid(), now(), n.project_id, n.audience, n.audience_role, n.owner_id, n.passages, n.terms, n.oldest,
    now()
  FROM now_there n ORDER BY 3, 4, 5, 6
  ON CONFLICT ON CONSTRAINT passage_tally_once
  DO UPDATE SET passages = EXCLUDED.passages, terms = EXCLUDED.terms, oldest = EXCLUDED.oldest,
    counted_at = EXCLUDED.counted_at
$f$;
REVOKE ALL ON FUNCTION recount_passages() FROM PUBLIC; GRANT EXECUTE ON FUNCTION recount_passages() TO gw_app;
ALTER FUNCTION recount_passages() OWNER TO gw_search;
GRANT INSERT, UPDATE, DELETE ON memories_passagetally TO gw_search;
CREATE POLICY gw_search_count ON memories_passagetally TO gw_search USING (true) WITH CHECK (true);
"""
NOT_RECOUNTED = """
DROP FUNCTION recount_passages(); DROP POLICY gw_search_count ON memories_passagetally;
REVOKE INSERT, UPDATE, DELETE ON memories_passagetally FROM gw_search;
"""
# Whose passages were made by other rules than today's: the owner, or the system, makes them anew in their scope.
STALE = """
  SELECT t.project_id, t.audience, t.audience_role, t.owner_id, coalesce(t.owner_id, a.id)
  FROM public.memories_passagetally t
  JOIN public.governance_actor a ON a.project_id = t.project_id AND a.kind = 'system'
  WHERE t.oldest < $1 ORDER BY 1, 2, 3, 4 LIMIT least($2, 1000)
"""


class Migration(migrations.Migration):
    """Passages are found by BM25: each row carries what it takes, and the search gives the scope's own figures.

    Rows of before keep being found by their terms alone, until they are made anew.
    """

    dependencies = [
        ("governance", "0009_memory_proposals"),
        ("memories", "0005_offers"),
    ]

    operations = [
        migrations.AddField(
            model_name="passage",
            name="speaker",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        migrations.AddField(
            model_name="passage",
            name="counts",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.SmallIntegerField(), db_default=[], default=list
            ),
        ),
        migrations.AddField(
            model_name="passage",
            name="length",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="passage",
            name="keys",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(), db_default=[], default=list
            ),
        ),
        migrations.AddField(
            model_name="passage",
            name="lexemes_version",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddIndex(
            model_name="passage",
            index=django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=["keys"], name="passage_keys"),
        ),
        migrations.AddIndex(
            model_name="passage",
            index=django.contrib.postgres.indexes.GinIndex(
                condition=models.Q(("lexemes_version", 0)),
                fastupdate=False,
                fields=["terms"],
                name="passage_terms_without_keys",
            ),
        ),
        migrations.AddIndex(
            model_name="passage",
            index=models.Index(
                condition=models.Q(("live", True)),
                fields=["project", "audience", "audience_role", "owner"],
                include=("length", "lexemes_version"),
                name="passage_reach",
            ),
        ),
        migrations.CreateModel(
            name="PassageTally",
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
                ("passages", models.PositiveIntegerField()),
                ("terms", models.PositiveBigIntegerField()),
                ("oldest", models.PositiveSmallIntegerField()),
                ("counted_at", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="passagetally",
            constraint=models.UniqueConstraint(
                fields=("project", "audience", "audience_role", "owner"),
                name="passage_tally_once",
                nulls_distinct=False,
            ),
        ),
        ddl.composite_keys("memories_passagetally", [Key("owner_id", "governance_actor")]),
        ddl.isolate("memories_passagetally"),
        ddl.audience_shape("memories_passagetally"),
        ddl.open_to("gw_search", "memories_passagetally"),
        ddl.open_to("gw_doors", "memories_passagetally"),
        ddl.statement(SEARCH, f"DROP FUNCTION {SIGNATURE}"),
        ddl.door(
            "stale_passages",
            "version integer, most integer",
            "TABLE (project_id uuid, audience text, audience_role text, owner_id uuid, acting uuid)",
            STALE,
        ),
        ddl.statement(RECOUNT, NOT_RECOUNTED),
    ]
