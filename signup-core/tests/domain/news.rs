//! Mails to volunteers: what happened, when the worker came, and what the address was told.

use signup_core::*;

use crate::scene::{Scene, address};

/// The time at which a world starts.
const START: &str = "2027-06-03T12:00:00Z";

/// An event on 6 June 2027 in UTC with the shifts "Packing" and "Driving", which have waiting lists, and what has arrived at each
/// address. Volunteers are reminded on 5 June at 10:00. The cutoff of the waiting list of "Packing" is on 6 June at 08:00.
pub(crate) struct World {
    pub(crate) scene: Scene,
    pub(crate) admin: Session,
    pub(crate) event: Event,
    pub(crate) shifts: Vec<ScheduledShift>,
    pub(crate) arrived: Vec<Mail>,
}

/// What becomes of a mail that a worker has claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Sent,
    /// The mail arrives, and the process dies before it reports so.
    SentUnreported,
    /// The process dies before the mail is sent.
    Lost,
    Failed(MailFailure),
}

impl World {
    pub(crate) async fn start() -> Self {
        let scene = Scene::start_at(START).await;
        let (zoe, _) = scene.member("zoe", Role::Admin).await;
        let admin = zoe.session(&zoe.memberships()[0].1.slug).unwrap();
        scene.mails().await;
        let (event, packing) = scene.event(1000).await;
        let event =
            scene.session.patch_event(event.id, EventPatch::new().waiting_list(true)).await.unwrap().event;
        let driving = NewShift::new("Driving".parse().unwrap(), Capacity::new(1000).unwrap());
        let driving = scene.session.add_shifts(event.id, vec![driving]).await.unwrap().remove(0);
        Self { scene, admin, event, shifts: vec![packing, driving], arrived: vec![] }
    }

    /// Signs up a person of the address `name@example.org`.
    pub(crate) async fn sign_up(&self, name: &str, person: &str, shift: usize) -> Result<()> {
        self.post(NewSignup::new(person.parse().unwrap(), address(name)), shift).await
    }

    /// Signs up a person of the address `name@example.org`, who waits if the shift is full.
    pub(crate) async fn sign_up_or_wait(&self, name: &str, person: &str, shift: usize) -> Result<()> {
        self.post(NewSignup::new(person.parse().unwrap(), address(name)).or_wait(), shift).await
    }

    async fn post(&self, new: NewSignup, shift: usize) -> Result<()> {
        let form = self.scene.service.volunteers().form(&self.event.slug, [self.shifts[shift].id]).await?;
        form.sign_up(new).await?.into_places().map(drop)
    }

    /// Returns the sign-ups that hold places or wait, oldest first.
    pub(crate) async fn places(&self) -> Vec<Signup> {
        let mut places = self.scene.session.signups(SignupQuery::new().limit(100)).await.unwrap().items;
        places.retain(Signup::is_active);
        places.reverse();
        places
    }

    /// Sets the capacity of a shift.
    pub(crate) async fn resize(&self, shift: usize, capacity: u32) -> Result<()> {
        let patch = ShiftPatch::new().capacity(Capacity::new(capacity).unwrap());
        self.scene.session.patch_shift(self.shifts[shift].id, patch).await.map(drop)
    }

    /// Cancels a place by a link that has arrived. Does nothing if none has, or if the shift is over.
    pub(crate) async fn cancel(&self, place: &Signup) {
        let mail = self.arrived.iter().rfind(|mail| *mail.recipient() == place.email);
        if let Some(secret) = mail.and_then(|mail| mail.secret.clone()) {
            drop(self.scene.service.volunteers().cancel(&secret, place.id).await);
        }
    }

    pub(crate) async fn cancel_by_organizer(&self, place: &Signup, is_silent: bool) {
        let cancel = Cancellation::new();
        let cancel = if is_silent { cancel.without_mail() } else { cancel };
        drop(self.admin.cancel_signup(place.id, cancel).await);
    }

    pub(crate) async fn move_to(&self, shift: usize, place: &str, is_silent: bool) -> Result<()> {
        let patch = ShiftPatch::new().location(place.parse().unwrap());
        let patch = if is_silent { patch.without_mail() } else { patch };
        self.scene.session.patch_shift(self.shifts[shift].id, patch).await.map(drop)
    }

