//! Random histories of an event with mails: whatever happens, and wherever a process dies, each address hears what holds.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use signup_core::*;

use crate::news::{Fate, World, location, mail_in_words, news};
use crate::scene::address;

/// A step of a random history. The numbers choose an address, a person, a shift, a place or a mail.
#[derive(Debug, Clone)]
enum Step {
    SignUp(usize, usize, usize),
    /// The same, and the person waits if the shift is full.
    Join(usize, usize, usize),
    Resize(usize, u32),
    Cancel(usize),
    CancelByOrganizer(usize, bool),
    Move(usize, usize, bool),
    /// Moves the event to as many days after tomorrow.
    MoveEvent(i64, bool),
    DeleteShift(usize, bool),
    CancelEvent(bool),
    Erase(usize),
    Wait(i64),
    /// As many seconds after the moment of the reminders, or before.
    WaitForReminders(i64),
    /// A worker claims all mails that are due.
    Claim,
    /// A claimed mail is sent, or not.
    Report(usize, Fate),
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Sent),
        1 => Just(Fate::SentUnreported),
        1 => Just(Fate::Lost),
        1 => Just(Fate::Failed(MailFailure::Transient)),
        1 => Just(Fate::Failed(MailFailure::Permanent)),
        1 => Just(Fate::Failed(MailFailure::Unanswered)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let silent = || prop::bool::weighted(0.3);
    prop_oneof![
        4 => (0..2_usize, 0..2_usize, 0..2_usize).prop_map(|(name, person, shift)| Step::SignUp(name, person, shift)),
        6 => (0..2_usize, 0..2_usize, 0..2_usize).prop_map(|(name, person, shift)| Step::Join(name, person, shift)),
        3 => (0..2_usize, 1..3_u32).prop_map(|(shift, capacity)| Step::Resize(shift, capacity)),
        2 => (0..9_usize).prop_map(Step::Cancel),
        2 => (0..9_usize, silent()).prop_map(|(place, silent)| Step::CancelByOrganizer(place, silent)),
        4 => (0..2_usize, 0..3_usize, silent()).prop_map(|(shift, dock, silent)| Step::Move(shift, dock, silent)),
        2 => (0..3_i64, silent()).prop_map(|(days, silent)| Step::MoveEvent(days, silent)),
        1 => (0..2_usize, silent()).prop_map(|(shift, silent)| Step::DeleteShift(shift, silent)),
        1 => silent().prop_map(Step::CancelEvent),
        1 => (0..2_usize).prop_map(Step::Erase),
        4 => prop::sample::select(vec![1, 29, 30, 60, 3600]).prop_map(Step::Wait),
        3 => prop::sample::select(vec![-1, 0, 60, 4 * 3600, 23 * 3600]).prop_map(Step::WaitForReminders),
        6 => Just(Step::Claim),
        8 => (0..3_usize, fate()).prop_map(|(mail, fate)| Step::Report(mail, fate)),
    ]
}

/// What an address was told about a sign-up.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heard {
    status: SignupStatus,
    place: String,
    starts_at: Timestamp,
}

impl Heard {
    fn of(status: SignupStatus, at: &TimeAndPlace) -> Self {
        Self { status, place: location(at), starts_at: at.interval.start }
    }
}

/// A world with workers, and what was heard from their mails.
struct History {
    world: World,
    claimed: Vec<Mail>,
    heard: BTreeMap<SignupId, Heard>,
    /// When the last mail arrived that had a sign-up.
    heard_at: BTreeMap<SignupId, Timestamp>,
    /// The shifts that moved silently since their last announced move.
    silent: BTreeSet<ShiftId>,
    announced: BTreeSet<ShiftId>,
    /// Where each shift is that has moved.
    docks: BTreeMap<ShiftId, usize>,
    /// The date of the event.
    date: EventDate,
}

