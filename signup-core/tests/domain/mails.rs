//! The delivery of notices under a fixed clock: recipients, duplicates, leases and retries.

use signup_core::*;

use crate::scene::{Scene, place};

/// A scene with a published event, and one shift on the day after the clock's date.
struct World {
    scene: Scene,
    event: Event,
    shift: ScheduledShift,
}

async fn world() -> World {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(1000).await;
    World { scene, event, shift }
}

impl World {
    fn outbox(&self) -> Outbox {
        self.scene.service.outbox()
    }

    fn admin(&self) -> Admin {
        self.scene.service.admin()
    }

    async fn sign_up(&self, name: &str) -> Place {
        self.scene.sign_up(&self.shift, name).await.unwrap()
    }

    async fn patch(&self, patch: ShiftPatch) {
        self.scene.session.patch_shift(self.shift.id, patch).await.unwrap();
    }

    /// Delivers notices until none is due. Returns the cause and the recipient of each mail, in order.
    async fn deliver(&self) -> Vec<(&'static str, String)> {
        let mut mails = vec![];
        loop {
            let due = self.outbox().due(7).await.unwrap();
            let is_done = due.is_empty();
            for notice in due {
                let Some(mail) = self.outbox().claim(&notice).await.unwrap() else {
                    continue;
                };
                self.outbox().report_sent(&mail.notice).await.unwrap();
                mails.push((cause(&mail.notice), volunteer(&mail)));
            }
            if is_done {
                return mails;
            }
        }
    }

    async fn counts(&self) -> (u64, u64) {
        let counts = self.admin().count_notices().await.unwrap();
        (counts.queued, counts.failed)
    }
}

fn cause(notice: &Notice) -> &'static str {
    match notice.cause {
        NoticeCause::SignedUp { .. } => "signed up",
        NoticeCause::SignedUpAgain { .. } => "signed up again",
        NoticeCause::Cancelled { .. } => "cancelled",
        _ => "changed",
    }
}

fn volunteer(mail: &Mail) -> String {
    mail.signup().unwrap().signup.name.to_string()
}

fn secret(notice: &Notice) -> Secret {
    notice.cause.secret().unwrap().clone()
}

