import django.contrib.auth.models
import django.contrib.auth.validators
import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import governance.ids
import governance.vocabulary
from governance import ddl
from governance.ddl import Key


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("sessions", "0001_initial"),  # django.contrib.sessions, whose table the application role reads
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="Project",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=200)),
                ("max_input_tokens", models.PositiveIntegerField(blank=True, null=True)),
                ("default_profile", models.CharField(default="default@conservative", max_length=128)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined")),
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("time_zone", models.CharField(default="UTC", max_length=64)),
                ("language", models.CharField(blank=True, default="", max_length=16)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="Actor",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[("human", "human"), ("agent", "agent"), ("system", "system")], max_length=8
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                (
                    "roles",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), blank=True, default=list
                    ),
                ),
                ("active", models.BooleanField(default=True)),
                (
                    "owned_by",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="actors",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="governance.project",
                    ),
                ),
                ("seq", models.BigIntegerField()),
                ("prev", models.BinaryField()),
                ("hash", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("name", models.CharField(blank=True, default="", max_length=200)),
                ("prefix", models.CharField(max_length=16, unique=True)),
                ("digest", models.BinaryField()),
                ("scopes", django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32))),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "actor",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Contract",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "audience",
                    models.CharField(
                        choices=[("project", "project"), ("role", "role"), ("private", "private")],
                        default=governance.vocabulary.Audience["PROJECT"],
                        max_length=8,
                    ),
                ),
                ("audience_role", models.CharField(blank=True, max_length=64, null=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("persona", "persona"),
                            ("role", "role"),
                            ("policy", "policy"),
                            ("self_profile", "self_profile"),
                            ("budget_profile", "budget_profile"),
                        ],
                        max_length=16,
                    ),
                ),
                ("slug", models.CharField(max_length=64)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
                (
                    "subject",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="actor",
            name="persona",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="governance.contract",
            ),
        ),
        migrations.CreateModel(
            name="InboxItem",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "audience",
                    models.CharField(
                        choices=[("project", "project"), ("role", "role"), ("private", "private")],
                        default=governance.vocabulary.Audience["PROJECT"],
                        max_length=8,
                    ),
                ),
                ("audience_role", models.CharField(blank=True, max_length=64, null=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("proposal", "proposal"),
                            ("conflict", "conflict"),
                            ("candidate", "candidate"),
                            ("capsule", "capsule"),
                            ("resume_failure", "resume_failure"),
                            ("budget_alarm", "budget_alarm"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "open"), ("snoozed", "snoozed"), ("done", "done")],
                        default=governance.vocabulary.InboxState["OPEN"],
                        max_length=8,
                    ),
                ),
                (
                    "risk",
                    models.CharField(
                        choices=[("low", "low"), ("medium", "medium"), ("high", "high")],
                        default=governance.vocabulary.Risk["LOW"],
                        max_length=8,
                    ),
                ),
                ("ref", models.CharField(max_length=200)),
                ("title", models.CharField(max_length=300)),
                ("snoozed_until", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "level",
                    models.CharField(
                        choices=[("viewer", "viewer"), ("maintainer", "maintainer"), ("owner", "owner")], max_length=12
                    ),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Revision",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "audience",
                    models.CharField(
                        choices=[("project", "project"), ("role", "role"), ("private", "private")],
                        default=governance.vocabulary.Audience["PROJECT"],
                        max_length=8,
                    ),
                ),
                ("audience_role", models.CharField(blank=True, max_length=64, null=True)),
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "draft"), ("active", "active"), ("superseded", "superseded")],
                        default=governance.vocabulary.RevisionState["DRAFT"],
                        max_length=12,
                    ),
                ),
                ("body", models.JSONField()),
                ("body_hash", models.CharField(max_length=80)),
                ("reason", models.CharField(blank=True, default="", max_length=500)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "base",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.revision",
                    ),
                ),
                (
                    "contract",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.contract",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.actor",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StoredAnswer",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("idempotency_key", models.CharField(max_length=255)),
                ("fingerprint", models.CharField(max_length=80)),
                ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("body", models.TextField(blank=True, default="")),
                ("packet_ref", models.CharField(blank=True, default="", max_length=64)),
                (
                    "api_key",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="governance.apikey",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("seq", models.BigIntegerField(default=0)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("actor", models.CharField(max_length=64)),
                ("on_behalf_of", models.CharField(default="", max_length=64)),
                ("verb", models.CharField(max_length=64)),
                ("target", models.CharField(max_length=200)),
                ("reason", models.CharField(default="", max_length=500)),
                ("before", models.CharField(default="", max_length=80)),
                ("after", models.CharField(default="", max_length=80)),
                ("trace", models.CharField(default="", max_length=64)),
                ("detail", models.TextField(default="{}")),
                ("prev", models.BinaryField(default=b"")),
                ("hash", models.BinaryField(default=b"")),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("project", "seq"), name="audit_seq_once")],
            },
        ),
        migrations.AddConstraint(
            model_name="contract",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["persona", "role", "policy", "self_profile", "budget_profile"])),
                name="contract_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="contract",
            constraint=models.UniqueConstraint(fields=("project", "kind", "slug"), name="contract_slug_once"),
        ),
        migrations.AddConstraint(
            model_name="actor",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["human", "agent", "system"])), name="actor_kind_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="actor",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind", governance.vocabulary.ActorKind["HUMAN"]), ("user__isnull", True), _connector="OR"
                ),
                name="actor_user_is_human",
            ),
        ),
        migrations.AddConstraint(
            model_name="actor",
            constraint=models.UniqueConstraint(fields=("project", "user"), name="actor_one_per_account"),
        ),
        migrations.AddConstraint(
            model_name="actor",
            constraint=models.UniqueConstraint(fields=("project", "kind", "name"), name="actor_name_once"),
        ),
        migrations.AddConstraint(
            model_name="inboxitem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["proposal", "conflict", "candidate", "capsule", "resume_failure", "budget_alarm"])
                ),
                name="inbox_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="inboxitem",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "snoozed", "done"])), name="inbox_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="inboxitem",
            constraint=models.UniqueConstraint(fields=("project", "kind", "ref"), name="inbox_matter_once"),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(("level__in", ["viewer", "maintainer", "owner"])), name="membership_level_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(fields=("project", "actor"), name="membership_once"),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["draft", "active", "superseded"])), name="revision_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.UniqueConstraint(fields=("project", "contract", "number"), name="revision_number_once"),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", governance.vocabulary.RevisionState["ACTIVE"])),
                fields=("project", "contract"),
                name="revision_one_active",
            ),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state", governance.vocabulary.RevisionState["DRAFT"]),
                    ("decided_by__isnull", False),
                    _connector="OR",
                ),
                name="revision_decided_by_someone",
            ),
        ),
        migrations.AddConstraint(
            model_name="storedanswer",
            constraint=models.UniqueConstraint(
                fields=("project", "api_key", "idempotency_key"), name="stored_answer_once"
            ),
        ),
    ]