impl History {
    async fn run(&mut self, step: Step) {
        let world = &self.world;
        // A step that a closed shift refuses changes nothing.
        match step {
            Step::SignUp(name, person, shift) => {
                drop(world.sign_up(["ada", "bob"][name], ["Ann", "Ben"][person], shift).await);
            }
            Step::Join(name, person, shift) => {
                drop(world.sign_up_or_wait(["ada", "bob"][name], ["Ann", "Ben"][person], shift).await);
            }
            Step::Resize(shift, capacity) => drop(world.resize(shift, capacity).await),
            Step::Cancel(place) => {
                if let Some(place) = world.places().await.get(place) {
                    world.cancel(place).await;
                }
            }
            Step::CancelByOrganizer(place, silent) => {
                if let Some(place) = world.places().await.get(place) {
                    world.cancel_by_organizer(place, silent).await;
                }
            }
            Step::Move(shift, dock, is_silent) => {
                let id = world.shifts[shift].id;
                let moved = world.move_to(shift, ["Dock 1", "Dock 2", "Dock 3"][dock], is_silent).await;
                // A patch to the same place changes nothing.
                if moved.is_ok() && self.docks.insert(id, dock) != Some(dock) {
                    if is_silent {
                        self.silent.insert(id);
                    } else {
                        self.silent.remove(&id);
                        self.announced.insert(id);
                    }
                }
            }
            Step::MoveEvent(days, is_silent) => {
                let today = LocalDateTime::shown_at(self.now(), &"UTC".parse().unwrap()).date();
                let to = today.plus_days(1 + days).unwrap();
                let is_moved = world.move_event(&to.to_string(), is_silent).await.is_ok();
                // A move to the present date changes nothing.
                if is_moved && std::mem::replace(&mut self.date, to) != to {
                    for shift in &world.shifts {
                        if is_silent {
                            self.silent.insert(shift.id);
                        } else {
                            self.silent.remove(&shift.id);
                            self.announced.insert(shift.id);
                        }
                    }
                }
            }
            Step::DeleteShift(shift, silent) => drop(world.delete_shift(shift, silent).await),
            Step::CancelEvent(silent) => drop(world.cancel_event(silent).await),
            Step::Erase(name) => {
                let address = address(["ada", "bob"][name]);
                world.scene.service.admin().erase_signups(world.event.organization, &address).await.unwrap();
                // A lease is identified by its time. A new mail at this instant would have the lease of the erased one.
                world.wait(1);
            }
            Step::Wait(seconds) => world.wait(seconds),
            Step::WaitForReminders(seconds) => self.wait_for_reminders(seconds).await,
            Step::Claim => self.claim().await,
            Step::Report(mail, fate) if mail < self.claimed.len() => {
                let mail = self.claimed.remove(mail);
                self.report(mail, fate).await;
            }
            Step::Report(..) => {}
        }
    }

    fn now(&self) -> Timestamp {
        self.world.scene.service.now()
    }

    async fn wait_for_reminders(&self, seconds: i64) {
        let event = self.world.scene.session.event(self.world.event.id).await.unwrap();
        let moment = self.world.shifts[0].clone();
        let moment = ScheduledShift::of(moment.shift, &event.event).reminded_at().unwrap();
        let time = moment + SignedDuration::from_secs(seconds);
        if time > self.now() {
            self.world.wait_until(time);
        }
    }

    async fn claim(&mut self) {
        let outbox = self.world.scene.service.outbox();
        loop {
            let due = outbox.due(50).await.unwrap();
            if due.is_empty() {
                return;
            }
            for notice in due {
                self.claimed.extend(outbox.claim(&notice).await.unwrap());
            }
        }
    }

    /// A worker sends no mail after its lease.
    async fn report(&mut self, mail: Mail, fate: Fate) {
        let outbox = self.world.scene.service.outbox();
        let has_lease = mail.notice.due_at.is_some_and(|due_at| self.world.scene.service.now() < due_at);
        let arrives =
            matches!(fate, Fate::Sent | Fate::SentUnreported | Fate::Failed(MailFailure::Unanswered));
        if has_lease && arrives {
            self.hear(&mail);
            self.world.arrived.push(mail.clone());
        }
        match fate {
            Fate::Sent if has_lease => drop(outbox.report_sent(&mail).await.unwrap()),
            Fate::Failed(failure) => drop(outbox.report_failed(&mail, failure, "later").await.unwrap()),
            Fate::Sent | Fate::SentUnreported | Fate::Lost => {}
        }
    }

