"""Who may change a contract, as the database holds it: whoever writes past the verbs meets the same rules."""

from collections.abc import Iterable

from django.db import migrations

from governance import ddl
from governance.ddl import Key

TABLES = ["governance_proposal", "governance_proposaltext", "governance_decision", "governance_comment"]
KEYS = {
    "governance_proposal": [
        Key("contract_id", "governance_contract"),
        Key("subject_id", "governance_actor"),
        Key("proposer_id", "governance_actor"),
        Key("reverts_id", "governance_revision"),
    ],
    "governance_proposaltext": [
        Key("proposal_id", "governance_proposal"),
        Key("base_id", "governance_revision"),
        Key("author_id", "governance_actor"),
    ],
    "governance_decision": [
        Key("proposal_id", "governance_proposal"),
        Key("base_id", "governance_revision"),
        Key("decider_id", "governance_actor"),
    ],
    "governance_comment": [Key("proposal_id", "governance_proposal"), Key("author_id", "governance_actor")],
    "governance_revision": [Key("proposal_id", "governance_proposal")],
}
MOVES = {
    "draft": ["open", "withdrawn"],
    "open": ["approved", "rejected", "changes_requested", "withdrawn", "expired"],
    "changes_requested": ["open", "withdrawn", "expired"],
}

# Contract, field, risk of a change (0 low, 1 medium, 2 high), and whether an owner decides. What is not listed is the
# highest of both. governance.eligibility holds the same table, and a test holds the two equal.
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
_ROWS = ", ".join(f"('{kind}', '{field}', {risk}, {owner})" for kind, field, risk, owner in FIELDS)

# Every function runs with the rights of whoever calls it, and names the project itself: the owner of the tables has no
# scope that would narrow what it sees.
RULES = f"""
CREATE FUNCTION greywind_blank(value jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $f$
  SELECT value IS NULL OR NOT jsonb_path_exists(value,
    '$.** ? (@.type() == "number" || @.type() == "boolean" || (@.type() == "string" && @ != ""))') $f$;

CREATE FUNCTION greywind_touched(kind text, before jsonb, after jsonb, OUT risk integer, OUT owner boolean)
LANGUAGE sql IMMUTABLE AS $f$
  SELECT coalesce(max(coalesce(rule.risk, 2)), 0), coalesce(bool_or(coalesce(rule.owner, true)), false)
  FROM (SELECT jsonb_object_keys(after) UNION SELECT jsonb_object_keys(coalesce(before, '{{}}'::jsonb))) AS named(field)
  LEFT JOIN (VALUES {_ROWS}) AS rule(kind, field, risk, owner)
    ON rule.kind = greywind_touched.kind AND rule.field = named.field
  WHERE before -> named.field IS DISTINCT FROM after -> named.field
    AND NOT (public.greywind_blank(before -> named.field) AND public.greywind_blank(after -> named.field)) $f$;

CREATE FUNCTION greywind_deciders(project uuid, level text) RETURNS SETOF uuid LANGUAGE sql STABLE AS $f$
  SELECT a.id FROM public.governance_actor a
  JOIN public.governance_membership m ON m.project_id = a.project_id AND m.actor_id = a.id
  JOIN public.governance_user u ON u.id = a.user_id
  WHERE a.project_id = project AND a.kind = 'human' AND a.active AND u.is_active
    AND (m.level = 'owner' OR (m.level = 'maintainer' AND greywind_deciders.level = 'maintainer')) $f$;

CREATE FUNCTION greywind_authors(project uuid, proposal uuid) RETURNS SETOF uuid LANGUAGE sql STABLE AS $f$
  SELECT DISTINCT CASE WHEN a.kind = 'human' THEN a.id ELSE a.owned_by_id END FROM public.governance_actor a
  WHERE a.project_id = project AND a.id IN (
    SELECT p.proposer_id FROM public.governance_proposal p WHERE p.project_id = project AND p.id = proposal
    UNION SELECT t.author_id FROM public.governance_proposaltext t
    WHERE t.project_id = project AND t.proposal_id = proposal) $f$;

CREATE FUNCTION greywind_active_revision(project uuid, kind text, slug text) RETURNS uuid LANGUAGE sql STABLE AS $f$
  SELECT r.id FROM public.governance_revision r
  JOIN public.governance_contract c ON c.project_id = r.project_id AND c.id = r.contract_id
  WHERE r.project_id = project AND r.state = 'active' AND c.kind = greywind_active_revision.kind
    AND c.slug = greywind_active_revision.slug $f$;

CREATE FUNCTION greywind_seen_hash(project uuid, proposal uuid, version integer) RETURNS text LANGUAGE sql STABLE AS $f$
  SELECT 'sha256:' || encode(sha256(convert_to(concat_ws(E'\\n', coalesce(base.body_hash, '-'), t.body_hash,
    coalesce(public.greywind_active_revision(project, 'policy', 'default')::text, '-')), 'UTF8')), 'hex')
  FROM public.governance_proposaltext t
  LEFT JOIN public.governance_revision base ON base.project_id = t.project_id AND base.id = t.base_id
  WHERE t.project_id = project AND t.proposal_id = proposal AND t.version = greywind_seen_hash.version $f$;

CREATE FUNCTION greywind_approvals_needed(project uuid, proposal uuid, level text, risk text) RETURNS bigint
LANGUAGE sql STABLE AS $f$
  SELECT greatest(1, least(
    CASE WHEN EXISTS (SELECT FROM public.governance_revision r
      WHERE r.project_id = project AND r.id = public.greywind_active_revision(project, 'policy', 'default')
        AND r.body -> 'two_deciders_for' ? risk) THEN 2 ELSE 1 END,
    (SELECT count(*) FROM public.greywind_deciders(project, level) AS who(id)
     WHERE risk = 'low' OR who.id NOT IN (
       SELECT a.id FROM public.greywind_authors(project, proposal) AS a(id) WHERE a.id IS NOT NULL)))) $f$;

CREATE FUNCTION greywind_is_actor(actor uuid) RETURNS boolean LANGUAGE sql STABLE AS $f$
  SELECT coalesce(actor = nullif(current_setting('greywind.actor', true), '')::uuid, true) $f$;
"""
NO_RULES = """
DROP FUNCTION greywind_is_actor(uuid); DROP FUNCTION greywind_approvals_needed(uuid, uuid, text, text);
DROP FUNCTION greywind_seen_hash(uuid, uuid, integer); DROP FUNCTION greywind_active_revision(uuid, text, text);
DROP FUNCTION greywind_authors(uuid, uuid); DROP FUNCTION greywind_deciders(uuid, text);
DROP FUNCTION greywind_touched(text, jsonb, jsonb); DROP FUNCTION greywind_blank(jsonb);
"""

