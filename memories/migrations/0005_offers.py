import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import governance.ids
import memories.vocabulary
from governance import ddl
from governance.ddl import Key

# Whoever asked and the human who answers: not the project, for that a private memory is there is private too.
READERS = f"project_id = {ddl.PROJECT} AND (asked_by_id = {ddl.ACTOR} OR human_id = {ddl.ACTOR})"
MOVES = {"asked": ["agreed", "declined"]}
# An agent asks its own human alone, and only a human agrees, in their own name.
ANSWERS = """
CREATE FUNCTION memories_offer_authority() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
  IF NOT EXISTS (SELECT FROM governance_actor a WHERE a.project_id = NEW.project_id AND a.id = NEW.asked_by_id
                 AND (a.id = NEW.human_id OR a.owned_by_id = NEW.human_id)) THEN
    RAISE EXCEPTION 'memories_offer: an agent asks the human who owns it' USING ERRCODE = 'GW006';
  END IF;
  IF NEW.state = 'agreed' AND NOT (greywind_is_actor(NEW.human_id) AND EXISTS (
      SELECT FROM governance_proposal p WHERE p.project_id = NEW.project_id AND p.id = NEW.proposal_id
      AND p.kind = 'memory' AND p.proposer_id = NEW.human_id)) THEN
    RAISE EXCEPTION 'memories_offer: its human agrees, by proposing it' USING ERRCODE = 'GW006';
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER the_authority AFTER INSERT OR UPDATE ON memories_offer
FOR EACH ROW EXECUTE FUNCTION memories_offer_authority();
"""


def pointer(to: str, *, null: bool = False) -> "models.ForeignKey[object, object]":
    return models.ForeignKey(
        blank=null,
        db_constraint=False,
        null=null,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to=to,
    )


class Migration(migrations.Migration):
    dependencies = [("governance", "0009_memory_proposals"), ("memories", "0004_consolidation")]

    operations = [
        migrations.CreateModel(
            name="Offer",
            fields=[
                (
                    "id",
                    models.UUIDField(default=governance.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("memory_version", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("asked", "asked"), ("agreed", "agreed"), ("declined", "declined")],
                        default=memories.vocabulary.OfferState["ASKED"],
                        max_length=12,
                    ),
                ),
                ("content", models.TextField(blank=True, default="")),
                ("about", models.JSONField(default=dict)),
                ("reason", models.CharField(blank=True, default="", max_length=500)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                ("asked_by", pointer("governance.actor")),
                ("human", pointer("governance.actor")),
                ("memory", pointer("memories.memory")),
                ("proposal", pointer("governance.proposal", null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.project"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="offer",
            index=models.Index(fields=["project", "human", "state"], name="offer_of_human"),
        ),
        migrations.AddConstraint(
            model_name="offer",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["asked", "agreed", "declined"])), name="offer_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="offer",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "asked")), fields=("project", "memory"), name="offer_asked_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="offer",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("proposal__isnull", False), ("state", "agreed")),
                    models.Q(models.Q(("state", "agreed"), _negated=True), ("proposal__isnull", True)),
                    _connector="OR",
                ),
                name="offer_agreed_is_proposed",
            ),
        ),
        ddl.composite_keys(
            "memories_offer",
            [
                Key("memory_id", "memories_memory"),
                Key("asked_by_id", "governance_actor"),
                Key("human_id", "governance_actor"),
                Key("proposal_id", "governance_proposal"),
            ],
        ),
        ddl.isolate_by("memories_offer", READERS),
        ddl.undeletable("memories_offer"),
        ddl.frozen_columns(
            "memories_offer", ["project_id", "memory_id", "memory_version", "asked_by_id", "human_id", "created_at"]
        ),
        ddl.state_machine("memories_offer", MOVES, initial=["asked"]),
        ddl.statement(
            ANSWERS, "DROP TRIGGER the_authority ON memories_offer; DROP FUNCTION memories_offer_authority();"
        ),
    ]