    /// Notes what a mail tells. Panics if it says nothing new, unless a volunteer asked for it or it follows an attempt without a
    /// report, if it names a move that was never announced, and if it reminds at the wrong time or again.
    fn hear(&mut self, mail: &Mail) {
        let Recipient { was_asked, unreported_at, claimed_at, .. } = mail.notice.recipient().unwrap();
        let claimed_at = claimed_at.unwrap();
        let mut is_new = false;
        for place in &news(mail).places {
            let now = Heard::of(place.signup.status(), &place.at);
            let before = self.heard_at.insert(place.signup.id, self.now());
            if place.change == PlaceChange::Reminder {
                let moment = place.shift.reminded_at().unwrap();
                let too_late = place.at.interval.start - SignedDuration::from_hours(2);
                assert!(place.signup.is_confirmed() && moment <= claimed_at && claimed_at < too_late);
                assert!(before.is_none_or(|before| before < moment) || unreported_at.is_some());
                is_new = true;
            }
            is_new |= self.heard.insert(place.signup.id, now.clone()).is_none_or(|before| before != now);
            let is_moved = matches!(place.change, PlaceChange::Moved { .. });
            assert!(!is_moved || self.announced.contains(&place.shift.id), "{}", mail_in_words(mail));
        }
        assert!(is_new || *was_asked || unreported_at.is_some(), "{}", mail_in_words(mail));
    }

    /// Sends everything, whatever has failed before. Returns when the workers were back at the latest.
    async fn drain(&mut self) -> Timestamp {
        self.claimed.clear();
        let drained_at = self.now() + SignedDuration::from_hours(3);
        let admin = self.world.scene.service.admin();
        for _ in 0..9 {
            self.world.wait(3600);
            for failed in admin.notices(NoticeQuery::Failed(None), 99).await.unwrap() {
                admin.retry_notice(failed.id).await.unwrap();
            }
            self.claim().await;
            for mail in std::mem::take(&mut self.claimed) {
                self.report(mail, Fate::Sent).await;
            }
        }
        assert_eq!(admin.count_notices().await.unwrap(), NoticeCounts::default());
        self.wait_for_reminders(0).await;
        self.claim().await;
        for mail in std::mem::take(&mut self.claimed) {
            self.report(mail, Fate::Sent).await;
        }
        drained_at
    }

    /// Asserts that each address was told what holds, and was reminded of each place, unless the workers were back too late, at
    /// `drained_at`. Nobody waits for an empty place.
    async fn assert_told(&self, drained_at: Timestamp) {
        let Self { world, heard, silent, .. } = self;
        let (admin, session) = (world.scene.service.admin(), &world.scene.session);
        let event = session.event(world.event.id).await.unwrap().event;
        for signup in session.signups(SignupQuery::new().limit(100)).await.unwrap().items {
            let shift = admin.shift(event.organization, signup.shift).await.unwrap();
            let shift = ScheduledShift::of(shift, &event);
            let is_owed = shift.occupancy.waitlisted > 0 && shift.occupancy.has_room();
            assert!(!is_owed || !shift.is_before_cutoff(self.now()), "{shift:?}");
            let told = heard.get(&signup.id);
            match (signup.cancelled_by(), told) {
                (None, Some(told)) => {
                    let present = Heard::of(signup.status(), &signup.time_and_place(&shift, &event));
                    assert_eq!(told.status, signup.status());
                    assert!(*told == present || silent.contains(&shift.id), "{signup:?} {told:?}");
                    let moment = shift.reminded_at().unwrap();
                    let too_late = shift.interval().start - SignedDuration::from_hours(2);
                    let is_excused = signup.is_waitlisted() || shift.deleted_at.is_some();
                    let is_excused = is_excused || self.now() < moment || too_late < drained_at;
                    assert!(is_excused || self.heard_at[&signup.id] >= moment, "not reminded: {signup:?}");
                }
                (None, None) => panic!("never told: {signup:?}"),
                (Some(CancelledBy::Volunteer), None) => {}
                (Some(_), _) if signup.is_cancelled_silently(&shift) => {}
                (Some(_), told) => assert_eq!(told.unwrap().status, SignupStatus::Cancelled, "{signup:?}"),
            }
        }
    }
}

async fn check(steps: Vec<Step>) {
    let world = World::start().await;
    let date = world.event.dates.first.date();
    let (heard, silent, announced) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    let mut history = History {
        world,
        claimed: vec![],
        heard,
        heard_at: BTreeMap::new(),
        silent,
        announced,
        docks: BTreeMap::new(),
        date,
    };
    for step in steps {
        history.run(step).await;
    }
    let drained_at = history.drain().await;
    history.assert_told(drained_at).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_address_is_told_of_each_place_what_holds(steps in prop::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(check(steps));
    }
}