    pub(crate) async fn delete_shift(&self, shift: usize, is_silent: bool) -> Result<()> {
        let delete = DeleteShift::new().cancel_signups();
        let delete = if is_silent { delete.without_mail() } else { delete };
        self.scene.session.delete_shift(self.shifts[shift].id, delete).await
    }

    pub(crate) async fn cancel_event(&self, is_silent: bool) -> Result<()> {
        let cancel = if is_silent { Cancellation::new().without_mail() } else { Cancellation::new() };
        self.scene.session.cancel_event(self.event.id, cancel).await.map(drop)
    }

    pub(crate) async fn move_event(&self, to: &str, is_silent: bool) -> Result<()> {
        let patch = EventPatch::new().start_date(to.parse().unwrap());
        self.patch_event(if is_silent { patch.without_mail() } else { patch }).await
    }

    async fn patch_event(&self, patch: EventPatch) -> Result<()> {
        self.scene.session.patch_event(self.event.id, patch).await.map(drop)
    }

    pub(crate) fn wait(&self, seconds: i64) {
        self.scene.clock.advance(seconds);
    }

    pub(crate) fn wait_until(&self, time: Timestamp) {
        self.wait(time.duration_since(self.scene.service.now()).as_secs());
    }

    /// Delivers what is due now. Each mail has the next fate. Returns the mails that have arrived.
    pub(crate) async fn deliver(&mut self, fates: &mut dyn Iterator<Item = Fate>) -> Vec<Mail> {
        let (outbox, mut arrived) = (self.scene.service.outbox(), vec![]);
        loop {
            let due = outbox.due(50).await.unwrap();
            if due.is_empty() {
                self.arrived.extend(arrived.iter().cloned());
                return arrived;
            }
            for notice in due {
                let Some(mail) = outbox.claim(&notice).await.unwrap() else { continue };
                let fate = fates.next().unwrap();
                match fate {
                    Fate::Sent => assert!(outbox.report_sent(&mail).await.unwrap()),
                    Fate::Failed(failure) => {
                        drop(outbox.report_failed(&mail, failure, "later").await.unwrap());
                    }
                    Fate::SentUnreported | Fate::Lost => {}
                }
                let is_news = matches!(mail.content, MailContent::News(_));
                arrived
                    .extend((is_news && matches!(fate, Fate::Sent | Fate::SentUnreported)).then_some(mail));
            }
        }
    }

    async fn mails(&mut self) -> Vec<String> {
        let mails = self.deliver(&mut std::iter::repeat(Fate::Sent)).await;
        let mut words: Vec<_> = mails.iter().map(mail_in_words).collect();
        words.sort();
        words
    }
}

