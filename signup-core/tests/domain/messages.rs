//! Messages to volunteers: who gets which mail, and how often an organizer may write.

use std::collections::BTreeMap;

use signup_core::*;

use crate::scene::{Scene, place, volunteer};

/// A scene with an organizer and a published event, which has two shifts with room for 300.
struct World {
    scene: Scene,
    organizer: Session,
    event: EventId,
    shifts: [ScheduledShift; 2],
}

async fn world() -> World {
    let scene = Scene::start().await;
    let (grace, _) = scene.member("grace", Role::Organizer).await;
    let organizer = grace.session(&grace.memberships()[0].1.slug).unwrap();
    let shift = |title: &str| NewShift::new(title.parse().unwrap(), Capacity::new(300).unwrap());
    let drive = NewEvent::new("Food drive".parse().unwrap(), date(2027, 6, 6), "UTC".parse().unwrap());
    let drive = drive.shift(shift("Packing")).shift(shift("Driving")).published();
    let EventWithShifts { event, shifts, .. } = organizer.create_event(drive).await.unwrap();
    World { scene, organizer, event: event.id, shifts: shifts.try_into().unwrap() }
}

fn hello() -> NewMessage {
    NewMessage::new("Bring gloves".parse().unwrap(), "It will be cold.".parse().unwrap())
}

impl World {
    async fn sign_up(&self, shift: usize, name: &str) -> SignupId {
        self.sign_up_as(shift, volunteer(name)).await
    }

    async fn sign_up_as(&self, shift: usize, person: NewSignup) -> SignupId {
        let shift = &self.shifts[shift];
        let form = self.scene.service.volunteers().form_of(shift.organization, [shift.id]).await.unwrap();
        place(form.sign_up(person).await).unwrap().signup.id
    }

    async fn cancel(&self, place: SignupId) {
        let owner = self.organizer.organization_id();
        self.scene.service.admin().cancel_signup(owner, place).await.unwrap();
    }

    async fn send(&self, message: NewMessage) -> Result<Message> {
        self.organizer.send_message(self.event, message).await
    }

    /// Returns the number of addresses that a message would be for.
    async fn recipients(&self, message: NewMessage) -> u32 {
        self.organizer.preview().send_message(self.event, message).await.unwrap().recipients
    }

    /// Delivers the mails that are due now, and returns those with a message.
    async fn deliver(&self) -> Vec<Mail> {
        let mut mails = self.scene.mails().await;
        mails.retain(|mail| matches!(mail.content, MailContent::Message(_)));
        mails
    }

    /// Delivers the mails of all portions.
    async fn deliver_all(&self) -> Vec<Mail> {
        let mut mails = vec![];
        for _ in 0..9 {
            mails.extend(self.deliver().await);
            self.scene.clock.advance(1);
        }
        mails
    }

    /// Delivers all portions. Returns for each address the titles of the shifts in each of its mails.
    async fn told(&self) -> BTreeMap<String, Vec<Vec<String>>> {
        let mut told = BTreeMap::<_, Vec<_>>::new();
        for mail in self.deliver_all().await {
            told.entry(mail.recipient().to_string()).or_default().push(titles(&mail));
        }
        told
    }
}

fn titles(mail: &Mail) -> Vec<String> {
    let MailContent::Message(sent) = &mail.content else { panic!("{mail:?}") };
    sent.places.iter().map(|place| place.shift.title.to_string()).collect()
}

fn expect(mails: &[(&str, &[&str])]) -> BTreeMap<String, Vec<Vec<String>>> {
    let titles = |titles: &[&str]| vec![titles.iter().map(ToString::to_string).collect()];
    mails.iter().map(|(name, shifts)| (format!("{name}@example.org"), titles(shifts))).collect()
}

#[tokio::test]
async fn each_of_250_addresses_gets_one_mail_whatever_the_number_of_its_sign_ups() {
    let world = world().await;
    for number in 0..250 {
        world.sign_up(0, &format!("v{number}")).await;
    }
    // Far behind the first sign-up of the address, in another portion.
    for number in [0, 120, 249] {
        world.sign_up(1, &format!("V{number}")).await;
    }
    assert_eq!(world.deliver().await, []);
    assert_eq!(world.send(hello()).await.unwrap().recipients, 250);
    let told = world.told().await;
    assert_eq!(told.len(), 250);
    for (address, mails) in told {
        let has_both = ["v0@", "v120@", "v249@"].iter().any(|start| address.starts_with(start));
        let titles: &[&str] = if has_both { &["Packing", "Driving"] } else { &["Packing"] };
        assert_eq!(mails, [titles], "{address}");
    }
    assert_eq!(world.scene.service.admin().count_notices().await.unwrap(), NoticeCounts::default());
}

