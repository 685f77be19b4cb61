"""What is wanted of a thread is changed by a proposal where the policy says so: how such a proposal is weighed, also by
what its vision loses.
"""

from collections.abc import Iterable
from importlib import import_module

from django.db import migrations, models

from governance import ddl

known = import_module("governance.migrations.0010_sensitivity_proposals")
KINDS = [*known.KINDS, "sensitivity"]
WEIGHED = [*known.known.FIELDS, *known.known.OFFERED, *known.LOWERED]
# As in 0004_authority, with the risk of a change by which something that stood there is gone.
WANTED: Iterable[tuple[str, str, int, bool, int]] = [
    ("vision", "thread", 0, False, 0),
    ("vision", "version", 0, False, 0),
    ("vision", "origin_goal", 0, False, 2),
    ("vision", "done_when", 0, False, 1),
    ("vision", "non_goals", 0, False, 2),
    ("vision", "user_priorities", 1, False, 1),
    ("vision", "quality_bar", 0, False, 1),
]
_ROWS = ", ".join(
    f"('{kind}', '{field}', {risk}, {owner}, {loss})"
    for kind, field, risk, owner, loss in [*((*row, row[2]) for row in WEIGHED), *WANTED]
)
LOSING = f"""
CREATE FUNCTION greywind_loses(before jsonb, after jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $f$
  SELECT CASE WHEN jsonb_typeof(before) = 'array' AND jsonb_typeof(after) = 'array' THEN NOT after @> before
    ELSE NOT public.greywind_blank(before) END $f$;
CREATE OR REPLACE FUNCTION greywind_touched(kind text, before jsonb, after jsonb, OUT risk integer, OUT owner boolean)
LANGUAGE sql IMMUTABLE AS $f$
  SELECT coalesce(max(CASE WHEN public.greywind_loses(before -> named.field, after -> named.field)
      THEN coalesce(rule.loss, 2) ELSE coalesce(rule.risk, 2) END), 0),
    coalesce(bool_or(coalesce(rule.owner, true)), false)
  FROM (SELECT jsonb_object_keys(after) UNION SELECT jsonb_object_keys(coalesce(before, '{{}}'::jsonb))) AS named(field)
  LEFT JOIN (VALUES {_ROWS}) AS rule(kind, field, risk, owner, loss)
    ON rule.kind = greywind_touched.kind AND rule.field = named.field
  WHERE before -> named.field IS DISTINCT FROM after -> named.field
    AND NOT (public.greywind_blank(before -> named.field) AND public.greywind_blank(after -> named.field)) $f$;
"""


class Migration(migrations.Migration):
    dependencies = [("governance", "0011_jobs")]

    operations = [
        migrations.AlterField(
            model_name="proposal",
            name="kind",
            field=models.CharField(choices=[(kind, kind) for kind in [*KINDS, "vision"]], max_length=16),
        ),
        migrations.RemoveConstraint(model_name="proposal", name="proposal_kind_known"),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", [*KINDS, "vision"])), name="proposal_kind_known"
            ),
        ),
        # What waits on one thread is read by every page of it.
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(fields=["project", "kind", "slug"], name="proposal_of_matter"),
        ),
        ddl.statement(LOSING, f"{known.known.weighed(WEIGHED)} DROP FUNCTION greywind_loses(jsonb, jsonb);"),
    ]