pub(crate) fn news(mail: &Mail) -> &News {
    match &mail.content {
        MailContent::News(news) => news,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn location(at: &TimeAndPlace) -> String {
    at.place().unwrap_or_else(|| "-".to_owned())
}

/// Returns a mail in words, such as `ada: new ada Packing at -; has bob Driving at Dock 1`.
pub(crate) fn mail_in_words(mail: &Mail) -> String {
    let place = |place: &PlaceNews| {
        let (name, shift, at) = (&place.signup.name, &place.shift.title, location(&place.at));
        match &place.change {
            PlaceChange::New => format!("new {name} {shift} at {at}"),
            PlaceChange::Moved { before } => {
                format!("moved {name} {shift} from {} to {at}", location(before))
            }
            PlaceChange::Waiting => {
                format!("waiting {name} {shift} as number {}", place.place_in_line.unwrap())
            }
            PlaceChange::Promoted => format!("promoted {name} {shift} at {at}"),
            PlaceChange::Reminder => format!("reminder of {name} {shift} at {at}"),
            PlaceChange::Cancelled => {
                format!("cancelled {name} {shift} by {}", place.signup.cancelled_by().unwrap().name())
            }
            _ if place.signup.is_waitlisted() => {
                format!("waits {name} {shift} as number {}", place.place_in_line.unwrap())
            }
            _ => format!("has {name} {shift} at {at}"),
        }
    };
    let places: Vec<_> = news(mail).places.iter().map(place).collect();
    let (recipient, _) = mail.recipient().as_str().split_once('@').unwrap();
    format!("{recipient}: {}", places.join("; "))
}

/// Runs a line of steps. Returns what has arrived.
pub(crate) async fn run(steps: &str) -> Vec<String> {
    let (mut world, mut mails) = (World::start().await, vec![]);
    for step in steps.split(", ") {
        let place = async |world: &World| world.places().await.remove(0);
        let of_bob = async |world: &World| {
            world.places().await.into_iter().find(|place| place.name.as_str() == "Bob").unwrap()
        };
        match step {
            "Ada signs up" => world.sign_up("ada", "Ada", 0).await.unwrap(),
            "Ada signs up for Driving" => world.sign_up("ada", "Ada", 1).await.unwrap(),
            "Bea signs up" => world.sign_up("ada", "Bea", 0).await.unwrap(),
            "Bea waits" => world.sign_up_or_wait("ada", "Bea", 0).await.unwrap(),
            "Bob waits" => world.sign_up_or_wait("bob", "Bob", 0).await.unwrap(),
            "Bob signs up" => world.sign_up("bob", "Bob", 0).await.unwrap(),
            "Cy waits" => world.sign_up_or_wait("cy", "Cy", 0).await.unwrap(),
            "one place" => world.resize(0, 1).await.unwrap(),
            "two places" => world.resize(0, 2).await.unwrap(),
            "Bob cancels" => world.cancel(&of_bob(&world).await).await,
            "the organizer cancels Bob" => world.cancel_by_organizer(&of_bob(&world).await, false).await,
            "the address of Ada is erased" => {
                let admin = world.scene.service.admin();
                admin.erase_signups(world.event.organization, &address("ada")).await.unwrap();
            }
            "after the cutoff" => world.wait_until("2027-06-06T08:00:00Z".parse().unwrap()),
            "Ada cancels" => world.cancel(&place(&world).await).await,
            "the organizer cancels Ada" => world.cancel_by_organizer(&place(&world).await, false).await,
            "the organizer cancels Ada silently" => {
                world.cancel_by_organizer(&place(&world).await, true).await;
            }
            "to Dock 1" => world.move_to(0, "Dock 1", false).await.unwrap(),
            "to Dock 2" => world.move_to(0, "Dock 2", false).await.unwrap(),
            "silently to Dock 1" => world.move_to(0, "Dock 1", true).await.unwrap(),
            "silently to Dock 2" => world.move_to(0, "Dock 2", true).await.unwrap(),
            "Driving to Dock 1" => world.move_to(1, "Dock 1", false).await.unwrap(),
            "Packing is deleted" => world.delete_shift(0, false).await.unwrap(),
            "Packing is deleted silently" => world.delete_shift(0, true).await.unwrap(),
            "the event is cancelled" => world.cancel_event(false).await.unwrap(),
            "the event is cancelled silently" => world.cancel_event(true).await.unwrap(),
            "it is over" => world.wait(4 * 86_400),
            "the day before" => world.wait_until("2027-06-05T10:00:00Z".parse().unwrap()),
            "a second before" => world.wait_until("2027-06-05T09:59:59Z".parse().unwrap()),
            "2 hours before Packing" => world.wait_until("2027-06-06T18:00:00Z".parse().unwrap()),
            "to 7 June" => world.move_event("2027-06-07", false).await.unwrap(),
            "silently to 7 June" => world.move_event("2027-06-07", true).await.unwrap(),
            "silently to 6 June" => world.move_event("2027-06-06", true).await.unwrap(),
            "silently to Hawaii" => {
                let zone = EventPatch::new().zone("Pacific/Honolulu".parse().unwrap());
                world.patch_event(zone.without_mail()).await.unwrap();
            }
            "reminders are off" => world.patch_event(EventPatch::new().reminders(false)).await.unwrap(),
            "reminders are on" => world.patch_event(EventPatch::new().reminders(true)).await.unwrap(),
            "a day" => world.wait(86_400),
            "a minute" => world.wait(60),
            "an hour" => world.wait(3600),
            "a lease" => world.wait(Notice::LEASE.as_secs()),
            "a failure" => drop(world.deliver(&mut [Fate::Failed(MailFailure::Transient)].into_iter()).await),
            "a refusal" => drop(world.deliver(&mut [Fate::Failed(MailFailure::Permanent)].into_iter()).await),
            "a crash" => drop(world.deliver(&mut [Fate::Lost].into_iter()).await),
            "a late crash" => {
                let arrived = world.deliver(&mut [Fate::SentUnreported].into_iter()).await;
                mails.extend(arrived.iter().map(mail_in_words));
            }
            "mail" => mails.extend(world.mails().await),
            other => panic!("{other}"),
        }
    }
    mails
}

/// What happened, and when the worker came. Each line after it is a mail.
const TABLE: &[(&str, &[&str])] = &[
    ("Ada signs up, mail", &["ada: new Ada Packing at -"]),
    (
        "Ada signs up, Bea signs up, Ada signs up for Driving, mail",
        &["ada: new Ada Driving at -; new Ada Packing at -; new Bea Packing at -"],
    ),
    (
        "Ada signs up, mail, Bea signs up, mail",
        &["ada: new Ada Packing at -", "ada: has Ada Packing at -; new Bea Packing at -"],
    ),
    (
        "Ada signs up, mail, Ada signs up, mail, Ada signs up, mail, an hour, Ada signs up, mail",
        &["ada: new Ada Packing at -", "ada: has Ada Packing at -", "ada: has Ada Packing at -"],
    ),
    ("Ada signs up, it is over, mail", &[]),
    (
        "Ada signs up, mail, to Dock 1, mail, a minute, mail",
        &["ada: new Ada Packing at -", "ada: moved Ada Packing from - to Dock 1"],
    ),
    (
        "Ada signs up, mail, to Dock 1, to Dock 2, a minute, mail, a minute, mail",
        &["ada: new Ada Packing at -", "ada: moved Ada Packing from - to Dock 2"],
    ),
    (
        "silently to Dock 1, Ada signs up, mail, to Dock 2, to Dock 1, a minute, mail",
        &["ada: new Ada Packing at Dock 1"],
    ),
    ("Ada signs up, to Dock 1, mail, a minute, mail", &["ada: new Ada Packing at Dock 1"]),
    (
        "Ada signs up, mail, to Dock 1, Bea signs up, mail, a minute, mail",
        &["ada: new Ada Packing at -", "ada: moved Ada Packing from - to Dock 1; new Bea Packing at Dock 1"],
    ),
    (
        "Ada signs up, Ada signs up for Driving, mail, to Dock 1, Driving to Dock 1, a minute, mail",
        &[
            "ada: new Ada Driving at -; new Ada Packing at -",
            "ada: moved Ada Driving from - to Dock 1; moved Ada Packing from - to Dock 1",
        ],
    ),
    ("Ada signs up, mail, silently to Dock 1, a minute, mail", &["ada: new Ada Packing at -"]),
    (
        "Ada signs up, mail, silently to Dock 1, Bea signs up, mail",
        &["ada: new Ada Packing at -", "ada: has Ada Packing at Dock 1; new Bea Packing at Dock 1"],
    ),
    (
        "Ada signs up, mail, to Dock 1, silently to Dock 2, a minute, mail",
        &["ada: new Ada Packing at -", "ada: moved Ada Packing from - to Dock 2"],
    ),
    (
        "Ada signs up, mail, Ada cancels, mail",
        &["ada: new Ada Packing at -", "ada: cancelled Ada Packing by volunteer"],
    ),
    (
        "Ada signs up, a late crash, Ada cancels, mail, a lease, mail",
        &["ada: new Ada Packing at -", "ada: cancelled Ada Packing by volunteer"],
    ),
    (
        "Ada signs up, mail, the organizer cancels Ada, mail",
        &["ada: new Ada Packing at -", "ada: cancelled Ada Packing by organizer"],
    ),
    ("Ada signs up, the organizer cancels Ada, mail", &["ada: cancelled Ada Packing by organizer"]),
    ("Ada signs up, the organizer cancels Ada silently, mail", &[]),
    (
        "Ada signs up, mail, Packing is deleted, mail, a minute, mail",
        &["ada: new Ada Packing at -", "ada: cancelled Ada Packing by shift_deletion"],
    ),
    ("Ada signs up, mail, Packing is deleted silently, a minute, mail", &["ada: new Ada Packing at -"]),
    (
        "Ada signs up, Ada signs up for Driving, mail, Packing is deleted, mail",
        &[
            "ada: new Ada Driving at -; new Ada Packing at -",
            "ada: has Ada Driving at -; cancelled Ada Packing by shift_deletion",
        ],
    ),
    (
        "Ada signs up, Bea signs up, Ada signs up for Driving, mail, the event is cancelled, mail",
        &[
            "ada: new Ada Driving at -; new Ada Packing at -; new Bea Packing at -",
            "ada: cancelled Ada Driving by event_cancellation; cancelled Ada Packing by event_cancellation; \
         cancelled Bea Packing by event_cancellation",
        ],
    ),
    (
        "Ada signs up, mail, to Dock 1, the event is cancelled, mail, a minute, mail",
        &["ada: new Ada Packing at -", "ada: cancelled Ada Packing by event_cancellation"],
    ),
    ("Ada signs up, mail, the event is cancelled silently, a minute, mail", &["ada: new Ada Packing at -"]),
    ("Ada signs up, a failure, to Dock 1, a minute, mail", &["ada: new Ada Packing at Dock 1"]),
    (
        "Ada signs up, mail, to Dock 1, a minute, a failure, to Dock 2, a minute, mail, an hour, mail",
        &["ada: new Ada Packing at -", "ada: moved Ada Packing from - to Dock 2"],
    ),
    (
        "Ada signs up, mail, to Dock 1, a minute, a refusal, an hour, mail, to Dock 2, a minute, mail",
        &["ada: new Ada Packing at -", "ada: moved Ada Packing from - to Dock 2"],
    ),
    (
        "Ada signs up, mail, to Dock 1, a minute, mail, to Dock 2, a minute, a late crash, to Dock 1, a lease, a minute, mail",
        &[
            "ada: new Ada Packing at -",
            "ada: moved Ada Packing from - to Dock 1",
            "ada: moved Ada Packing from Dock 1 to Dock 2",
            "ada: has Ada Packing at Dock 1",
        ],
    ),
    (
        "silently to Dock 1, Ada signs up, mail, to Dock 2, to Dock 1, a minute, mail, silently to Dock 2, Bea signs up, mail",
        &["ada: new Ada Packing at Dock 1", "ada: has Ada Packing at Dock 2; new Bea Packing at Dock 2"],
    ),
    ("Ada signs up, a crash, mail, a lease, mail", &["ada: new Ada Packing at -"]),
    (
        "Ada signs up, a late crash, a lease, mail, an hour, mail",
        &["ada: new Ada Packing at -", "ada: new Ada Packing at -"],
    ),
];

#[tokio::test]
async fn a_mail_tells_what_holds_compared_with_what_was_told() {
    for (steps, expected) in TABLE {
        assert_eq!(run(steps).await, *expected, "{steps}");
    }
}

#[tokio::test]
async fn a_mail_that_is_repeated_after_a_crash_has_the_same_digest_and_another_one_has_not() {
    let mut world = World::start().await;
    world.sign_up("ada", "Ada", 0).await.unwrap();
    let text = |mail: &Mail| format!("{} {}", mail_in_words(mail), mail.secret.as_ref().unwrap().reveal());
    let mut digests = vec![];
    for fate in [Fate::SentUnreported, Fate::Sent] {
        let mail = world.deliver(&mut [fate].into_iter()).await.remove(0);
        digests.push((mail.message_digest(&text(&mail)), mail.secret));
        world.wait(Notice::LEASE.as_secs());
    }
    assert_eq!(digests[0].0, digests[1].0);
    assert_ne!(digests[0].1, digests[1].1, "each attempt has a link of its own");
    for _ in 0..2 {
        world.wait(3600);
        world.sign_up("ada", "Ada", 0).await.unwrap();
        let mail = world.deliver(&mut [Fate::Sent].into_iter()).await.remove(0);
        digests.push((mail.message_digest(&text(&mail)), mail.secret));
    }
    assert_ne!(digests[2].0, digests[3].0, "the same words in a later mail");
}

#[tokio::test]
async fn each_mail_raises_the_sequence_of_the_places_that_it_has() {
    let mut world = World::start().await;
    let sequences = |mails: &[Mail]| -> Vec<u32> {
        let places = mails.iter().flat_map(|mail| &news(mail).places);
        places.map(|place| place.sequence).collect()
    };
    for (person, expected) in [("Ada", &[0][..]), ("Bea", &[1, 0]), ("Cy", &[2, 1, 0])] {
        world.sign_up("ada", person, 0).await.unwrap();
        let mails = world.deliver(&mut std::iter::repeat(Fate::Sent)).await;
        assert_eq!(sequences(&mails), expected);
    }
}
