"""Who stands where: what holds is only followed, never just ended; a contract stays the one that was decided on; and
proposals are written, opened and taken back by those whose they are.

A revision leaves force when another one takes its place: nobody retires a role's boundaries and leaves nothing there.
Whether there is a successor is asked at the end of the transaction, since at most one revision is active at a time. A
contract keeps its kind, its name and its readers: renamed, the text of one role would hold for another. An agent never
becomes a human, who could decide. A viewer reads; an agent writes on its own proposals alone; time ends one only by the
system's hand.
"""

from django.db import migrations

from governance import ddl

# At the end of a transaction its scope may be left already, so the row's own is entered for the look and left again.
SUCCESSION = """
CREATE FUNCTION governance_revision_succession() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE followed boolean;
  project text := current_setting('greywind.project', true); actor text := current_setting('greywind.actor', true);
  roles text := current_setting('greywind.roles', true);
BEGIN
  PERFORM set_config('greywind.project', NEW.project_id::text, true),
    set_config('greywind.actor', coalesce(NEW.owner_id::text, ''), true),
    set_config('greywind.roles', coalesce(NEW.audience_role, ''), true);
  followed := EXISTS (SELECT FROM governance_revision r WHERE r.project_id = NEW.project_id
      AND r.contract_id = NEW.contract_id AND r.base_id = NEW.id AND r.state <> 'draft')
    AND EXISTS (SELECT FROM governance_revision r WHERE r.project_id = NEW.project_id
      AND r.contract_id = NEW.contract_id AND r.state = 'active');
  PERFORM set_config('greywind.project', coalesce(project, ''), true),
    set_config('greywind.actor', coalesce(actor, ''), true), set_config('greywind.roles', coalesce(roles, ''), true);
  IF NOT followed THEN
    RAISE EXCEPTION 'governance_revision: what holds is ended by what follows it alone' USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE CONSTRAINT TRIGGER the_succession AFTER UPDATE ON governance_revision DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (OLD.state = 'active' AND NEW.state = 'superseded')
EXECUTE FUNCTION governance_revision_succession();
"""
NO_SUCCESSION = """
DROP TRIGGER the_succession ON governance_revision; DROP FUNCTION governance_revision_succession();
"""
# The other columns of a revision are frozen by a trigger of that name already.
READERS = """
CREATE FUNCTION governance_revision_readers() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  IF (NEW.audience, NEW.audience_role, NEW.owner_id) IS DISTINCT FROM (OLD.audience, OLD.audience_role, OLD.owner_id) THEN
    RAISE EXCEPTION 'governance_revision: its readers are immutable' USING ERRCODE = 'GW001';
  END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER frozen_readers BEFORE UPDATE ON governance_revision
FOR EACH ROW EXECUTE FUNCTION governance_revision_readers();
"""
NO_READERS = "DROP TRIGGER frozen_readers ON governance_revision; DROP FUNCTION governance_revision_readers();"

STANDING = """
CREATE FUNCTION greywind_may_write(project uuid, writer uuid, proposer uuid) RETURNS boolean LANGUAGE sql STABLE AS $f$
  SELECT writer IN (SELECT public.greywind_deciders(project, 'maintainer')) OR (writer = proposer AND EXISTS (
    SELECT FROM public.governance_actor a
    WHERE a.project_id = project AND a.id = writer AND a.kind = 'agent' AND a.active)) $f$;

CREATE FUNCTION greywind_acts_as(project uuid, proposer uuid, system boolean) RETURNS boolean
LANGUAGE sql STABLE AS $f$
  SELECT (NOT system AND nullif(current_setting('greywind.actor', true), '') IS NULL) OR EXISTS (
    SELECT FROM public.governance_actor me
    WHERE me.project_id = project AND me.id = nullif(current_setting('greywind.actor', true), '')::uuid
      AND CASE WHEN system THEN me.kind = 'system' ELSE me.id = proposer OR (me.kind = 'human' AND me.id = (
        SELECT a.owned_by_id FROM public.governance_actor a WHERE a.project_id = project AND a.id = proposer)) END) $f$;

CREATE FUNCTION governance_proposal_standing() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT greywind_may_write(NEW.project_id, NEW.proposer_id, NEW.proposer_id) THEN
      RAISE EXCEPTION 'governance_proposal: agents and maintainers propose' USING ERRCODE = 'GW006';
    END IF;
  ELSIF NEW.state = 'expired' AND NOT greywind_acts_as(NEW.project_id, NEW.proposer_id, true) THEN
    RAISE EXCEPTION 'governance_proposal: the system ends what is late' USING ERRCODE = 'GW006';
  ELSIF (NEW.state = 'withdrawn' OR OLD.state = 'draft')
      AND NOT greywind_acts_as(NEW.project_id, NEW.proposer_id, false) THEN
    RAISE EXCEPTION 'governance_proposal: its proposer opens it and takes it back' USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_standing AFTER INSERT ON governance_proposal
FOR EACH ROW EXECUTE FUNCTION governance_proposal_standing();
CREATE TRIGGER the_standing_of_moves AFTER UPDATE ON governance_proposal
FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION governance_proposal_standing();

CREATE FUNCTION governance_proposaltext_standing() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF NOT greywind_is_actor(NEW.author_id) OR NOT greywind_may_write(NEW.project_id, NEW.author_id, (
      SELECT p.proposer_id FROM governance_proposal p WHERE p.project_id = NEW.project_id AND p.id = NEW.proposal_id)) THEN
    RAISE EXCEPTION '%: maintainers write here, and the agent whose proposal it is', TG_TABLE_NAME
      USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_standing AFTER INSERT ON governance_proposaltext
FOR EACH ROW EXECUTE FUNCTION governance_proposaltext_standing();
CREATE TRIGGER the_standing AFTER INSERT ON governance_comment
FOR EACH ROW EXECUTE FUNCTION governance_proposaltext_standing();
"""
NO_STANDING = """
DROP TRIGGER the_standing ON governance_comment; DROP TRIGGER the_standing ON governance_proposaltext;
DROP TRIGGER the_standing_of_moves ON governance_proposal; DROP TRIGGER the_standing ON governance_proposal;
DROP FUNCTION governance_proposaltext_standing(); DROP FUNCTION governance_proposal_standing();
DROP FUNCTION greywind_acts_as(uuid, uuid, boolean); DROP FUNCTION greywind_may_write(uuid, uuid, uuid);
"""


class Migration(migrations.Migration):
    dependencies = [("governance", "0005_inbox_claims")]

    operations = [
        ddl.statement(SUCCESSION, NO_SUCCESSION),
        ddl.statement(READERS, NO_READERS),
        ddl.statement(STANDING, NO_STANDING),
        ddl.frozen_columns(
            "governance_contract",
            ["project_id", "kind", "slug", "subject_id", "created_at", "audience", "audience_role", "owner_id"],
        ),
        ddl.frozen_columns("governance_actor", ["project_id", "kind", "user_id", "created_at"]),
    ]
