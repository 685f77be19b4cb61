"""What only some may read follows a thread's work too, though whoever merges or splits the thread never sees it."""

from django.db import migrations

from governance import ddl

LIVING = "'candidate', 'screened', 'evidence_checked', 'policy_checked', 'user_aligned', 'committed', 'active'"
# A passage takes its vectors along, by a trigger of its own. What other doors see already is not named again.
RIGHTS = {
    "memories_memory": "SELECT (id, scope_type, scope_id, dedupe_key), UPDATE (scope_id)",
    "memories_passage": "SELECT (memory_id, thread_id), UPDATE (thread_id)",
    "memories_embedding": (
        "SELECT (vector, error), UPDATE (live, thread_id, source_type, said_at, confined, audience, audience_role,"
        " owner_id, state, vector, attempts, error, due_at)"
    ),
    "threads_lineage": "SELECT, INSERT, UPDATE (state, undone_at, undone_by_id)",
}
OPENED = "".join(
    f"GRANT {rights} ON {table} TO gw_doors;"
    f"CREATE POLICY gw_doors_follow ON {table} TO gw_doors USING (true) WITH CHECK (true);"
    for table, rights in RIGHTS.items()
)
CLOSED = "".join(
    f"DROP POLICY gw_doors_follow ON {table}; REVOKE {rights} ON {table} FROM gw_doors;"
    for table, rights in RIGHTS.items()
)


def _circle(row: str) -> str:
    return f"({row}.audience, {row}.audience_role, {row}.owner_id)"


def _said(there: str) -> str:
    """Return the condition that a thread has a living statement of what `m` says, for the same readers."""
    return (
        f"m.dedupe_key <> '' AND m.status IN ({LIVING}) AND EXISTS (SELECT FROM public.memories_memory k"
        f" WHERE k.project_id = m.project_id AND k.scope_type = 'thread' AND k.scope_id = {there}"
        f" AND k.dedupe_key = m.dedupe_key AND k.status IN ({LIVING})"
        f" AND {_circle('k')} IS NOT DISTINCT FROM {_circle('m')})"
    )


# Each circle of readers has a row of its own for what is theirs, which nobody else sees.
FOLLOW = f"""
CREATE FUNCTION follow_lineage(passed uuid, everything boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $f$
DECLARE l public.threads_lineage; circle record;
BEGIN
  SELECT * INTO l FROM public.threads_lineage t
  WHERE t.id = passed AND t.state = 'standing' AND {ddl.readable("t")};
  IF NOT FOUND THEN RETURN; END IF;
  -- Here every name is whole; the triggers of what moves name their tables plainly.
  PERFORM set_config('search_path', 'pg_catalog, public, pg_temp', true);
  FOR circle IN
    SELECT m.audience, m.audience_role, m.owner_id, array_agg(m.id ORDER BY m.id) AS ids
    FROM public.memories_memory m
    WHERE m.project_id = l.project_id AND m.scope_type = 'thread' AND m.scope_id = l.source_id
      AND {_circle("m")} IS DISTINCT FROM {_circle("l")} AND NOT ({_said("l.target_id")})
      AND (everything OR (
        EXISTS (SELECT FROM public.memories_memoryevidence e
                WHERE e.project_id = m.project_id AND e.memory_id = m.id)
        AND NOT EXISTS (
          SELECT FROM public.memories_memoryevidence e
          WHERE e.project_id = m.project_id AND e.memory_id = m.id AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(l.moved -> 'sessions') AS s (id)
            WHERE e.ref LIKE 'event://ses\\_' || replace(s.id, '-', '') || '/%'))))
    GROUP BY 1, 2, 3
  LOOP
    UPDATE public.memories_memory m SET scope_id = l.target_id
    WHERE m.project_id = l.project_id AND m.id = ANY (circle.ids);
    UPDATE public.memories_passage p SET thread_id = l.target_id
    WHERE p.project_id = l.project_id AND p.memory_id = ANY (circle.ids) AND p.thread_id = l.source_id;
    INSERT INTO public.threads_lineage (id, created_at, project_id, audience, audience_role, owner_id, kind, state, act,
      source_id, target_id, whole, reason, author_id, moved, before, undone_because)
    VALUES (gen_random_uuid(), l.created_at, l.project_id, circle.audience, circle.audience_role, circle.owner_id,
      l.kind, 'standing', l.act, l.source_id, l.target_id, l.whole, '', l.author_id,
      jsonb_build_object('memories', to_jsonb(circle.ids)), '{{}}', '');
  END LOOP;
END $f$;
"""
RETURN = f"""
CREATE FUNCTION return_lineage(undone uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $f$
DECLARE l public.threads_lineage;
BEGIN
  SELECT * INTO l FROM public.threads_lineage t WHERE t.id = undone AND t.state = 'undone' AND {ddl.readable("t")};
  IF NOT FOUND THEN RETURN; END IF;
  -- Here every name is whole; the triggers of what moves name their tables plainly.
  PERFORM set_config('search_path', 'pg_catalog, public, pg_temp', true);
  UPDATE public.memories_memory m SET scope_id = l.source_id
  WHERE m.project_id = l.project_id AND m.scope_type = 'thread' AND m.scope_id = l.target_id
    AND {_circle("m")} IS DISTINCT FROM {_circle("l")} AND NOT ({_said("l.source_id")})
    -- The thread of a part has nothing that it did not get or learn since; one that was merged into has its own.
    AND (l.kind = 'split' OR EXISTS (
      SELECT FROM public.threads_lineage n
      WHERE n.project_id = l.project_id AND n.act = l.act AND n.target_id = l.target_id AND n.state = 'standing'
        AND n.moved -> 'memories' ? m.id::text));
  UPDATE public.memories_passage p SET thread_id = l.source_id
  FROM public.memories_memory m
  WHERE p.project_id = l.project_id AND p.thread_id = l.target_id AND m.project_id = p.project_id
    AND m.id = p.memory_id AND m.scope_type = 'thread' AND m.scope_id = l.source_id;
  UPDATE public.threads_lineage n SET state = 'undone', undone_at = l.undone_at, undone_by_id = l.undone_by_id
  WHERE n.project_id = l.project_id AND n.act = l.act AND n.target_id = l.target_id AND n.state = 'standing';
END $f$;
"""
OWNED = "".join(
    f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC; GRANT EXECUTE ON FUNCTION {signature} TO gw_app;"
    f"ALTER FUNCTION {signature} OWNER TO gw_doors;"
    for signature in ("follow_lineage(uuid, boolean)", "return_lineage(uuid)")
)


class Migration(migrations.Migration):
    dependencies = [
        ("agent_sessions", "0010_unheard_sessions"),
        ("memories", "0010_erasure_reaches_proposals"),
        ("threads", "0003_lineage"),
    ]

    operations = [
        ddl.statement(OPENED, CLOSED),
        ddl.statement(
            FOLLOW + RETURN + OWNED, "DROP FUNCTION follow_lineage(uuid, boolean); DROP FUNCTION return_lineage(uuid);"
        ),
    ]
