from django.db import migrations

from governance import ddl

# The search of before: passages by how many terms they share. Kept here so that this step can be taken back.
SHARING = f"""
CREATE FUNCTION search_passages(terms text[], most integer) RETURNS TABLE (id uuid, weight real)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $f$
  SELECT p.id, (SELECT sum(least(char_length(t), 6))::real FROM unnest($1) AS t WHERE t = ANY (p.terms)) AS weight
  FROM public.memories_passage p
  WHERE p.terms && $1 AND p.live AND {ddl.readable("p")}
  ORDER BY weight DESC, p.created_at DESC, p.id LIMIT least($2, 200)
$f$;
REVOKE ALL ON FUNCTION search_passages(text[], integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_passages(text[], integer) TO gw_app;
ALTER FUNCTION search_passages(text[], integer) OWNER TO gw_search;
"""


class Migration(migrations.Migration):
    """Nothing calls the search of before any more, and its index would be paid for with every passage."""

    dependencies = [("memories", "0007_embeddings")]

    operations = [
        ddl.statement("DROP FUNCTION search_passages(text[], integer)", SHARING),
        migrations.RemoveIndex(model_name="passage", name="passage_terms"),
    ]
