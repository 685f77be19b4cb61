"""A version of a vision may come of a proposal: it names it and who decided, and says what was approved, no more.

The proposal's own rules are governance's; what only threads know of it, the database holds here.
"""

import uuid
from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

from governance import ddl
from governance.ddl import Key

SOURCES = ["first_request", "task_brief", "maintainer", "agent", "merge", "split"]
# Functions run with the rights of whoever calls them: a thread that they may not read is not there.
RULES = """
CREATE FUNCTION greywind_vision_body(v threads_vision) RETURNS jsonb LANGUAGE sql STABLE AS $f$
  SELECT jsonb_build_object('thread', 'thr_' || replace(v.thread_id::text, '-', ''), 'version', v.version,
    'origin_goal', v.origin_goal, 'done_when', to_jsonb(v.done_when), 'non_goals', to_jsonb(v.non_goals),
    'user_priorities', to_jsonb(v.user_priorities), 'quality_bar', v.quality_bar) $f$;

CREATE FUNCTION greywind_named_thread(slug text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $f$
  SELECT CASE WHEN slug ~ '^thr_[0-9a-f]{32}$' THEN substr(slug, 5)::uuid END $f$;

-- Whether the present text of a proposal still changes the newest version of its thread's vision.
CREATE FUNCTION greywind_vision_stands(p governance_proposal) RETURNS boolean LANGUAGE sql STABLE AS $f$
  SELECT (t.body ->> 'version')::integer = coalesce((
      SELECT max(v.version) FROM public.threads_vision v
      WHERE v.project_id = p.project_id AND v.thread_id = public.greywind_named_thread(p.slug)), 0)
  FROM public.governance_proposaltext t
  WHERE t.project_id = p.project_id AND t.proposal_id = p.id AND t.version = p.version $f$;
"""
NO_RULES = """
DROP FUNCTION greywind_vision_stands(governance_proposal); DROP FUNCTION greywind_named_thread(text);
DROP FUNCTION greywind_vision_body(threads_vision);
"""
# Their name puts them behind the rules of governance.
TRIGGERS = """
CREATE FUNCTION threads_proposaltext_vision() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE p governance_proposal; base threads_vision; touched record;
BEGIN
  SELECT * INTO p FROM governance_proposal WHERE project_id = NEW.project_id AND id = NEW.proposal_id;
  IF p.kind <> 'vision' THEN RETURN NULL; END IF;
  IF NEW.body ->> 'thread' IS DISTINCT FROM p.slug OR NOT EXISTS (
      SELECT FROM threads_thread t WHERE t.project_id = NEW.project_id AND t.id = greywind_named_thread(p.slug)
        AND t.audience = 'project') THEN
    RAISE EXCEPTION 'governance_proposaltext: it is about no thread that the project reads' USING ERRCODE = 'GW006';
  END IF;
  SELECT * INTO base FROM threads_vision v
  WHERE v.project_id = NEW.project_id AND v.thread_id = greywind_named_thread(p.slug)
    AND v.version = (NEW.body ->> 'version')::integer;
  IF base.id IS NULL AND NEW.body ->> 'version' <> '0' THEN
    RAISE EXCEPTION 'governance_proposaltext: the vision has no such version' USING ERRCODE = 'GW006';
  END IF;
  touched := greywind_touched('vision', CASE WHEN base.id IS NOT NULL THEN greywind_vision_body(base) END, NEW.body);
  IF array_position(ARRAY['low', 'medium', 'high'], NEW.risk::text) - 1 < touched.risk THEN
    RAISE EXCEPTION 'governance_proposaltext: the vision loses more than this risk says' USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_vision AFTER INSERT ON governance_proposaltext
FOR EACH ROW EXECUTE FUNCTION threads_proposaltext_vision();

CREATE FUNCTION threads_decision_vision() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF EXISTS (SELECT FROM governance_proposal p WHERE p.project_id = NEW.project_id AND p.id = NEW.proposal_id
             AND p.kind = 'vision' AND NOT coalesce(greywind_vision_stands(p), false)) THEN
    RAISE EXCEPTION 'governance_decision: the vision has another version by now' USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_vision AFTER INSERT ON governance_decision
FOR EACH ROW EXECUTE FUNCTION threads_decision_vision();

CREATE FUNCTION threads_proposal_vision() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF NOT coalesce(greywind_vision_stands(NEW), false) THEN
    RAISE EXCEPTION 'governance_proposal: the vision has another version by now' USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_vision AFTER UPDATE OF state ON governance_proposal FOR EACH ROW
WHEN (NEW.kind = 'vision' AND NEW.state = 'approved' AND OLD.state <> 'approved')
EXECUTE FUNCTION threads_proposal_vision();

CREATE FUNCTION threads_vision_approved() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE p governance_proposal; said jsonb;
BEGIN
  -- Undoing what came after it writes an approved version once more.
  IF EXISTS (SELECT FROM threads_vision v
      WHERE v.project_id = NEW.project_id AND v.thread_id = NEW.thread_id AND v.id <> NEW.id
        AND (v.proposal_id, v.author_id, v.decided_by_id) = (NEW.proposal_id, NEW.author_id, NEW.decided_by_id)
        AND greywind_vision_body(v) - 'version' = greywind_vision_body(NEW) - 'version') THEN
    RETURN NULL;
  END IF;
  SELECT * INTO p FROM governance_proposal WHERE project_id = NEW.project_id AND id = NEW.proposal_id;
  SELECT t.body INTO said FROM governance_proposaltext t
  WHERE t.project_id = NEW.project_id AND t.proposal_id = p.id AND t.version = p.version;
  IF p.id IS NULL OR p.kind <> 'vision' OR p.state <> 'approved' OR NEW.author_id <> p.proposer_id
     OR greywind_vision_body(NEW) - 'version' IS DISTINCT FROM said - 'version'
     OR NEW.version <> (said ->> 'version')::integer + 1
     OR NOT EXISTS (SELECT FROM governance_decision d WHERE d.project_id = NEW.project_id AND d.proposal_id = p.id
                      AND d.version = p.version AND d.verb IN ('approve', 'edit_and_approve')
                      AND d.decider_id = NEW.decided_by_id) THEN
    RAISE EXCEPTION 'threads_vision: it is not what was approved' USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_vision AFTER INSERT ON threads_vision FOR EACH ROW
WHEN (NEW.source = 'proposal') EXECUTE FUNCTION threads_vision_approved();
"""
NO_TRIGGERS = """
DROP TRIGGER the_vision ON threads_vision; DROP FUNCTION threads_vision_approved();
DROP TRIGGER the_vision ON governance_proposal; DROP FUNCTION threads_proposal_vision();
DROP TRIGGER the_vision ON governance_decision; DROP FUNCTION threads_decision_vision();
DROP TRIGGER the_vision ON governance_proposaltext; DROP FUNCTION threads_proposaltext_vision();
"""


