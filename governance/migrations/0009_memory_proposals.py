"""A private memory is offered to the project by a proposal: how it is weighed, whose consent it carries, and how its
words leave it again when that consent is taken back.
"""

from collections.abc import Iterable

from django.db import migrations, models

from governance import ddl

KINDS = ["persona", "role", "policy", "self_profile", "budget_profile"]
# As in 0004_authority, with the fields of an offered memory: medium risk, and an owner decides.
FIELDS: Iterable[tuple[str, str, int, bool]] = [
    ("persona", "name", 1, False),
    ("persona", "role", 1, False),
    ("persona", "speaking_style", 0, False),
    ("persona", "behavior_rules", 1, False),
    ("persona", "relationship_to_user", 0, False),
    ("persona", "stable_preferences", 0, False),
    ("persona", "identity_core", 2, True),
    ("role", "slug", 1, False),
    ("role", "duties", 1, False),
    ("role", "permissions", 2, True),
    ("role", "collaboration_rules", 1, False),
    ("role", "hard_boundaries", 2, True),
    ("role", "max_input_tokens", 1, False),
    ("policy", "retention", 1, True),
    ("policy", "budget_floors", 1, True),
    ("self_profile", "version", 0, True),
    ("self_profile", "preference_model", 0, True),
]
OFFERED: Iterable[tuple[str, str, int, bool]] = [
    ("memory", field, 1, True)
    for field in ("content", "type", "kind", "sensitivity", "origin", "rank", "knowledge", "named", "consent")
]


def weighed(fields: Iterable[tuple[str, str, int, bool]]) -> str:
    rows = ", ".join(f"('{kind}', '{field}', {risk}, {owner})" for kind, field, risk, owner in fields)
    return f"""
CREATE OR REPLACE FUNCTION greywind_touched(kind text, before jsonb, after jsonb, OUT risk integer, OUT owner boolean)
LANGUAGE sql IMMUTABLE AS $f$
  SELECT coalesce(max(coalesce(rule.risk, 2)), 0), coalesce(bool_or(coalesce(rule.owner, true)), false)
  FROM (SELECT jsonb_object_keys(after) UNION SELECT jsonb_object_keys(coalesce(before, '{{}}'::jsonb))) AS named(field)
  LEFT JOIN (VALUES {rows}) AS rule(kind, field, risk, owner)
    ON rule.kind = greywind_touched.kind AND rule.field = named.field
  WHERE before -> named.field IS DISTINCT FROM after -> named.field
    AND NOT (public.greywind_blank(before -> named.field) AND public.greywind_blank(after -> named.field)) $f$;
"""


# An offer begins as the words of a human who agreed to share them; whoever writes on leaves that consent as it was,
# unless it is the same human, who agrees anew.
CONSENT = """
CREATE FUNCTION governance_proposaltext_consent() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE p governance_proposal; before jsonb;
BEGIN
  SELECT * INTO p FROM governance_proposal WHERE project_id = NEW.project_id AND id = NEW.proposal_id;
  IF p.kind <> 'memory' THEN RETURN NULL; END IF;
  SELECT t.body -> 'consent' INTO before FROM governance_proposaltext t
  WHERE t.project_id = NEW.project_id AND t.proposal_id = NEW.proposal_id AND t.version = NEW.version - 1;
  IF NEW.body -> 'consent' = before THEN RETURN NULL; END IF;
  IF NEW.author_id <> p.proposer_id
     OR NEW.body -> 'consent' ->> 'by' IS DISTINCT FROM 'act_' || replace(NEW.author_id::text, '-', '')
     OR NOT EXISTS (SELECT FROM governance_actor a WHERE a.project_id = NEW.project_id AND a.id = NEW.author_id
                    AND a.kind = 'human' AND a.active) THEN
    RAISE EXCEPTION 'governance_proposaltext: what is private is shared by the human who agrees to it'
      USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_consent AFTER INSERT ON governance_proposaltext
FOR EACH ROW EXECUTE FUNCTION governance_proposaltext_consent();
"""
NO_CONSENT = "DROP TRIGGER the_consent ON governance_proposaltext; DROP FUNCTION governance_proposaltext_consent();"

ROWS = (
    "CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON governance_proposaltext FOR EACH ROW EXECUTE FUNCTION"
)
FORGETTING = f"""
CREATE FUNCTION governance_refuse_change_but_forgetting() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  -- Taking words out is the one way past append-only, and it runs as this role alone.
  IF TG_OP = 'UPDATE' AND current_user = 'gw_doors' THEN RETURN NEW; END IF;
  RAISE EXCEPTION '% keeps what it holds: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'GW001';
END $f$;
DROP TRIGGER append_only_rows ON governance_proposaltext;
{ROWS} governance_refuse_change_but_forgetting();
GRANT SELECT ON governance_proposaltext TO gw_doors;
GRANT UPDATE (body, body_hash, title, rationale) ON governance_proposaltext TO gw_doors;
CREATE POLICY gw_doors_forget ON governance_proposaltext TO gw_doors USING (true);
CREATE FUNCTION forget_offered(offered uuid) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $f$
  UPDATE public.governance_proposaltext t
  SET body = t.body || '{{"content": ""}}'::jsonb, body_hash = '', title = '', rationale = ''
  FROM public.governance_proposal p
  WHERE p.id = offered AND p.project_id = {ddl.PROJECT} AND p.kind = 'memory' AND p.state = 'withdrawn'
    AND t.project_id = p.project_id AND t.proposal_id = p.id $f$;
REVOKE ALL ON FUNCTION forget_offered(uuid) FROM PUBLIC; GRANT EXECUTE ON FUNCTION forget_offered(uuid) TO gw_app;
ALTER FUNCTION forget_offered(uuid) OWNER TO gw_doors;
"""
KEPT = f"""
DROP FUNCTION forget_offered(uuid); DROP POLICY gw_doors_forget ON governance_proposaltext;
REVOKE ALL ON governance_proposaltext FROM gw_doors;
DROP TRIGGER append_only_rows ON governance_proposaltext;
{ROWS} greywind_refuse_change();
DROP FUNCTION governance_refuse_change_but_forgetting();
"""


class Migration(migrations.Migration):
    dependencies = [("governance", "0008_second_factors")]

    operations = [
        migrations.AlterField(
            model_name="proposal",
            name="kind",
            field=models.CharField(choices=[(kind, kind) for kind in [*KINDS, "memory"]], max_length=16),
        ),
        migrations.RemoveConstraint(model_name="proposal", name="proposal_kind_known"),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", [*KINDS, "memory"])), name="proposal_kind_known"
            ),
        ),
        ddl.statement(weighed([*FIELDS, *OFFERED]), weighed(FIELDS)),
        ddl.statement(CONSENT, NO_CONSENT),
        ddl.statement(FORGETTING, KEPT),
    ]
