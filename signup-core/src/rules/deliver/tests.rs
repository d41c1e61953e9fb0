//! What a portion marks, what a claim and a report write, and which failed notices are kept.

use super::super::facts::*;
use super::*;
use crate::conformance::records;
use crate::id::InvitationId;
use crate::signup::SignupStatus;
use crate::store::EventInFull;

/// Shift 1 with a sign-up that no mail had yet, and its recipient.
fn facts() -> (SignupInFull, Notice) {
    let EventInFull { event, mut shifts, .. } = full();
    let shift = shifts.remove(0);
    let signup = Signup { told: Told::by_form(&shift, &event), ..records::signup(&shift, 3) };
    let cause = NoticeCause::News(Recipient::new(signup.email.clone(), before()));
    let notice = Notice::new(notice(8), event.organization, Some(event.id), cause, before());
    (SignupInFull::new(records::organization(1), event, shift.shift, signup), notice)
}

fn claimed(notice: &Notice, found: &SignupInFull) -> Decision<Option<Mail>> {
    claim_at(notice, found, before())
}

fn claim_at(notice: &Notice, found: &SignupInFull, now: Timestamp) -> Decision<Option<Mail>> {
    let found = (std::slice::from_ref(found), true);
    claim_news(notice, notice.recipient().unwrap(), found, Secret::generate(), now)
}

#[test]
fn a_claim_makes_a_link_that_only_the_mail_has() {
    let (found, notice) = facts();
    let decision = claimed(&notice, &found);
    assert_eq!(lines(&decision), ["Notice 8 at 1", "insert Link 0", "put Notice 8 to 2"]);
    let mail = decision.outcome.unwrap();
    let link = put::<Link, _>(&Decision::unrecorded((), decision.change)).unwrap();
    assert_eq!((link.digest, link.unsubscribes_from), (mail.secret.unwrap().digest(), None));
}

#[test]
fn a_recipient_without_news_rests() {
    let (mut found, notice) = facts();
    found.signup.told.status = Some(found.signup.status());
    let decision = claimed(&notice, &found);
    assert_eq!(lines(&decision), ["Notice 8 at 1", "put Notice 8 to 2"]);
    assert_eq!(decision.outcome, None);
    assert_eq!(put::<Notice, _>(&decision).unwrap().due_at, None);
}

/// Otherwise a later silent change would be mailed as the announced one.
#[test]
fn an_announced_change_that_was_undone_is_settled_without_a_mail() {
    let (mut found, notice) = facts();
    found.signup.told.status = Some(found.signup.status());
    found.shift.shift.announced = 2;
    let decision = claimed(&notice, &found);
    assert_eq!(decision.outcome, None);
    assert_eq!(put::<Signup, _>(&decision).unwrap().told.announced, 2);
}

#[test]
fn a_report_stores_what_was_told_and_lets_the_recipient_rest() {
    let (found, notice) = facts();
    let mail = claimed(&notice, &found).outcome.unwrap();
    let MailContent::News(news) = &mail.content else { panic!("{mail:?}") };
    let told = vec![(found.signup.clone(), news.places[0].told(before()))];
    for again_at in [None, Some(before())] {
        let recipient = Recipient { again_at, ..mail.notice.recipient().unwrap().clone() };
        let change = sent(&mail.notice, &recipient, told.clone());
        assert_eq!(
            change_lines(&change),
            ["Signup 3 at 1", "Notice 8 at 2", "put Signup 3 to 2", "put Notice 8 to 3"]
        );
        let written = Decision::unrecorded((), change);
        let Told { status, sequence, sent_at, .. } = put::<Signup, _>(&written).unwrap().told;
        assert_eq!((status, sequence, sent_at), (Some(SignupStatus::Confirmed), 1, Some(before())));
        let rests: Notice = put(&written).unwrap();
        assert_eq!((rests.due_at, rests.attempts, rests.recipient().unwrap().sent), (again_at, 0, 1));
        assert_eq!(rests.recipient().unwrap().remind_at, found.shift.reminded_at());
    }
}

#[test]
fn a_report_tells_nothing_of_a_sign_up_that_has_another_address_by_now() {
    let (found, notice) = facts();
    let mail = claimed(&notice, &found).outcome.unwrap();
    let MailContent::News(news) = &mail.content else { panic!("{mail:?}") };
    let corrected = Signup { email: "grace@example.org".parse().unwrap(), ..found.signup.clone() };
    let told = vec![(corrected, news.places[0].told(before()))];
    let change = sent(&mail.notice, mail.notice.recipient().unwrap(), told);
    assert_eq!(change_lines(&change), ["Notice 8 at 2", "put Notice 8 to 3"]);
}

/// Otherwise the recipient would be due at once, again and again.
#[test]
fn a_recipient_rests_until_the_first_moment_after_its_claim() {
    let (mut found, notice) = facts();
    let moment = found.shift.reminded_at().unwrap();
    found.signup.told =
        Told { status: Some(SignupStatus::Confirmed), sent_at: Some(moment), ..found.signup.told };
    let resting = Notice { due_at: None, ..notice };
    for (now, expected) in [(before(), Some(moment)), (moment, None), (after_shifts(), None)] {
        let decision = claim_at(&resting, &found, now);
        assert_eq!(decision.outcome, None);
        assert_eq!(put::<Notice, _>(&decision).unwrap().reminder_due_at(), expected, "{now}");
    }
}