#[tokio::test]
async fn the_link_of_a_message_opens_the_places_of_its_address() {
    let world = world().await;
    for shift in [0, 1] {
        world.sign_up(shift, "ada").await;
    }
    world.deliver().await;
    world.send(hello()).await.unwrap();
    let mail = world.deliver().await.remove(0);
    let MailContent::Message(sent) = &mail.content else { panic!("{mail:?}") };
    assert_eq!((sent.message.subject.as_str(), sent.message.sender_name.as_str()), ("Bring gloves", "grace"));
    let places = world.scene.service.volunteers().places(mail.secret.as_ref().unwrap()).await.unwrap();
    assert_eq!((places.signups.len(), sent.places.len()), (2, 2));
}

#[tokio::test]
async fn a_message_to_one_shift_reaches_its_volunteers_only() {
    let world = world().await;
    for (shift, name) in [(0, "ada"), (1, "ada"), (0, "bob"), (1, "cy")] {
        world.sign_up(shift, name).await;
    }
    let sent = world.send(hello().to_shift(world.shifts[1].id)).await.unwrap();
    assert_eq!(world.told().await, expect(&[("ada", &["Driving"]), ("cy", &["Driving"])]));
    let page = world.scene.session.activity(ActivityQuery::new().limit(1)).await.unwrap();
    let activity = &page.items[0];
    assert_eq!(activity.kind, ActivityType::MESSAGE_SENT);
    assert_eq!((activity.subject.event, activity.subject.shift), (Some(world.event), sent.shift));
    assert_eq!(sent.recipients, 2);
}

#[tokio::test]
async fn after_the_last_shift_a_message_thanks_those_who_attended() {
    let world = world().await;
    let mut places = vec![];
    for (shift, name) in [(0, "ada"), (1, "ada"), (0, "bob")] {
        places.push(world.sign_up(shift, name).await);
    }
    world.deliver().await;
    let starts = world.shifts[0].interval().start;
    let until = |at: Timestamp| at.duration_since(world.scene.service.now()).as_secs();
    world.scene.clock.advance(until(starts));
    world.organizer.mark_attendance(places[0], Some(Attendance::Attended)).await.unwrap();
    world.scene.clock.advance(until(world.shifts[1].interval().end));
    let thanks = world.send(hello().to_audience(Audience::Attended)).await.unwrap();
    assert_eq!(world.told().await, expect(&[("ada", &["Packing"])]));
    let to_all = world.send(hello()).await.unwrap();
    assert_eq!(world.told().await, expect(&[("ada", &["Packing", "Driving"]), ("bob", &["Packing"])]));
    assert_eq!((thanks.recipients, to_all.recipients), (1, 2));
    assert_eq!(world.organizer.messages(world.event).await.unwrap(), [to_all, thanks]);
}

#[tokio::test]
async fn a_message_to_those_who_wait_reaches_nobody_else() {
    let world = world().await;
    let full = ShiftPatch::new().capacity(Capacity::new(1).unwrap());
    world.organizer.patch_shift(world.shifts[0].id, full).await.unwrap();
    // Nobody joins a list on the day before the event.
    let mut lists = EventPatch::new().start_date(date(2027, 6, 20)).without_mail();
    lists.waitlist_enabled = Some(true);
    world.organizer.patch_event(world.event, lists).await.unwrap();
    world.sign_up(0, "ada").await;
    world.sign_up_as(0, volunteer("bob").or_wait()).await;
    world.deliver().await;
    let sent = world.send(hello().to_audience(Audience::Waiting)).await.unwrap();
    assert_eq!(sent.recipients, 1);
    assert_eq!(world.told().await, expect(&[("bob", &["Packing"])]));
}

#[tokio::test]
async fn an_address_that_has_turned_messages_off_is_no_recipient() {
    let world = world().await;
    for name in ["ada", "bob"] {
        world.sign_up(0, name).await;
    }
    world.deliver().await;
    world.send(hello()).await.unwrap();
    let mails = world.deliver_all().await;
    let ada = mails.iter().find(|mail| mail.recipient().as_str() == "ada@example.org").unwrap();
    world.scene.service.volunteers().choose_mails(ada.secret.as_ref().unwrap(), false).await.unwrap();
    assert_eq!(world.recipients(hello()).await, 1);
    world.send(hello()).await.unwrap();
    assert_eq!(world.told().await, expect(&[("bob", &["Packing"])]));
}