# From here on: who may see and change what. Django knows none of it, so it is SQL.

LEDGER_CHAIN = """
CREATE FUNCTION greywind_audit_bytes(seq bigint, at timestamptz, VARIADIC texts text[]) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $f$
  SELECT int8send(seq) || int8send((extract(epoch FROM at) * 1000000)::bigint)
      || coalesce((SELECT string_agg(int4send(octet_length(convert_to(t, 'UTF8'))) || convert_to(t, 'UTF8'), ''::bytea ORDER BY n)
                   FROM unnest(texts) WITH ORDINALITY AS x(t, n)), ''::bytea) $f$;
CREATE FUNCTION greywind_audit_chain() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
DECLARE genesis bytea := sha256(uuid_send(NEW.project_id));
BEGIN
  IF NEW.project_id IS DISTINCT FROM nullif(current_setting('greywind.project', true), '')::uuid THEN
    RAISE EXCEPTION 'ledger: the entry is of another project' USING ERRCODE = 'GW003';
  END IF;
  NEW.at := clock_timestamp();
  INSERT INTO public.governance_audithead AS h (project_id, seq, prev, hash)
  VALUES (NEW.project_id, 1, genesis, sha256(genesis || public.greywind_audit_bytes(1, NEW.at, NEW.id::text, NEW.actor,
    NEW.on_behalf_of, NEW.verb, NEW.target, NEW.reason, NEW.before, NEW.after, NEW.trace, NEW.detail)))
  ON CONFLICT (project_id) DO UPDATE SET seq = h.seq + 1, prev = h.hash,
    hash = sha256(h.hash || public.greywind_audit_bytes(h.seq + 1, NEW.at, NEW.id::text, NEW.actor,
    NEW.on_behalf_of, NEW.verb, NEW.target, NEW.reason, NEW.before, NEW.after, NEW.trace, NEW.detail))
  RETURNING h.seq, h.prev, h.hash INTO NEW.seq, NEW.prev, NEW.hash;
  RETURN NEW;
END $f$;
GRANT EXECUTE ON FUNCTION greywind_audit_bytes(bigint, timestamptz, text[]) TO gw_ledger, gw_app;
GRANT SELECT, INSERT, UPDATE ON governance_audithead TO gw_ledger;
ALTER TABLE governance_audithead ENABLE ROW LEVEL SECURITY;
ALTER TABLE governance_audithead FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON governance_audithead TO gw_owner USING (true) WITH CHECK (true);
CREATE POLICY ledger ON governance_audithead TO gw_ledger USING (true) WITH CHECK (true);
CREATE TRIGGER audit_chain BEFORE INSERT ON governance_auditevent FOR EACH ROW EXECUTE FUNCTION greywind_audit_chain();
REVOKE ALL ON FUNCTION greywind_audit_chain() FROM PUBLIC;
ALTER FUNCTION greywind_audit_chain() OWNER TO gw_ledger;
"""
LEDGER_UNCHAIN = """
DROP TRIGGER audit_chain ON governance_auditevent; DROP FUNCTION greywind_audit_chain();
DROP POLICY ledger ON governance_audithead; DROP POLICY owner ON governance_audithead;
REVOKE ALL ON governance_audithead FROM gw_ledger;
DROP FUNCTION greywind_audit_bytes(bigint, timestamptz, text[]);
"""

