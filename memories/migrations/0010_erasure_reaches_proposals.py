"""Erasing a memory takes its words out of the proposals that carried them, and of what was said and decided there."""

from django.db import migrations

from governance import ddl

SPOKEN = ("governance_comment", "governance_decision")
ROWS = "CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON {} FOR EACH ROW EXECUTE FUNCTION {}();"
OPENED = "".join(
    f"DROP TRIGGER append_only_rows ON {table};"
    + ROWS.format(table, "governance_refuse_change_but_forgetting")
    + f"GRANT SELECT, UPDATE (text) ON {table} TO gw_doors;"
    f"CREATE POLICY gw_doors_forget ON {table} TO gw_doors USING (true);"
    for table in SPOKEN
)
CLOSED = "".join(
    f"DROP POLICY gw_doors_forget ON {table}; REVOKE ALL ON {table} FROM gw_doors;"
    f"DROP TRIGGER append_only_rows ON {table};" + ROWS.format(table, "greywind_refuse_change")
    for table in SPOKEN
)
OFFERS_OPENED = """
GRANT SELECT (project_id, memory_id, proposal_id) ON memories_offer TO gw_doors;
CREATE POLICY gw_doors_forget ON memories_offer FOR SELECT TO gw_doors USING (true);
"""
OFFERS_CLOSED = """
DROP POLICY gw_doors_forget ON memories_offer;
REVOKE SELECT (project_id, memory_id, proposal_id) ON memories_offer FROM gw_doors;
"""
# An offer that was taken lives on in the shared memory, which has its own words: erasing that one reaches it.
FORGET = f"""
CREATE FUNCTION forget_proposed(erased uuid) RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $f$
DECLARE named text := replace(erased::text, '-', ''); told uuid[];
BEGIN
  SELECT array_agg(p.id) INTO told FROM public.governance_proposal p
  WHERE p.project_id = {ddl.PROJECT}
    AND EXISTS (SELECT FROM public.memories_memoryversion m WHERE m.memory_id = erased AND {ddl.readable("m")})
    AND (p.kind = 'sensitivity' AND p.slug = 'mem_' || named
      OR p.kind = 'memory' AND p.state <> 'approved' AND EXISTS (
        SELECT FROM public.memories_offer o
        WHERE o.project_id = p.project_id AND o.proposal_id = p.id AND o.memory_id = erased)
      OR p.kind = 'memory' AND EXISTS (
        SELECT FROM public.memories_memoryevidence e
        WHERE e.project_id = p.project_id AND e.memory_id = erased
          AND e.ref LIKE 'proposal://prp\\_' || replace(p.id::text, '-', '') || '%'));
  UPDATE public.governance_proposaltext t
  SET title = '', rationale = '', body_hash = CASE WHEN t.body ? 'content' THEN '' ELSE t.body_hash END,
    body = CASE WHEN t.body ? 'content' THEN t.body || '{{"content": ""}}'::jsonb ELSE t.body END
  WHERE t.project_id = {ddl.PROJECT} AND t.proposal_id = ANY (told);
  UPDATE public.governance_comment c SET text = '' WHERE c.project_id = {ddl.PROJECT} AND c.proposal_id = ANY (told);
  UPDATE public.governance_decision d SET text = '' WHERE d.project_id = {ddl.PROJECT} AND d.proposal_id = ANY (told);
  RETURN QUERY SELECT unnest(told);
END $f$;
REVOKE ALL ON FUNCTION forget_proposed(uuid) FROM PUBLIC; GRANT EXECUTE ON FUNCTION forget_proposed(uuid) TO gw_app;
ALTER FUNCTION forget_proposed(uuid) OWNER TO gw_doors;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0010_sensitivity_proposals"),
        ("memories", "0009_sensitivity_only_by_decision"),
    ]

    operations = [
        ddl.statement(OPENED, CLOSED),
        ddl.statement(OFFERS_OPENED, OFFERS_CLOSED),
        ddl.statement(FORGET, "DROP FUNCTION forget_proposed(uuid)"),
    ]