#[tokio::test]
async fn a_place_that_is_cancelled_before_its_mail_is_left_out() {
    let world = world().await;
    let mut places = vec![];
    for (shift, name) in [(0, "ada"), (1, "ada"), (0, "bob"), (0, "cy")] {
        places.push(world.sign_up(shift, name).await);
    }
    world.deliver().await;
    world.scene.clock.advance(3600);
    world.send(hello()).await.unwrap();
    // The first place of ada is cancelled before the portion, and bob’s between the portion and the mail.
    world.cancel(places[0]).await;
    let outbox = world.scene.service.outbox();
    for notice in outbox.due(9).await.unwrap() {
        if matches!(notice.cause, NoticeCause::MessageSent { .. }) {
            assert_eq!(outbox.claim(&notice).await.unwrap(), None);
        }
    }
    world.cancel(places[2]).await;
    world.sign_up(1, "late").await;
    assert_eq!(world.told().await, expect(&[("ada", &["Driving"]), ("cy", &["Packing"])]));
}

/// Each address has a place on both shifts. Between two portions, the two places of a told and of an untold address change shifts.
#[tokio::test]
async fn a_move_between_two_portions_makes_no_second_mail_and_prevents_none() {
    let world = world().await;
    let mut places = BTreeMap::<String, Vec<SignupId>>::new();
    for (shift, start) in [(0, "Early"), (1, "Late")] {
        for number in 0..120 {
            let name = format!("v{number}");
            let email = format!("{name}@example.org");
            let person = NewSignup::new(format!("{start} {name}").parse().unwrap(), email.parse().unwrap());
            places.entry(email).or_default().push(world.sign_up_as(shift, person).await);
        }
    }
    world.deliver().await;
    let sent = world.send(hello().to_shift(world.shifts[0].id)).await.unwrap();
    assert_eq!(sent.recipients, 120);
    let mut told: Vec<_> = world.deliver().await.iter().map(|mail| mail.recipient().to_string()).collect();
    assert_eq!(told.len(), 100);
    let untold = places.keys().find(|email| !told.contains(email)).unwrap();
    for email in [&told[0].clone(), untold] {
        for (place, shift) in places[email].iter().zip([1, 0]) {
            world.organizer.move_signup(*place, world.shifts[shift].id).await.unwrap();
        }
    }
    world.scene.clock.advance(1);
    told.extend(world.deliver_all().await.iter().map(|mail| mail.recipient().to_string()));
    told.sort();
    let expected: Vec<_> = places.into_keys().collect();
    assert_eq!(told, expected);
}

#[tokio::test]
async fn erasing_an_address_erases_the_mail_that_waits() {
    let world = world().await;
    world.sign_up(0, "ada").await;
    world.deliver().await;
    world.send(hello()).await.unwrap();
    let (outbox, admin) = (world.scene.service.outbox(), world.scene.service.admin());
    let notice = outbox.due(9).await.unwrap().remove(0);
    assert_eq!(outbox.claim(&notice).await.unwrap(), None, "it is a job");
    let owner = world.organizer.organization_id();
    admin.erase_signups(owner, &"ada@example.org".parse().unwrap()).await.unwrap();
    assert_eq!(admin.count_notices().await.unwrap(), NoticeCounts::default());
}

#[tokio::test]
async fn an_event_has_at_most_five_messages_within_24_hours() {
    let world = world().await;
    let sent = send_at_once(&world).await;
    assert_eq!(sent.iter().filter(|sent| sent.is_ok()).count(), 5);
    assert!(sent.iter().all(|sent| sent.is_ok() || *sent == Err(Error::TooManyMessages)), "{sent:?}");
    // The shifts of the event are over before 24 hours have passed, so it moves.
    let later = EventPatch::new().start_date(date(2027, 6, 20)).without_mail();
    world.organizer.patch_event(world.event, later).await.unwrap();
    world.scene.clock.advance(24 * 3600 - 1);
    assert_eq!(world.send(hello()).await, Err(Error::TooManyMessages));
    world.scene.clock.advance(1);
    assert!(world.send(hello()).await.is_ok());
}

/// Sends 8 messages at once.
async fn send_at_once(world: &World) -> Vec<Result<Message>> {
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (session, event) = (world.organizer.clone(), world.event);
            tokio::spawn(async move { session.send_message(event, hello()).await })
        })
        .collect();
    let mut sent = vec![];
    for task in tasks {
        sent.push(task.await.unwrap());
    }
    sent
}

#[tokio::test]
async fn a_form_that_is_sent_twice_sends_one_message_and_a_token_sends_none() {
    let world = world().await;
    let send =
        || world.organizer.send_message(world.event, hello()).with_key("form-1".parse().unwrap()).reply();
    let first = send().await.unwrap();
    let again = send().await.unwrap();
    assert_eq!((again.is_replay, again.value), (true, first.value));
    let refused = world.scene.session.send_message(world.event, hello()).await;
    assert_eq!(refused, Err(Error::MissingRole(Role::Organizer)));
}