# A role's name travels in a comma-separated setting: one with a comma in it would be two roles.
ROLES_ARE_SLUGS = """
ALTER TABLE governance_actor ADD CONSTRAINT actor_roles_are_slugs CHECK (
  cardinality(roles) = 0 OR array_to_string(roles, ' ', '') ~ '^[a-z][a-z0-9_-]*( [a-z][a-z0-9_-]*)*$')
"""
# The end of the present project's chain, so that a cut-off tail is noticed; gw_ledger alone reads the heads.
AUDIT_HEAD = """
  SELECT h.seq, h.hash FROM public.governance_audithead h
  WHERE h.project_id = nullif(current_setting('greywind.project', true), '')::uuid
"""
# An answer repeats what its reader was told, private content included: only the actor behind the key sees it.
ANSWERS = f"""
  project_id = {ddl.PROJECT} AND EXISTS (
    SELECT 1 FROM governance_apikey k
    WHERE k.project_id = governance_storedanswer.project_id AND k.id = api_key_id AND k.actor_id = {ddl.ACTOR})
"""

AUTH_KEY = """
  SELECT k.id, k.project_id, k.actor_id, a.kind::text, k.digest, k.scopes::text[], a.roles::text[],
         k.revoked_at IS NULL AND a.active AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
  FROM public.governance_apikey k
  JOIN public.governance_actor a ON a.project_id = k.project_id AND a.id = k.actor_id
  WHERE k.prefix = $1
"""
MEMBERSHIPS_OF = """
  SELECT m.project_id, p.name::text, a.id, m.level::text
  FROM public.governance_actor a
  JOIN public.governance_membership m ON m.project_id = a.project_id AND m.actor_id = a.id
  JOIN public.governance_project p ON p.id = a.project_id
  WHERE a.user_id = $1 AND a.active ORDER BY p.created_at
"""