#[test]
fn a_reminder_begins_the_attempts_of_its_recipient_anew() {
    let (mut found, notice) = facts();
    let moment = found.shift.reminded_at().unwrap();
    found.signup.told =
        Told { status: Some(SignupStatus::Confirmed), sent_at: Some(before()), ..found.signup.told };
    let failed = Notice { attempts: 30, ..notice }.after_failure(MailFailure::Permanent, "550", before());
    let decision = claim_at(&failed, &found, moment);
    let mail = decision.outcome.clone().unwrap();
    assert_eq!(put::<Link, _>(&decision).unwrap().unsubscribes_from, Some(Subscription::Reminders));
    let Notice { attempts, due_at, failure, .. } = &mail.notice;
    assert_eq!((*attempts, *due_at, failure), (1, Some(moment + Notice::LEASE), &None));
    let again = failed_for_good(&mail.notice, moment);
    assert_eq!((again.due_at, again.reminder_due_at()), (None, None), "it is not due at once");
}

fn failed_for_good(notice: &Notice, now: Timestamp) -> Notice {
    failed(notice, MailFailure::Permanent, "550 unknown", now)
}

#[test]
fn a_recipient_whose_sign_ups_cannot_be_read_gives_the_reminder_up() {
    let (_, notice) = facts();
    let remind_at = |second| {
        let recipient =
            Recipient { remind_at: Some(records::at(second)), ..notice.recipient().unwrap().clone() };
        Notice { cause: NoticeCause::News(recipient), attempts: 30, ..notice.clone() }
    };
    let now = records::at(60);
    for (second, expected) in [(60, None), (61, Some(records::at(61)))] {
        let failed = claim_failed(&remind_at(second), "damaged", now);
        assert!(failed.failure.is_some());
        assert_eq!(failed.reminder_due_at(), expected);
    }
    let first = claim_failed(&Notice { due_at: None, ..remind_at(60) }, "damaged", now);
    assert_eq!((first.failure, first.attempts), (None, 1), "a reminder has attempts of its own");
}

#[test]
fn a_failure_with_more_news_begins_anew() {
    let (found, notice) = facts();
    let mail = claimed(&notice, &found).outcome.unwrap();
    let fails = |notice: &Notice| failed_for_good(notice, before());
    assert_eq!((fails(&mail.notice).due_at, fails(&mail.notice).failure.is_some()), (None, true));
    let recipient = Recipient { again_at: Some(before()), ..mail.notice.recipient().unwrap().clone() };
    let more = fails(&Notice { cause: NoticeCause::News(recipient), ..mail.notice });
    assert_eq!((more.due_at, more.failure, more.attempts), (Some(before()), None, 0));
}

#[test]
fn a_portion_marks_its_addresses_and_leaves_the_rest_to_the_next() {
    let (found, recipient) = facts();
    let change = EventChange { shift: None, first_at: before(), covered_to: None };
    let job = Notice { cause: NoticeCause::EventChanged(change), ..records::notice(&found.shift, 5) };
    let portion = |last| {
        let marked = vec![(found.signup.clone(), Concern::News, Some(recipient.clone()))];
        Decision::unrecorded((), mark_portion(job.clone(), marked, last, before()))
    };
    let marked =
        ["Signup 3 at 1", "Notice 8 at 1", "Notice 5 at 1", "put Notice 8 to 2", "put Notice 5 to 2"];
    let job_after = |decision: &Decision<()>| match decision.change.writes.last() {
        Some(crate::store::Write::Put { after, .. }) => Notice::try_from(after.clone()).unwrap(),
        other => panic!("{other:?}"),
    };
    for (last, due_at) in [(Some(found.signup.id), Some(before() + PORTION_INTERVAL)), (None, None)] {
        let decision = portion(last);
        assert_eq!(lines(&decision), marked);
        let NoticeCause::EventChanged(change) = job_after(&decision).cause else { panic!() };
        assert_eq!((change.covered_to, job_after(&decision).due_at), (last, due_at));
    }
}

#[test]
fn a_notice_is_replaced_or_deleted_only_as_it_was_read() {
    let queued = records::notice(&full().shifts[0], 5);
    let next = Notice { version: 2, ..queued.clone() };
    assert_eq!(change_lines(&replace_notice(&queued, next)), ["Notice 5 at 1", "put Notice 5 to 2"]);
    assert_eq!(change_lines(&delete_notice(&queued)), ["Notice 5 at 1", "remove Notice 5"]);
}

#[test]
fn a_failed_mail_that_no_retry_could_use_is_deleted() {
    let (later, week) = (MailFailure::Transient, 7 * 86_400);
    let invited = || NoticeCause::Invited { invitation: InvitationId::NONE, secret: Secret::generate() };
    let code = || records::code_asked_for(1);
    let (kept, deleted) = ("put Notice 8 to 3", "remove Notice 8");
    for (cause, failure, seconds, expected) in [
        (code(), later, 0, kept),
        (code(), later, 599, deleted),
        (code(), MailFailure::Permanent, 0, deleted),
        (invited(), MailFailure::Permanent, week - 1, kept),
        (invited(), MailFailure::Permanent, week, deleted),
    ] {
        let (queued_at, now) = (records::at(0), records::at(seconds));
        let queued = Notice::new(notice(8), records::organization_id(1), None, cause, queued_at);
        let claimed = queued.claimed(now);
        let change = replace_notice(&claimed, claimed.clone().after_failure(failure, "450 later", now));
        assert_eq!(change_lines(&change), ["Notice 8 at 2", expected], "{:?} {seconds}", claimed.cause);
    }
}