def _scoped(to: str) -> "models.ForeignKey[uuid.UUID, Any]":
    return models.ForeignKey(
        to=to,
        blank=True,
        null=True,
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
    )


def _one_of(sources: list[str]) -> models.CheckConstraint:
    return models.CheckConstraint(condition=Q(source__in=sources), name="vision_source_known")


class Migration(migrations.Migration):
    dependencies = [("threads", "0003_lineage"), ("governance", "0012_vision_proposals")]

    operations = [
        migrations.RemoveConstraint(model_name="vision", name="vision_source_known"),
        migrations.AlterField(
            model_name="vision",
            name="source",
            field=models.CharField(choices=[(one, one) for one in [*SOURCES, "proposal"]], max_length=16),
        ),
        migrations.AddConstraint(model_name="vision", constraint=_one_of([*SOURCES, "proposal"])),
        migrations.AddField(model_name="vision", name="proposal", field=_scoped("governance.proposal")),
        migrations.AddField(model_name="vision", name="decided_by", field=_scoped("governance.actor")),
        migrations.AddConstraint(
            model_name="vision",
            constraint=models.CheckConstraint(
                condition=Q(source="proposal", proposal__isnull=False, decided_by__isnull=False)
                | (~Q(source="proposal") & Q(proposal__isnull=True, decided_by__isnull=True)),
                name="vision_names_its_proposal",
            ),
        ),
        ddl.composite_keys(
            "threads_vision", [Key("proposal_id", "governance_proposal"), Key("decided_by_id", "governance_actor")]
        ),
        ddl.statement(RULES, NO_RULES),
        ddl.statement(TRIGGERS, NO_TRIGGERS),
    ]