# They run after the row is written: keys and policies have spoken by then, so that a foreign row is refused like a
# random id. Their name puts them behind those of the keys.
TRIGGERS = """
CREATE FUNCTION governance_proposaltext_authority() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE p governance_proposal; base governance_revision; touched record;
BEGIN
  SELECT * INTO p FROM governance_proposal WHERE project_id = NEW.project_id AND id = NEW.proposal_id FOR UPDATE;
  IF p.state NOT IN ('draft', 'open', 'changes_requested') THEN
    RAISE EXCEPTION 'governance_proposaltext: a proposal that is % takes no more text', p.state USING ERRCODE = 'GW006';
  END IF;
  IF NEW.version <> p.version + 1 THEN
    RAISE EXCEPTION 'governance_proposaltext: versions must continue without a gap' USING ERRCODE = 'GW005';
  END IF;
  IF NOT greywind_is_actor(NEW.author_id) THEN
    RAISE EXCEPTION 'governance_proposaltext: a text is its writer''s' USING ERRCODE = 'GW006';
  END IF;
  SELECT r.* INTO base FROM governance_revision r
  JOIN governance_contract c ON c.project_id = r.project_id AND c.id = r.contract_id
  WHERE r.project_id = NEW.project_id AND r.id = NEW.base_id AND c.kind = p.kind AND c.slug = p.slug
    AND r.state <> 'draft';
  IF NEW.base_id IS NOT NULL AND base.id IS NULL THEN
    RAISE EXCEPTION 'governance_proposaltext: the base is no revision of the contract' USING ERRCODE = 'GW006';
  END IF;
  touched := greywind_touched(p.kind, base.body, NEW.body);
  IF array_position(ARRAY['low', 'medium', 'high'], NEW.risk::text) - 1 < touched.risk
     OR (touched.owner AND NEW.level <> 'owner') THEN
    RAISE EXCEPTION 'governance_proposaltext: the change needs a higher risk or level' USING ERRCODE = 'GW006';
  END IF;
  UPDATE governance_proposal SET version = NEW.version WHERE project_id = NEW.project_id AND id = NEW.proposal_id;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_authority AFTER INSERT ON governance_proposaltext
FOR EACH ROW EXECUTE FUNCTION governance_proposaltext_authority();

CREATE FUNCTION governance_decision_authority() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE p governance_proposal; t governance_proposaltext; own boolean; alone boolean;
BEGIN
  SELECT * INTO p FROM governance_proposal WHERE project_id = NEW.project_id AND id = NEW.proposal_id FOR UPDATE;
  SELECT * INTO t FROM governance_proposaltext
  WHERE project_id = NEW.project_id AND proposal_id = NEW.proposal_id AND version = p.version;
  IF p.state <> 'open' OR NEW.version <> p.version OR NEW.base_id IS DISTINCT FROM t.base_id
     OR t.base_id IS DISTINCT FROM greywind_active_revision(NEW.project_id, p.kind, p.slug)
     OR NEW.seen_hash IS DISTINCT FROM greywind_seen_hash(NEW.project_id, NEW.proposal_id, p.version) THEN
    RAISE EXCEPTION 'governance_decision: it is not bound to what stands open now' USING ERRCODE = 'GW006';
  END IF;
  IF NOT greywind_is_actor(NEW.decider_id)
     OR NEW.decider_id NOT IN (SELECT greywind_deciders(NEW.project_id, t.level)) THEN
    RAISE EXCEPTION 'governance_decision: only an active % decides this', t.level USING ERRCODE = 'GW006';
  END IF;
  own := t.risk <> 'low' AND EXISTS (
    SELECT FROM greywind_authors(NEW.project_id, NEW.proposal_id) AS a(id) WHERE a.id = NEW.decider_id);
  alone := (SELECT count(*) FROM greywind_deciders(NEW.project_id, t.level)) = 1;
  IF (own AND NOT alone) OR NEW.self_approved <> own THEN
    RAISE EXCEPTION 'governance_decision: nobody decides their own change while another may, and the row says so'
      USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_authority AFTER INSERT ON governance_decision
FOR EACH ROW EXECUTE FUNCTION governance_decision_authority();

CREATE FUNCTION governance_proposal_authority() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE t governance_proposaltext;
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.version <> 0 OR NOT greywind_is_actor(NEW.proposer_id) THEN
      RAISE EXCEPTION 'governance_proposal: it begins without a text, as its proposer''s' USING ERRCODE = 'GW006';
    END IF;
    RETURN NULL;
  END IF;
  SELECT * INTO t FROM governance_proposaltext
  WHERE project_id = NEW.project_id AND proposal_id = NEW.id AND version = NEW.version;
  IF NEW.version <> OLD.version AND (t.id IS NULL OR NEW.version <> OLD.version + 1) THEN
    RAISE EXCEPTION 'governance_proposal: only a new text moves the version' USING ERRCODE = 'GW001';
  END IF;
  IF NEW.state = OLD.state THEN RETURN NULL; END IF;
  IF NEW.state = 'open' AND (t.id IS NULL OR EXISTS (SELECT FROM governance_decision d WHERE d.project_id = NEW.project_id
      AND d.proposal_id = NEW.id AND d.version = NEW.version AND d.verb = 'request_changes')) THEN
    RAISE EXCEPTION 'governance_proposal: it opens with a text that nobody has sent back' USING ERRCODE = 'GW006';
  END IF;
  IF NEW.state IN ('rejected', 'changes_requested') AND NOT EXISTS (SELECT FROM governance_decision d
      WHERE d.project_id = NEW.project_id AND d.proposal_id = NEW.id AND d.version = NEW.version
        AND d.verb = CASE NEW.state WHEN 'rejected' THEN 'reject' ELSE 'request_changes' END) THEN
    RAISE EXCEPTION 'governance_proposal: nobody decided that' USING ERRCODE = 'GW006';
  END IF;
  IF NEW.state = 'approved' AND (
      t.base_id IS DISTINCT FROM greywind_active_revision(NEW.project_id, NEW.kind, NEW.slug)
      OR (SELECT count(*) FROM governance_decision d WHERE d.project_id = NEW.project_id AND d.proposal_id = NEW.id
            AND d.version = NEW.version AND d.verb IN ('approve', 'edit_and_approve')
            AND d.seen_hash = greywind_seen_hash(NEW.project_id, NEW.id, NEW.version))
         < greywind_approvals_needed(NEW.project_id, NEW.id, t.level, t.risk)) THEN
    RAISE EXCEPTION 'governance_proposal: it lacks approvals of what it says now' USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_authority AFTER INSERT OR UPDATE ON governance_proposal
FOR EACH ROW EXECUTE FUNCTION governance_proposal_authority();

CREATE FUNCTION governance_revision_authority() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE p governance_proposal; t governance_proposaltext; latest uuid;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.state <> 'draft' AND (NEW.decided_by_id, NEW.decided_at, NEW.reason, NEW.proposal_id)
        IS DISTINCT FROM (OLD.decided_by_id, OLD.decided_at, OLD.reason, OLD.proposal_id) THEN
      RAISE EXCEPTION 'governance_revision: what was decided stays' USING ERRCODE = 'GW001';
    END IF;
    IF NEW.state = OLD.state THEN RETURN NULL; END IF;
  END IF;
  IF NEW.state <> 'active' THEN RETURN NULL; END IF;
  SELECT r.id INTO latest FROM governance_revision r
  WHERE r.project_id = NEW.project_id AND r.contract_id = NEW.contract_id AND r.id <> NEW.id AND r.state <> 'draft'
  ORDER BY r.number DESC LIMIT 1;
  IF NOT greywind_is_actor(NEW.decided_by_id) THEN
    RAISE EXCEPTION 'governance_revision: whoever decided it makes it' USING ERRCODE = 'GW006';
  END IF;
  IF NEW.proposal_id IS NULL THEN
    IF latest IS NOT NULL OR NEW.decided_by_id NOT IN (SELECT greywind_deciders(NEW.project_id, 'owner')) THEN
      RAISE EXCEPTION 'governance_revision: an owner installs a first revision; after it, a proposal decides'
        USING ERRCODE = 'GW006';
    END IF;
    RETURN NULL;
  END IF;
  SELECT * INTO p FROM governance_proposal WHERE project_id = NEW.project_id AND id = NEW.proposal_id;
  SELECT * INTO t FROM governance_proposaltext
  WHERE project_id = NEW.project_id AND proposal_id = NEW.proposal_id AND version = p.version;
  IF p.state <> 'approved' OR latest IS DISTINCT FROM t.base_id OR NEW.base_id IS DISTINCT FROM t.base_id
     OR NEW.body <> t.body OR NEW.body_hash <> t.body_hash
     OR NOT EXISTS (SELECT FROM governance_contract c WHERE c.project_id = NEW.project_id AND c.id = NEW.contract_id
                      AND c.kind = p.kind AND c.slug = p.slug)
     OR NOT EXISTS (SELECT FROM governance_decision d WHERE d.project_id = NEW.project_id AND d.proposal_id = p.id
                      AND d.version = p.version AND d.verb IN ('approve', 'edit_and_approve')
                      AND d.decider_id = NEW.decided_by_id) THEN
    RAISE EXCEPTION 'governance_revision: it is not what was approved' USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_authority AFTER INSERT OR UPDATE ON governance_revision
FOR EACH ROW EXECUTE FUNCTION governance_revision_authority();
"""
NO_TRIGGERS = "".join(
    f"DROP TRIGGER the_authority ON {table}; DROP FUNCTION {table}_authority();"
    for table in ("governance_proposaltext", "governance_decision", "governance_proposal", "governance_revision")
)
DUE = """
  SELECT p.project_id, p.id, a.id
  FROM public.governance_proposal p
  JOIN public.governance_actor a ON a.project_id = p.project_id AND a.kind = 'system'
  WHERE p.state IN ('open', 'changes_requested') AND p.expires_at < $1
  ORDER BY p.expires_at LIMIT least($2, 1000)
"""


class Migration(migrations.Migration):
    dependencies = [("governance", "0003_proposals")]

    operations = [
        *(ddl.addressable(table) for table in TABLES),
        *(ddl.composite_keys(table, keys) for table, keys in KEYS.items()),
        ddl.isolate_project("governance_proposal"),
        *(ddl.isolate_project(table, append_only=True) for table in TABLES[1:]),
        *(ddl.append_only(table) for table in TABLES[1:]),
        ddl.undeletable("governance_proposal"),
        ddl.frozen_columns(
            "governance_proposal",
            ["project_id", "kind", "slug", "subject_id", "proposer_id", "reverts_id", "created_at"],
        ),
        ddl.state_machine("governance_proposal", MOVES, initial=["draft"]),
        ddl.statement(RULES, NO_RULES),
        ddl.statement(TRIGGERS, NO_TRIGGERS),
        ddl.open_to("gw_doors", "governance_proposal"),
        ddl.door(
            "due_proposals",
            "at timestamptz, most integer",
            "TABLE (project_id uuid, id uuid, system_actor uuid)",
            DUE,
        ),
    ]
