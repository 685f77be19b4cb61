"""Levels are given by owners: a maintainer who writes past the application does not make themselves one.

The first membership of a project has nobody above it. Without a scope the application role reaches no row at all, so
the rule is silent there, for whoever owns the tables.
"""

from django.db import migrations

from governance import ddl

LEVELS = """
CREATE FUNCTION governance_membership_levels() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE project uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.project_id ELSE NEW.project_id END;
  me uuid := nullif(current_setting('greywind.actor', true), '')::uuid;
BEGIN
  IF me IS NOT NULL AND EXISTS (SELECT FROM governance_membership m WHERE m.project_id = project) AND NOT EXISTS (
      SELECT FROM governance_membership m JOIN governance_actor a ON a.project_id = m.project_id AND a.id = m.actor_id
      WHERE m.project_id = project AND m.actor_id = me AND m.level = 'owner' AND a.kind = 'human' AND a.active) THEN
    RAISE EXCEPTION 'governance_membership: owners say who is a member, and at which level' USING ERRCODE = 'GW006';
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $f$;
CREATE TRIGGER the_levels BEFORE INSERT OR UPDATE OR DELETE ON governance_membership
FOR EACH ROW EXECUTE FUNCTION governance_membership_levels();
"""
NO_LEVELS = "DROP TRIGGER the_levels ON governance_membership; DROP FUNCTION governance_membership_levels();"


class Migration(migrations.Migration):
    dependencies = [("governance", "0006_standing")]

    operations = [ddl.statement(LEVELS, NO_LEVELS)]