/// Claims the only notice that is due.
async fn claim(world: &World) -> Mail {
    let mut due = world.outbox().due(9).await.unwrap();
    assert_eq!(due.len(), 1, "{due:?}");
    world.outbox().claim(&due.remove(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_repeated_sign_up_is_mailed_with_another_link_and_at_most_once_an_hour() {
    let world = world().await;
    let volunteers = world.scene.service.volunteers();
    world.sign_up("ada").await;
    let first = claim(&world).await;
    world.outbox().report_sent(&first.notice).await.unwrap();
    let again = NewSignup::new("ADA".parse().unwrap(), "ADA@example.org".parse().unwrap());
    let form = volunteers.form(&world.event.slug, [world.shift.id]).await.unwrap();
    assert!(!place(form.sign_up(again).await).unwrap().is_new());
    let second = claim(&world).await;
    world.outbox().report_sent(&second.notice).await.unwrap();
    let found = (cause(&second.notice), volunteer(&second));
    assert_eq!(found, ("signed up again", "ada".to_owned()), "the first name is kept");
    world.scene.clock.advance(3599);
    assert!(!world.sign_up("ada").await.is_new());
    assert_eq!(world.counts().await, (0, 0), "not within the hour");
    world.scene.clock.advance(1);
    assert!(!world.sign_up("ada").await.is_new());
    assert_eq!(world.deliver().await, [("signed up again", "ada".to_owned())]);
    let (old, new) = (secret(&first.notice), secret(&second.notice));
    assert_ne!(old, new);
    assert_eq!(world.scene.cancel(&new).await.status(), SignupStatus::Cancelled);
    let shown = volunteers.places(&old).await.unwrap().signups.remove(0);
    assert!(!shown.signup.is_confirmed(), "the earlier link keeps working");
    assert!(world.sign_up("ada").await.is_new(), "a sign-up after a cancellation is new");
}

/// The clock was two hours ahead during the sign-ups, and was corrected afterwards.
#[tokio::test]
async fn a_mail_queued_by_a_clock_that_was_ahead_is_sent_at_once() {
    let world = world().await;
    world.scene.clock.advance(2 * 3600);
    world.sign_up("ada").await;
    let mail = claim(&world).await;
    world.outbox().report_failed(&mail, MailFailure::Transient, "450 later").await.unwrap();
    world.sign_up("bob").await;
    world.scene.clock.advance(-2 * 3600);
    let mut mails = world.deliver().await;
    mails.sort();
    assert_eq!(mails, [("signed up", "ada".to_owned()), ("signed up", "bob".to_owned())]);
}

/// Another process, whose clock is some seconds behind, does not claim a notice before its backoff is over.
#[tokio::test]
async fn a_notice_with_the_longest_backoff_is_not_due_by_a_slower_clock() {
    let world = world().await;
    world.sign_up("ada").await;
    let backoff_s = loop {
        let mail = claim(&world).await;
        let outbox = world.outbox();
        let after = outbox.report_failed(&mail, MailFailure::Transient, "450 later").await.unwrap().unwrap();
        let backoff_s = after.due_at.as_second() - world.scene.service.now().as_second();
        if backoff_s >= 3600 {
            break backoff_s;
        }
        world.scene.clock.advance(backoff_s);
    };
    world.scene.clock.advance(-5);
    assert_eq!(world.outbox().due(9).await.unwrap(), []);
    world.scene.clock.advance(5 + backoff_s);
    assert_eq!(world.outbox().due(9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_change_is_mailed_once_to_each_volunteer_who_signed_up_before_it() {
    let world = world().await;
    for number in 0..250 {
        world.sign_up(&format!("v{number}")).await;
    }
    world.deliver().await;
    world.patch(ShiftPatch::new().start_time("19:00".parse().unwrap())).await;
    world.scene.clock.advance(60);
    world.sign_up("late").await;
    let mut mails = vec![];
    for _ in 0..5 {
        mails.extend(world.deliver().await);
        world.scene.clock.advance(1);
    }
    let mut changed: Vec<_> =
        mails.iter().filter(|(cause, _)| *cause == "changed").map(|(_, name)| name).collect();
    assert_eq!(changed.len(), 250);
    changed.sort();
    changed.dedup();
    assert_eq!(changed.len(), 250);
    let waited_for = mails.iter().position(|(_, name)| name == "late").unwrap();
    assert!(waited_for <= 100, "a later confirmation waits for {waited_for} other mails");
}

/// A claimed notice belongs to one process until its lease expires. After that, reports of the former process change
/// nothing.
#[tokio::test]
async fn a_lease_is_exclusive_until_it_expires() {
    let world = world().await;
    world.sign_up("ada").await;
    let mut first = claim(&world).await;
    let mut extended = first.notice.clone();
    for _ in 0..3 {
        world.scene.clock.advance(Notice::LEASE.as_secs() - 1);
        assert_eq!(world.outbox().due(9).await.unwrap(), []);
        extended = world.outbox().extend_lease(&extended).await.unwrap().unwrap();
        assert_eq!(extended.attempts, 1);
    }
    world.scene.clock.advance(Notice::LEASE.as_secs());
    let second = claim(&world).await;
    assert_eq!(second.notice.id, first.notice.id, "the mail has the same id");
    assert_eq!(world.outbox().extend_lease(&extended).await.unwrap(), None);
    assert!(!world.outbox().report_sent(&extended).await.unwrap());
    first.notice = extended;
    assert_eq!(world.outbox().report_failed(&first, MailFailure::Permanent, "x").await.unwrap(), None);
    assert_eq!(world.counts().await, (1, 0), "another process has the lease");
    assert!(world.outbox().report_sent(&second.notice).await.unwrap());
    assert_eq!(world.counts().await, (0, 0));
}

/// The store extended the lease, and its answer was lost: the process still has the lease, and the mail is not sent
/// again.
#[tokio::test]
async fn an_extended_lease_holds_even_if_the_answer_was_lost() {
    let world = world().await;
    for name in ["ada", "bob"] {
        world.sign_up(name).await;
        let mail = claim(&world).await;
        for _ in 0..2 {
            assert!(world.outbox().extend_lease(&mail.notice).await.unwrap().is_some());
        }
        match name {
            "ada" => assert!(world.outbox().report_sent(&mail.notice).await.unwrap()),
            _ => {
                let after = world.outbox().report_failed(&mail, MailFailure::Permanent, "550").await.unwrap();
                assert!(after.unwrap().failure.is_some());
            }
        }
    }
    assert_eq!(world.counts().await, (0, 1));
}

/// Each process that claims the notice crashes: the number of attempts is bounded.
#[tokio::test]
async fn a_notice_that_is_claimed_and_never_reported_is_given_up() {
    let world = world().await;
    world.sign_up("ada").await;
    let mut attempts = 0;
    while world.counts().await == (1, 0) {
        let due = world.outbox().due(9).await.unwrap().remove(0);
        attempts += u32::from(world.outbox().claim(&due).await.unwrap().is_some());
        world.scene.clock.advance(Notice::LEASE.as_secs());
        assert!(attempts < 100);
    }
    assert_eq!(world.counts().await, (0, 1));
}

/// The error is the same as for an address without a place. The mail is still sent, at most once an hour.
#[tokio::test]
async fn a_repeated_sign_up_is_mailed_for_a_shift_that_is_full_or_over() {
    let world = world().await;
    world.sign_up("ada").await;
    world.deliver().await;
    world.patch(ShiftPatch::new().capacity(Capacity::new(1).unwrap())).await;
    for mails in [1, 0] {
        assert!(matches!(world.scene.sign_up(&world.shift, "ada").await, Err(Error::ShiftFull)));
        assert_eq!(world.deliver().await.len(), mails);
    }
    world.scene.clock.advance(40 * 3600);
    for mails in [1, 0] {
        assert!(matches!(world.scene.sign_up(&world.shift, "ada").await, Err(Error::ShiftOver)));
        assert!(matches!(world.scene.sign_up(&world.shift, "bob").await, Err(Error::ShiftOver)));
        assert_eq!(world.deliver().await.len(), mails);
    }
    let signups = world.admin().signups(world.event.organization, world.event.id, None, 9).await.unwrap();
    assert_eq!(signups.len(), 1, "no second place");
}

#[tokio::test]
async fn a_mail_is_tried_for_a_day_and_then_kept_for_a_retry_by_the_operator() {
    let world = world().await;
    // The shift ends after the last attempt.
    world.patch(ShiftPatch::new().end_time("23:00".parse().unwrap()).without_mail()).await;
    world.sign_up("ada").await;
    let begin = world.scene.service.now();
    let mut attempts = 0;
    while world.counts().await.0 == 1 {
        let mail = claim(&world).await;
        attempts += 1;
        let after =
            world.outbox().report_failed(&mail, MailFailure::Transient, "450 later").await.unwrap().unwrap();
        world.scene.clock.advance(after.due_at.as_second() - world.scene.service.now().as_second());
    }
    let hours = (world.scene.service.now().as_second() - begin.as_second()) / 3600;
    assert!((23..=24).contains(&hours) && attempts > 20, "{attempts} attempts in {hours} hours");
    assert_eq!(world.counts().await, (0, 1));
    let failed = world.admin().notices(NoticeQuery::Failed(None), 9).await.unwrap().remove(0);
    assert_eq!(failed.failure.as_ref().unwrap().reason, "450 later");
    world.admin().retry_notice(failed.id).await.unwrap();
    assert!(
        matches!(world.admin().retry_notice(failed.id).await, Err(Error::NoticeNotFailed)),
        "the notice may be claimed"
    );
    assert_eq!(world.deliver().await, [("signed up", "ada".to_owned())]);
    assert!(matches!(world.admin().retry_notice(failed.id).await, Err(Error::NotFound)));
}

#[tokio::test]
async fn erasing_an_address_removes_its_sign_ups_and_their_notices() {
    let world = world().await;
    for name in ["ada", "bob"] {
        world.sign_up(name).await;
    }
    let organization = world.event.organization;
    let address = EmailAddress::new("ADA@example.org").unwrap();
    assert_eq!(world.admin().erase_signups(organization, &address).await.unwrap(), 1);
    assert_eq!(world.admin().erase_signups(organization, &address).await.unwrap(), 0);
    let remaining = world.admin().signups(organization, world.event.id, None, 9).await.unwrap();
    assert_eq!(remaining.iter().map(|signup| signup.name.as_str()).collect::<Vec<_>>(), ["bob"]);
    let shifts = world.scene.session.shifts(world.event.id).await.unwrap();
    assert_eq!(shifts[0].occupancy.filled, 1);
    assert_eq!(world.deliver().await, [("signed up", "bob".to_owned())], "no mail about the erasure");
}

/// A record that cannot be decoded fails the claim of its mail only.
#[tokio::test]
async fn a_notice_whose_claim_failed_is_due_after_a_backoff_and_delays_no_other() {
    let world = world().await;
    world.sign_up("ada").await;
    let notice = world.outbox().due(9).await.unwrap().remove(0);
    world.outbox().report_claim_failed(&notice, "unreadable").await.unwrap();
    world.sign_up("bob").await;
    assert_eq!(world.deliver().await, [("signed up", "bob".to_owned())]);
    let kept = world.admin().notices(NoticeQuery::Queued(None), 9).await.unwrap().remove(0);
    assert_eq!((kept.attempts, kept.last_reason.as_deref()), (1, Some("unreadable")));
    world.scene.clock.advance(29);
    assert_eq!(world.deliver().await, []);
    world.scene.clock.advance(1);
    assert_eq!(world.deliver().await, [("signed up", "ada".to_owned())]);
}
