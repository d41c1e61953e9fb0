//! The delivery of notices under a fixed clock: recipients, duplicates, leases and retries.

use signup_core::*;

use crate::scene::Scene;

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

    /// Delivers notices until none is due. Returns what each mail says, in order.
    async fn deliver(&self) -> Vec<(&'static str, String)> {
        let mut mails = vec![];
        loop {
            let due = self.outbox().due(7).await.unwrap();
            let is_done = due.is_empty();
            for notice in due {
                let Some(mail) = self.outbox().claim(&notice).await.unwrap() else {
                    continue;
                };
                self.outbox().report_sent(&mail).await.unwrap();
                mails.push(told(&mail));
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

/// Returns what a mail about one sign-up says, and the name of its volunteer.
fn told(mail: &Mail) -> (&'static str, String) {
    let MailContent::News(news) = &mail.content else { panic!("{mail:?}") };
    let [place] = &news.places[..] else { panic!("{mail:?}") };
    let change = match place.change {
        PlaceChange::New => "new",
        PlaceChange::Moved { .. } => "moved",
        PlaceChange::Cancelled => "cancelled",
        _ => "has",
    };
    (change, place.signup.name.to_string())
}

/// Claims the only notice that is due.
async fn claim(world: &World) -> Mail {
    let mut due = world.outbox().due(9).await.unwrap();
    assert_eq!(due.len(), 1, "{due:?}");
    world.outbox().claim(&due.remove(0)).await.unwrap().unwrap()
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
    assert_eq!(mails, [("new", "ada".to_owned()), ("new", "bob".to_owned())]);
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
        let backoff_s = after.due_at.unwrap().as_second() - world.scene.service.now().as_second();
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
        mails.iter().filter(|(told, _)| *told == "moved").map(|(_, name)| name).collect();
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
    first.notice = extended;
    assert!(!world.outbox().report_sent(&first).await.unwrap());
    assert_eq!(world.outbox().report_failed(&first, MailFailure::Permanent, "x").await.unwrap(), None);
    assert_eq!(world.counts().await, (1, 0), "another process has the lease");
    assert!(world.outbox().report_sent(&second).await.unwrap());
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
            "ada" => assert!(world.outbox().report_sent(&mail).await.unwrap()),
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
        if let Some(due_at) = after.due_at {
            world.scene.clock.advance(due_at.as_second() - world.scene.service.now().as_second());
        }
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
    assert_eq!(world.deliver().await, [("new", "ada".to_owned())]);
    assert!(matches!(world.admin().retry_notice(failed.id).await, Err(Error::NoticeNotFailed)));
}

#[tokio::test]
async fn erasing_an_address_removes_its_sign_ups_and_its_notices() {
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
    assert_eq!(world.deliver().await, [("new", "bob".to_owned())], "no mail about the erasure");
    let about = |name: &str| NoticeQuery::About(organization, format!("{name}@example.org"));
    assert_eq!(world.admin().notices(about("ada"), 9).await.unwrap(), []);
    assert_eq!(world.admin().notices(about("bob"), 9).await.unwrap().len(), 1);
}

/// The address was erased, and has signed up again, while a worker sent the mail.
#[tokio::test]
async fn a_late_report_about_an_erased_address_is_dropped() {
    let world = world().await;
    world.sign_up("ada").await;
    let mail = claim(&world).await;
    let address = EmailAddress::new("ada@example.org").unwrap();
    world.admin().erase_signups(world.event.organization, &address).await.unwrap();
    assert!(!world.outbox().report_sent(&mail).await.unwrap());
    world.scene.clock.advance(1);
    world.sign_up("ada").await;
    let second = claim(&world).await;
    assert!(!world.outbox().report_sent(&mail).await.unwrap());
    assert!(world.outbox().report_sent(&second).await.unwrap());
}

/// A record that cannot be decoded fails the claim of its mail only.
#[tokio::test]
async fn a_notice_whose_claim_failed_is_due_after_a_backoff_and_delays_no_other() {
    let world = world().await;
    world.sign_up("ada").await;
    let notice = world.outbox().due(9).await.unwrap().remove(0);
    world.outbox().report_claim_failed(&notice, "unreadable").await.unwrap();
    world.sign_up("bob").await;
    assert_eq!(world.deliver().await, [("new", "bob".to_owned())]);
    let kept = world.admin().notices(NoticeQuery::Queued(None), 9).await.unwrap().remove(0);
    assert_eq!((kept.attempts, kept.last_reason.as_deref()), (1, Some("unreadable")));
    world.scene.clock.advance(29);
    assert_eq!(world.deliver().await, []);
    world.scene.clock.advance(1);
    assert_eq!(world.deliver().await, [("new", "ada".to_owned())]);
}