FRAMEWORK_TABLES = "governance_user, governance_user_groups, governance_user_user_permissions, django_session"
READ_TABLES = "django_migrations, django_content_type, auth_group, auth_group_permissions, auth_permission"
CONTENT = ["governance_contract", "governance_revision", "governance_inboxitem"]
PROJECT_ONLY = ["governance_actor", "governance_membership", "governance_apikey"]
KEYS = {
    "governance_actor": [Key("owned_by_id", "governance_actor"), Key("persona_id", "governance_contract")],
    "governance_membership": [Key("actor_id", "governance_actor")],
    "governance_apikey": [Key("actor_id", "governance_actor")],
    "governance_contract": [Key("owner_id", "governance_actor"), Key("subject_id", "governance_actor")],
    "governance_revision": [
        Key("owner_id", "governance_actor"),
        Key("contract_id", "governance_contract"),
        Key("base_id", "governance_revision"),
        Key("proposed_by_id", "governance_actor"),
        Key("decided_by_id", "governance_actor"),
    ],
    "governance_inboxitem": [Key("owner_id", "governance_actor")],
    "governance_storedanswer": [Key("api_key_id", "governance_apikey")],
}

Migration.operations += [
    ddl.append_only_guard(),
    *(ddl.addressable(table) for table in [*CONTENT, *PROJECT_ONLY, "governance_storedanswer"]),
    *(ddl.composite_keys(table, keys) for table, keys in KEYS.items()),
    ddl.isolate_project("governance_project", column="id"),
    *(ddl.isolate_project(table) for table in PROJECT_ONLY),
    ddl.isolate_by("governance_storedanswer", ANSWERS),
    ddl.statement(ROLES_ARE_SLUGS, "ALTER TABLE governance_actor DROP CONSTRAINT actor_roles_are_slugs"),
    *(ddl.isolate(table) for table in CONTENT),
    *(ddl.audience_shape(table) for table in CONTENT),
    ddl.isolate_project("governance_auditevent", append_only=True),
    ddl.append_only("governance_auditevent"),
    ddl.statement(LEDGER_CHAIN, LEDGER_UNCHAIN),
    ddl.door("audit_head", "", "TABLE (seq bigint, hash bytea)", AUDIT_HEAD, owner="gw_ledger"),
    ddl.state_machine(
        "governance_revision",
        {"draft": ["active", "superseded"], "active": ["superseded"]},
        initial=["draft", "active"],
    ),
    ddl.undeletable("governance_revision"),
    ddl.frozen_columns(
        "governance_revision",
        ["project_id", "contract_id", "number", "body", "body_hash", "base_id", "proposed_by_id", "created_at"],
    ),
    ddl.state_machine(
        "governance_inboxitem",
        {"open": ["snoozed", "done"], "snoozed": ["open", "done"], "done": ["open"]},
        initial=["open"],
    ),
    ddl.statement(
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {FRAMEWORK_TABLES} TO gw_app; GRANT SELECT ON {READ_TABLES} TO gw_app",
        f"REVOKE ALL ON {FRAMEWORK_TABLES}, {READ_TABLES} FROM gw_app",
    ),
    *(
        ddl.open_to("gw_doors", table)
        for table in ["governance_apikey", "governance_actor", "governance_membership", "governance_project"]
    ),
    ddl.door(
        "auth_key",
        "prefix text",
        "TABLE (key_id uuid, project_id uuid, actor_id uuid, kind text, digest bytea, scopes text[], roles text[], usable boolean)",
        AUTH_KEY,
    ),
    ddl.door(
        "memberships_of",
        "account uuid",
        "TABLE (project_id uuid, project_name text, actor_id uuid, level text)",
        MEMBERSHIPS_OF,
    ),
]
