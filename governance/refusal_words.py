"""What a refusal reads like in the console, by its code. The API says it in English; people read their own language."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

WORDS: dict[str, Promise] = {
    "level_too_low": gettext_lazy(
        "Your level in this project does not allow it. An owner of the project can change that."
    ),
    "version_moved": gettext_lazy(
        "Somebody changed this since you opened the page. "
        "Look at what it says now, then send yours again; your text is still here."
    ),
    "not_quarantined": gettext_lazy("Only a job in quarantine is let run again by hand; this one runs by itself."),
    "not_found": gettext_lazy("There is no such thing in this project."),
    "session_closed": gettext_lazy("This session is closed and takes no more entries. Choose another one."),
    "client_id_reused": gettext_lazy(
        "This form was sent before with other words, and those are stored. "
        "Send it again to store these as well, or leave the page."
    ),
    "erased_since": gettext_lazy(
        "What was stored under this mark was erased since, and that is for good. "
        "Leave it out; if it is to be said again, say it anew."
    ),
    "settled_in_conflict": gettext_lazy(
        "A settled conflict did this. Take the settlement back on the conflict’s page."
    ),
    "changed_since": gettext_lazy("It was changed again since. Take the later change back first."),
    "unknown_constraint": gettext_lazy("This is no standing constraint of the thread any more; it may be retired."),
    "unknown_role": gettext_lazy("There is no active contract of this role. Choose another one."),
    "constraint_too_long": gettext_lazy(
        "This is too long for a constraint, which stands whole in every packet: it may take 500 tokens. "
        "Shorten it, or send it as a message."
    ),
    "evidence_unresolvable": gettext_lazy("This ref opens nothing for you now. Check it, or leave it out."),
    "unknown_scope": gettext_lazy("There is no such thread in this project. Choose another one."),
    "role_not_held": gettext_lazy("This role is not yours to work in. Choose another one."),
    "thread_not_open": gettext_lazy("This thread is not open. Reopen it first."),
    "name_invalid": gettext_lazy("A name has 1 to 200 characters, and none that cannot be seen where it is shown."),
    "name_taken": gettext_lazy("Another agent of this project has this name. Choose another one."),
    "role_unknown": gettext_lazy("An agent needs a role, and this project has no contract for one of these."),
    "scope_unknown": gettext_lazy("Tick at least one scope: a key without any opens nothing."),
    "lifetime_invalid": gettext_lazy("A key lives for up to ten years, or without an end."),
    "agent_inactive": gettext_lazy("The agent is off, so no key of it opens anything. Switch it on first."),
    "key_ended": gettext_lazy("This key has ended already and opens nothing. Make another one."),
    "reason_missing": gettext_lazy("Say why; the ledger keeps it."),
    "username_invalid": gettext_lazy("An account’s name has 1 to 150 letters, digits and @ . + - _"),
    "already_member": gettext_lazy("This account is already in the project. Change its level among the members."),
    "account_closed": gettext_lazy("This account is closed. Whoever runs this server must open it first."),
    "last_owner": gettext_lazy("This is the last owner of the project. Make somebody else an owner first."),
    "reset_by_operator": gettext_lazy(
        "This account is an owner, or stands for other projects as well: "
        "whoever runs this server resets it, with manage.py member reset-password."
    ),
    "limit_invalid": gettext_lazy("Give a whole number of tokens from 1 on, or nothing."),
    "moved_meanwhile": gettext_lazy("Somebody moved it meanwhile. Look at where it stands now."),
    "invalid_transition": gettext_lazy("From where it stands now it cannot go there."),
    "not_under_review": gettext_lazy("Only a task under review is sent back."),
    "thread_has_lineage": gettext_lazy("This thread was merged or split; it is not merely opened again."),
    "same_thread": gettext_lazy("It is the thread itself. Choose the other one."),
    "audiences_differ": gettext_lazy(
        "They are not read by the same people. What one person reads alone is never merged into what others read."
    ),
    "small_talk_stays": gettext_lazy("One of the two is small talk. It never meets a line of work."),
    "vision_missing": gettext_lazy(
        "The thread that stays has no vision, and the other one has. Merge the other way round, or write it first."
    ),
    "two_live_sessions": gettext_lazy(
        "Two live sessions of one role, on one task or on none, cannot live in one thread. Close one of them first."
    ),
    "nothing_to_move": gettext_lazy("Nothing would go along. Choose at least one session or task."),
    "nothing_left_behind": gettext_lazy(
        "Everything would go along. Leave something, use the second new thread, or rename this one instead."
    ),
    "chosen_twice": gettext_lazy("This would go to two threads at once. Choose one of them."),
    "task_stays": gettext_lazy("The session works on a task that stays. Choose the task: it takes the session along."),
    "handoff_cut": gettext_lazy("A handoff goes from one of these sessions to the other. Keep both in one thread."),
    "moved_on": gettext_lazy("This is somewhere else by now. Undo what took it there first."),
    "vision_edited": gettext_lazy(
        "The vision was edited since, and undoing would lose that. Merge or split the thread instead."
    ),
    "merged_since": gettext_lazy("Another thread became part of this since. Undo that merge first, then this one."),
    "begun_since": gettext_lazy("This began here since. Merge the thread back instead."),
    "said_again": gettext_lazy("This was learnt again where it came from. Archive one of the two first."),
    "nothing_to_undo": gettext_lazy("This thread was not merged or split, so there is nothing to undo."),
    "title_empty": gettext_lazy("Give it a title that can be seen."),
    "title_too_long": gettext_lazy("This title is too long: at most 60 characters for a thread, 300 for a task."),
    "title_unprintable": gettext_lazy("The title holds an invisible character. Type it anew instead of pasting it."),
    "goal_empty": gettext_lazy("The goal is empty. Say what is wanted."),
    "nothing_changed": gettext_lazy("It says this already; nothing was stored."),
    "not_a_decider": gettext_lazy("Only a human member of the project decides; agents propose."),
    "own_proposal": gettext_lazy(
        "You, or an agent of yours, wrote this, and it is above low risk: somebody else of that level decides it."
    ),
    "already_decided": gettext_lazy("You have decided this version already. It waits for another decider."),
    "not_stored": gettext_lazy("The database or its ledger failed, so nothing was stored of this one. Try again."),
    "decided_alone": gettext_lazy("It is decided on its own page, not together with others."),
    "malformed_id": gettext_lazy("This is not an id of the kind that is asked for here."),
    "packet_without_it": gettext_lazy(
        "The packet that you came from did not carry this memory. What you send now is said of the memory alone."
    ),
    "nothing_chosen": gettext_lazy("Nothing was chosen, so nothing was approved. Choose in the list what to look at."),
    "not_open": gettext_lazy("It does not wait for a decision."),
    "proposal_moved": gettext_lazy(
        "This moved since you opened it, so nothing was stored. Look at what stands now; your text is still here."
    ),
    "base_moved": gettext_lazy(
        "Another revision holds since you opened this. Look at what it says, then send yours again; "
        "your text is still here."
    ),
    "not_the_proposer": gettext_lazy("Only whoever proposed it, or owns the agent that did, may do this."),
    "too_many_open": gettext_lazy("Too many of your proposals wait already. Withdraw some, or wait for decisions."),
    "not_yaml": gettext_lazy("This is not YAML with one entry for each field."),
    "no_markdown": gettext_lazy(
        "Nothing in it could be read as this kind of contract. Write its fields as headings, or as YAML."
    ),
    "slug_invalid": gettext_lazy(
        "A name has 1 to 64 of a–z, 0–9, _ and -, a letter first; that of a budget profile also . and @, in any place."
    ),
    "unknown_subject": gettext_lazy("A self profile is about a human of this project."),
    "unknown_ref": gettext_lazy("This is no ref that can be opened here."),
    "contract_stands": gettext_lazy("This contract holds already. Propose a change of it."),
    "body_too_large": gettext_lazy("This is too large: what is proposed may hold 64 KB."),
    "body_missing": gettext_lazy("Write the text that you approve."),
    "title_missing": gettext_lazy("Say in a line what changes."),
    "slug_taken": gettext_lazy("This name is not free. Propose it under another one."),
    "private": gettext_lazy("This contract is private, so it is not proposed to the project."),
    "text_missing": gettext_lazy("Say something."),
    "too_long": gettext_lazy("This is too long. Shorten it."),
    "not_storable": gettext_lazy("It holds a character that cannot be stored. Type it anew instead of pasting it."),
    "unknown_task": gettext_lazy("One of the tasks it is to wait for is not there any more. Choose again."),
    "consent_missing": gettext_lazy("Nothing is shared without the consent of whose it is. Tick that you agree."),
    "offer_holds_secret": gettext_lazy("It holds a secret, and a secret is never shared, whoever agrees."),
    "offer_stays_private": gettext_lazy(
        "The policy keeps content as sensitive as this where its owner alone reads it."
    ),
    "offer_waits": gettext_lazy("It is offered already, and waits for a decision. Take that one back first."),
    "offer_not_in_use": gettext_lazy("It is not in use, so there is nothing to share."),
    "not_lower": gettext_lazy("It counts as no more than that already. Name a less sensitive level."),
    "thread_archived": gettext_lazy(
        "Its thread is archived, so nothing is approved for it. Reopen the thread first, or reject this."
    ),
    "thread_passed_on": gettext_lazy(
        "Its thread was merged or split, and the work goes on elsewhere. Reject this, and propose it there."
    ),
    "thread_gone": gettext_lazy("Its thread is not there any more, so there is nothing to change. Reject this."),
    "thread_not_shared": gettext_lazy("Only its owner reads this thread, and edits its vision without asking anybody."),
    "unknown_version": gettext_lazy("The vision has no such version. Read it again."),
    "lowering_private": gettext_lazy("Only what the whole project reads is lowered here."),
    "lowering_waits": gettext_lazy("This is asked for already, and waits for a decision."),
    "holds_secret": gettext_lazy("It holds a secret, which stays one. Say it without that first."),
    "not_in_use": gettext_lazy("It is not in use, so nothing reads it."),
    "gate_refused": gettext_lazy(
        "The gates of memory refuse this text, so nothing was decided. Edit it so that they let it pass, or reject it."
    ),
    "step_up_needed": gettext_lazy("This weighs much. Confirm that it is you, then send it again."),
    "app_there": gettext_lazy("The account has an authenticator app already."),
    "too_many_passkeys": gettext_lazy("The account has as many passkeys as it may have. Remove one first."),
    "no_factor": gettext_lazy("Recovery codes stand in for a second factor. Add one first."),
    "last_way": gettext_lazy("Nothing else opens this account. Add a passkey first."),
    "snooze_needs_end": gettext_lazy("Choose a day, or until there is new evidence."),
    "snooze_out_of_range": gettext_lazy("Choose a day in the coming year, from tomorrow on."),
    "not_waiting": gettext_lazy("It is settled meanwhile and waits for nobody."),
    "not_yours": gettext_lazy("Somebody else looks at it, or nobody does; only they release it."),
    "unknown_word": gettext_lazy("The policy holds a word that no rule follows."),
    "nobody_could_decide": gettext_lazy(
        "This policy lets humans decide, and the project has no active owner who could. Invite one first."
    ),
    "contradicts_known": gettext_lazy(
        "A memory in use says otherwise. Archive that one first, or take back what settled it."
    ),
    "said_meanwhile": gettext_lazy("Another memory says the same by now. Use that one."),
    "conflict_open": gettext_lazy("It is a side of a conflict. Settle that instead."),
    "target_not_in_use": gettext_lazy("The memory that it is about is not in use any more. Look at what stands now."),
    "not_settled": gettext_lazy("It is not settled any more, so there is nothing to take back."),
    "merged_text_missing": gettext_lazy("Write the text that takes their place."),
    "not_a_side": gettext_lazy("This claim is no side of the conflict. Choose again."),
    "screening_secret": gettext_lazy("It holds a secret. Say where the secret is kept instead."),
    "gates_missing": gettext_lazy("A gate that it has to pass has not passed yet."),
}


def told(code: str, detail: str) -> Promise | str:
    """Return the reader's words for a refusal; the refusal's own where it has none yet."""
    return WORDS.get(code, detail)
