"""Sealed transcripts rest in compressed segments: the texts leave their entries, and nothing else ever does."""

from typing import Any

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import F, Q

import governance.ids
from governance import ddl
from governance.ddl import Key
from governance.vocabulary import Audience
from sessions.models.segment import ColdSegment

SEGMENT, EVENT = "agent_sessions_coldsegment", "agent_sessions_event"
WARM = "'constraint', 'correction'"
# An entry changes in one way: its text leaves for a segment. It never begins in one, and the way back is an erasure's.
# One that says nothing stays: else a segment might keep words that an erasure took out of their entry meanwhile.
KEEP = f"""
CREATE FUNCTION {EVENT}_keeps() RETURNS trigger LANGUAGE plpgsql AS $f$
DECLARE probe public.{EVENT} := NEW;
BEGIN
  probe.text := OLD.text;
  probe.segment_id := OLD.segment_id;
  IF probe IS DISTINCT FROM OLD OR OLD.segment_id IS NOT NULL OR NEW.segment_id IS NULL
    OR OLD.text = '' OR NEW.text <> '' THEN
    RAISE EXCEPTION '{EVENT} keeps what it holds: UPDATE is refused' USING ERRCODE = 'GW001';
  END IF;
  RETURN NEW;
END $f$;
DROP TRIGGER append_only_rows ON {EVENT};
CREATE TRIGGER append_only_rows BEFORE DELETE ON {EVENT} FOR EACH ROW EXECUTE FUNCTION greywind_refuse_change();
CREATE TRIGGER keeps_its_words BEFORE UPDATE ON {EVENT} FOR EACH ROW EXECUTE FUNCTION {EVENT}_keeps();
CREATE TRIGGER begins_warm BEFORE INSERT ON {EVENT} FOR EACH ROW WHEN (NEW.segment_id IS NOT NULL)
EXECUTE FUNCTION greywind_refuse_change();
"""
KEEP_ALL = f"""
DROP TRIGGER begins_warm ON {EVENT};
DROP TRIGGER keeps_its_words ON {EVENT}; DROP FUNCTION {EVENT}_keeps();
DROP TRIGGER append_only_rows ON {EVENT};
CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON {EVENT}
FOR EACH ROW EXECUTE FUNCTION greywind_refuse_change();
"""
RIGHTS = {
    SEGMENT: "SELECT (id, project_id, audience, audience_role, owner_id, session_id, first_seq, last_seq, entries, sha256)",
    EVENT: "SELECT (id, text, segment_id, meta), UPDATE (text, segment_id)",
    "agent_sessions_session": "SELECT (closed_at, cold_at)",
}
OPENED = (
    "".join(f"GRANT {rights} ON {table} TO gw_doors;" for table, rights in RIGHTS.items())
    + f"CREATE POLICY gw_doors_rest ON {SEGMENT} FOR SELECT TO gw_doors USING (true);"
    + f"CREATE POLICY gw_doors_rest ON {EVENT} FOR UPDATE TO gw_doors USING (true) WITH CHECK (true);"
)
CLOSED = f"DROP POLICY gw_doors_rest ON {SEGMENT}; DROP POLICY gw_doors_rest ON {EVENT};" + "".join(
    f"REVOKE {rights} ON {table} FROM gw_doors;" for table, rights in RIGHTS.items()
)
# The database writes down what it takes just as a segment does, and asks for the same hash: what is not in a segment
# stays where it is. It cannot unpack the bytes, which whoever made them has done before.
HELD = f"""
  FROM public.{EVENT} e
  WHERE e.project_id = s.project_id AND e.session_id = s.session_id AND e.seq BETWEEN s.first_seq AND s.last_seq
    AND e.segment_id IS NULL AND e.text <> '' AND e.kind NOT IN ({WARM}) AND NOT e.meta ? 'erased'
"""
REST = f"""
CREATE FUNCTION rest_in_segment(segment uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $f$
DECLARE s record; held text;
BEGIN
  SELECT c.id, c.project_id, c.session_id, c.first_seq, c.last_seq, c.sha256 INTO s
  FROM public.{SEGMENT} c
  JOIN public.agent_sessions_session w ON w.project_id = c.project_id AND w.id = c.session_id
  WHERE c.id = segment AND w.state IN ('closed', 'handoff_written') AND {ddl.readable("c")};
  IF NOT FOUND THEN
    RAISE EXCEPTION '{SEGMENT}: no such segment of a sealed session' USING ERRCODE = 'GW005';
  END IF;
  SELECT encode(sha256(string_agg(
    convert_to(e.seq || ' ' || octet_length(e.text) || E'\\n' || e.text || E'\\n', 'UTF8'), '' ORDER BY e.seq)), 'hex')
  INTO held {HELD};
  IF held IS DISTINCT FROM s.sha256 THEN
    RAISE EXCEPTION '{SEGMENT}: it does not hold the texts of its span' USING ERRCODE = 'GW005';
  END IF;
  UPDATE public.{EVENT} u SET text = '', segment_id = s.id
  WHERE u.id IN (SELECT e.id {HELD});
END $f$;
REVOKE ALL ON FUNCTION rest_in_segment(uuid) FROM PUBLIC; GRANT EXECUTE ON FUNCTION rest_in_segment(uuid) TO gw_app;
ALTER FUNCTION rest_in_segment(uuid) OWNER TO gw_doors;
"""
# The oldest first. Only what is still warm stands in the index that this walks, however many sessions there are.
COOLING = """
  SELECT d.project_id, d.id, coalesce(d.owner_id, a.id), d.audience_role::text FROM (
    SELECT s.project_id, s.id, s.owner_id, s.audience_role, s.closed_at
    FROM public.agent_sessions_session s
    WHERE s.cold_at IS NULL AND s.closed_at IS NOT NULL AND s.head_seq > 0
      AND s.closed_at < clock_timestamp() - make_interval(days => $2)
    ORDER BY s.closed_at LIMIT least($1, 1000)) AS d
  JOIN public.governance_actor a ON a.project_id = d.project_id AND a.kind = 'system'
  ORDER BY d.closed_at
"""
# By the numbering's own index: none leads from a segment to its entries.
BACK = f"""
UPDATE {EVENT} SET text = %s, segment_id = NULL
WHERE project_id = %s AND session_id = %s AND seq = %s AND segment_id = %s
"""
OPENED_BY = ("id", "project_id", "session_id", "first_seq", "last_seq", "content", "raw_bytes", "sha256")
LEFT = f"SELECT count(*) FROM {EVENT} WHERE segment_id IS NOT NULL"


