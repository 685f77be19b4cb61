"""A memory counts as less sensitive only where an owner has approved just that, which a raw UPDATE meets too."""

from django.db import migrations

from governance import ddl

LOWERING = """
CREATE FUNCTION memories_memory_lowering() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE ranks text[] := ARRAY['public', 'work', 'personal', 'secret'];
BEGIN
  IF array_position(ranks, NEW.sensitivity) >= array_position(ranks, OLD.sensitivity) THEN RETURN NEW; END IF;
  IF NOT EXISTS (
      SELECT FROM governance_proposal p
      JOIN governance_proposaltext t
        ON t.project_id = p.project_id AND t.proposal_id = p.id AND t.version = p.version
      WHERE p.project_id = NEW.project_id AND p.kind = 'sensitivity' AND p.state = 'approved'
        AND p.slug = 'mem_' || replace(NEW.id::text, '-', '')
        AND t.body ->> 'after' = NEW.sensitivity AND t.body ->> 'before' = OLD.sensitivity
        AND (t.body ->> 'version')::integer = NEW.version) THEN
    RAISE EXCEPTION 'memories_memory: an owner decides that it counts as less sensitive' USING ERRCODE = 'GW006';
  END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER lowering BEFORE UPDATE OF sensitivity ON memories_memory
FOR EACH ROW EXECUTE FUNCTION memories_memory_lowering();
"""
NOT_GUARDED = "DROP TRIGGER lowering ON memories_memory; DROP FUNCTION memories_memory_lowering();"


class Migration(migrations.Migration):
    dependencies = [("governance", "0010_sensitivity_proposals"), ("memories", "0008_one_search")]

    operations = [ddl.statement(LOWERING, NOT_GUARDED)]
