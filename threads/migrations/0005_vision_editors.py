"""Who writes a thread's vision past a proposal is the policy's to say (`vision_editors`), for raw SQL as well.

A version of its own kind says where it comes from, and the database looks there: a merge may only join what two threads
want, the part of a split begins with what the thread wanted that it comes from, an undoing says again what stood before
the merge. A first request and a brief write the first version, and never another. What is left are direct edits. What
only some read is exempt, as in the application: nobody else could decide it.
"""

from django.db import migrations

from governance import ddl

# Functions run with the rights of whoever calls them, as those of 0004_vision_proposals do.
RULES = """
CREATE FUNCTION greywind_writes_vision(project uuid, writer uuid) RETURNS boolean LANGUAGE sql STABLE AS $f$
  SELECT public.greywind_may_write(project, writer, writer) AND CASE (
      SELECT r.body ->> 'vision_editors' FROM public.governance_revision r
      WHERE r.project_id = project AND r.id = public.greywind_active_revision(project, 'policy', 'default'))
    WHEN 'humans' THEN writer IN (SELECT public.greywind_deciders(project, 'maintainer'))
    WHEN 'owners' THEN writer IN (SELECT public.greywind_deciders(project, 'owner'))
    WHEN 'nobody' THEN false ELSE true END $f$;

CREATE FUNCTION greywind_vision_of(project uuid, thread uuid, version integer) RETURNS SETOF threads_vision
LANGUAGE sql STABLE AS $f$
  SELECT * FROM public.threads_vision v WHERE v.project_id = project AND v.thread_id = thread
    AND v.version = greywind_vision_of.version $f$;

CREATE FUNCTION greywind_newest_vision(project uuid, thread uuid) RETURNS SETOF threads_vision
LANGUAGE sql STABLE AS $f$
  SELECT * FROM public.threads_vision v WHERE v.project_id = project AND v.thread_id = thread
  ORDER BY v.version DESC LIMIT 1 $f$;

CREATE FUNCTION greywind_says_same(one threads_vision, other threads_vision) RETURNS boolean LANGUAGE sql STABLE AS $f$
  SELECT public.greywind_vision_body(one) - 'version' - 'thread'
    = public.greywind_vision_body(other) - 'version' - 'thread' $f$;

-- Whether a list, or a text of paragraphs, holds the first whole, and beside it nothing but what the second holds.
CREATE FUNCTION greywind_joins(made text[], one text[], other text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $f$
  SELECT made @> one AND made <@ (one || other) $f$;
CREATE FUNCTION greywind_joins(made text, one text, other text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $f$
  SELECT made IN (one, concat_ws(E'\\n\\n', nullif(one, ''), nullif(other, ''))) $f$;

CREATE FUNCTION greywind_merges(v threads_vision) RETURNS boolean LANGUAGE sql STABLE AS $f$
  SELECT EXISTS (SELECT FROM public.threads_lineage l,
      public.greywind_vision_of(v.project_id, v.thread_id, (l.before -> 'vision' ->> 0)::integer) AS ours,
      public.greywind_newest_vision(v.project_id, l.source_id) AS theirs
    WHERE l.project_id = v.project_id AND l.target_id = v.thread_id AND l.kind = 'merge' AND l.state = 'standing'
      AND (l.before -> 'vision' ->> 1)::integer = v.version AND ours.version = v.version - 1
      AND public.greywind_joins(v.origin_goal, ours.origin_goal, theirs.origin_goal)
      AND public.greywind_joins(v.quality_bar, ours.quality_bar, theirs.quality_bar)
      AND public.greywind_joins(v.done_when, ours.done_when, theirs.done_when)
      AND public.greywind_joins(v.non_goals, ours.non_goals, theirs.non_goals)
      AND public.greywind_joins(v.user_priorities, ours.user_priorities, theirs.user_priorities)) $f$;

CREATE FUNCTION greywind_splits(v threads_vision) RETURNS boolean LANGUAGE sql STABLE AS $f$
  SELECT v.version = 1 AND EXISTS (SELECT FROM public.threads_lineage l,
      public.greywind_newest_vision(v.project_id, l.source_id) AS theirs
    WHERE l.project_id = v.project_id AND l.target_id = v.thread_id AND l.kind = 'split' AND l.state = 'standing'
      AND public.greywind_says_same(v, theirs)) $f$;

-- Whether a version takes back what an undone merge wrote, while that still is what the thread says.
CREATE FUNCTION greywind_unmerges(v threads_vision) RETURNS boolean LANGUAGE sql STABLE AS $f$
  SELECT EXISTS (SELECT FROM public.threads_lineage l,
      public.greywind_vision_of(v.project_id, v.thread_id, (l.before -> 'vision' ->> 0)::integer) AS former,
      public.greywind_vision_of(v.project_id, v.thread_id, (l.before -> 'vision' ->> 1)::integer) AS merged,
      public.greywind_vision_of(v.project_id, v.thread_id, v.version - 1) AS last
    WHERE l.project_id = v.project_id AND l.target_id = v.thread_id AND l.kind = 'merge' AND l.state = 'undone'
      AND public.greywind_says_same(last, merged) AND public.greywind_says_same(v, former)
      AND (v.source, v.proposal_id, v.decided_by_id)
        IS NOT DISTINCT FROM (former.source, former.proposal_id, former.decided_by_id)
      AND (v.proposal_id IS NULL OR v.author_id = former.author_id)) $f$;
"""
NO_RULES = """
DROP FUNCTION greywind_unmerges(threads_vision); DROP FUNCTION greywind_splits(threads_vision);
DROP FUNCTION greywind_merges(threads_vision);
DROP FUNCTION greywind_joins(text, text, text); DROP FUNCTION greywind_joins(text[], text[], text[]);
DROP FUNCTION greywind_says_same(threads_vision, threads_vision);
DROP FUNCTION greywind_newest_vision(uuid, uuid); DROP FUNCTION greywind_vision_of(uuid, uuid, integer);
DROP FUNCTION greywind_writes_vision(uuid, uuid);
"""
# The first version of a thread, which a turn writes, is let pass before any function is called.
EDITORS = """
CREATE FUNCTION threads_vision_editors() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF (NEW.source IN ('maintainer', 'agent') AND greywind_is_actor(NEW.author_id)
        AND greywind_writes_vision(NEW.project_id, NEW.author_id))
      OR (NEW.source = 'merge' AND greywind_merges(NEW)) OR (NEW.source = 'split' AND greywind_splits(NEW))
      OR greywind_unmerges(NEW) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'threads_vision: the policy lets a human decide this version' USING ERRCODE = 'GW006';
END $f$;
CREATE TRIGGER the_editors AFTER INSERT ON threads_vision FOR EACH ROW
WHEN (NEW.audience = 'project' AND NEW.source <> 'proposal'
  AND NOT (NEW.source IN ('first_request', 'task_brief') AND NEW.version = 1))
EXECUTE FUNCTION threads_vision_editors();
"""
NO_EDITORS = "DROP TRIGGER the_editors ON threads_vision; DROP FUNCTION threads_vision_editors();"

# As in 0004_vision_proposals, but for `again`: which version may say once more what was approved.
APPROVED = """
CREATE OR REPLACE FUNCTION threads_vision_approved() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE p governance_proposal; said jsonb;
BEGIN
  -- Undoing what came after it writes an approved version once more.
  IF {again} THEN
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
"""
ANY_LATER = """EXISTS (SELECT FROM threads_vision v
      WHERE v.project_id = NEW.project_id AND v.thread_id = NEW.thread_id AND v.id <> NEW.id
        AND (v.proposal_id, v.author_id, v.decided_by_id) = (NEW.proposal_id, NEW.author_id, NEW.decided_by_id)
        AND greywind_vision_body(v) - 'version' = greywind_vision_body(NEW) - 'version')"""


class Migration(migrations.Migration):
    dependencies = [("threads", "0004_vision_proposals"), ("governance", "0013_old_answers")]

    operations = [
        ddl.statement(RULES, NO_RULES),
        ddl.statement(EDITORS, NO_EDITORS),
        ddl.statement(APPROVED.format(again="greywind_unmerges(NEW)"), APPROVED.format(again=ANY_LATER)),
    ]