def _scoped(to: str, *, null: bool = False, **options: Any) -> Any:
    return models.ForeignKey(
        to=to,
        blank=null,
        null=null,
        db_constraint=False,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        **options,
    )


def give_all_back(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Put every text back into its entry, before there are no segments any more; none is dropped with a text in it.

    Over the connection that migrates: to the application's own, which is in no project, there are no segments at all.
    """
    segments = apps.get_model("agent_sessions", "ColdSegment").objects.using(editor.connection.alias)
    with editor.connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for row in segments.values(*OPENED_BY).iterator():
            places = [row["project_id"], row["session_id"]]
            texts = ColdSegment(**row).texts().items()
            cursor.executemany(BACK, [(text, *places, seq, row["id"]) for seq, text in texts])
        cursor.execute("SET LOCAL session_replication_role = origin")
        cursor.execute(LEFT)
        [left] = cursor.fetchone()
    if left:
        raise RuntimeError(f"{left} texts rest in no segment that is there: restore {SEGMENT} from a backup first")


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0013_unheard_marks")]

    operations = [
        migrations.CreateModel(
            name="ColdSegment",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "audience",
                    models.CharField(
                        choices=[(one.value, one.value) for one in Audience], default=Audience.PROJECT, max_length=8
                    ),
                ),
                ("audience_role", models.CharField(blank=True, max_length=64, null=True)),
                ("first_seq", models.PositiveIntegerField()),
                ("last_seq", models.PositiveIntegerField()),
                ("entries", models.PositiveIntegerField()),
                ("codec", models.CharField(choices=[("zlib", "zlib")], default="zlib", max_length=8)),
                ("content", models.BinaryField()),
                ("raw_bytes", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("owner", _scoped("governance.actor", null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
                ("session", _scoped("agent_sessions.session", db_index=False)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=Q(codec__in=["zlib"]), name="segment_codec_known"),
                    models.UniqueConstraint(fields=("project", "session", "first_seq"), name="segment_once"),
                    models.CheckConstraint(condition=Q(last_seq__gte=F("first_seq")), name="segment_runs_forward"),
                ]
            },
        ),
        ddl.addressable(SEGMENT),
        ddl.audience_shape(SEGMENT),
        ddl.composite_keys(SEGMENT, [Key("session_id", "agent_sessions_session"), Key("owner_id", "governance_actor")]),
        ddl.inherit_audience(SEGMENT, parent="agent_sessions_session", column="session_id"),
        ddl.append_only(SEGMENT),
        ddl.isolate(SEGMENT, append_only=True),
        # What is compressed already is not compressed again.
        ddl.statement(f"ALTER TABLE {SEGMENT} ALTER content SET STORAGE EXTERNAL", ""),
        migrations.AddField("event", "segment", _scoped("agent_sessions.coldsegment", null=True, db_index=False)),
        migrations.AlterModelOptions("event", {"base_manager_name": "objects"}),
        migrations.AddConstraint(
            "event",
            models.CheckConstraint(
                condition=Q(segment=None) | (Q(text="") & ~Q(kind__in=["constraint", "correction"])),
                name="event_rests_once",
            ),
        ),
        ddl.composite_keys(EVENT, [Key("segment_id", SEGMENT)]),
        migrations.AddField("session", "cold_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddIndex(
            "session",
            models.Index(
                fields=["closed_at"],
                condition=Q(cold_at=None, closed_at__isnull=False, head_seq__gt=0),
                name="session_cooling",
            ),
        ),
        ddl.statement(KEEP, KEEP_ALL),
        ddl.statement(OPENED, CLOSED),
        ddl.statement(REST, "SET LOCAL ROLE gw_doors; DROP FUNCTION rest_in_segment(uuid); RESET ROLE;"),
        ddl.door(
            "cooling_sessions",
            "most integer, days integer",
            "TABLE (project_id uuid, id uuid, acting uuid, held_role text)",
            COOLING,
        ),
        migrations.RunPython(migrations.RunPython.noop, give_all_back),
    ]
