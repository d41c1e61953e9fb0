//! Messages to volunteers: who gets which mail, and how often an organizer may write.

use std::collections::BTreeMap;

use signup_core::*;

use crate::scene::Scene;

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
        self.scene.sign_up(&self.shifts[shift], name).await.unwrap().signup.id
    }

    async fn cancel(&self, place: SignupId) {
        let owner = self.organizer.organization_id();
        self.scene.service.admin().cancel_signup(owner, place).await.unwrap();
    }

    async fn send(&self, message: NewMessage) -> Result<Message> {
        self.organizer.send_message(self.event, message).await
    }

    async fn recipients(&self, shift: Option<usize>) -> u32 {
        let shift = shift.map(|shift| self.shifts[shift].id);
        self.organizer.message_recipients(self.event, shift).await.unwrap()
    }

    /// Delivers the mails that are due now, and returns those with a message.
    async fn deliver(&self) -> Vec<Mail> {
        let mut mails = self.scene.mails().await;
        mails.retain(|mail| matches!(mail.content, MailContent::Message(_)));
        mails
    }

    /// Delivers all portions. Returns for each address the titles of the shifts in each of its mails.
    async fn told(&self) -> BTreeMap<String, Vec<Vec<String>>> {
        let mut told = BTreeMap::<_, Vec<_>>::new();
        for _ in 0..9 {
            for mail in self.deliver().await {
                told.entry(mail.recipient().to_string()).or_default().push(titles(&mail));
            }
            self.scene.clock.advance(1);
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
    assert_eq!(world.recipients(None).await, 250);
    world.send(hello()).await.unwrap();
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
    assert_eq!((world.recipients(None).await, world.recipients(Some(1)).await), (3, 2));
    let sent = world.send(hello().to_shift(world.shifts[1].id)).await.unwrap();
    assert_eq!(world.told().await, expect(&[("ada", &["Driving"]), ("cy", &["Driving"])]));
    let page = world.scene.session.activity(ActivityQuery::new().limit(1)).await.unwrap();
    let activity = &page.items[0];
    assert_eq!(activity.kind, ActivityType::MESSAGE_SENT);
    assert_eq!((activity.subject.event, activity.subject.shift), (Some(world.event), sent.shift));
    let unknown = world.organizer.message_recipients(world.event, Some(ShiftId::NONE)).await;
    assert_eq!(unknown, Err(Error::NotFound));
}

#[tokio::test]
async fn the_recipients_are_refused_as_the_message_is() {
    let world = world().await;
    let empty = NewEvent::new("Gala".parse().unwrap(), date(2027, 6, 6), "UTC".parse().unwrap());
    let empty = world.organizer.create_event(empty).await.unwrap().event.id;
    assert_eq!(world.organizer.message_recipients(empty, None).await, Ok(0), "an event without shifts");
    let shift = world.shifts[0].id;
    let refusals = async || {
        let all = world.organizer.message_recipients(world.event, None).await.unwrap_err();
        let one = world.organizer.message_recipients(world.event, Some(shift)).await.unwrap_err();
        assert_eq!(world.send(hello()).await.unwrap_err(), all);
        assert_eq!(world.send(hello().to_shift(shift)).await.unwrap_err(), one);
        [all, one]
    };
    drop(world.organizer.cancel_event(world.event, Cancellation::new()).await.unwrap());
    assert_eq!(refusals().await, [Error::EventCancelled, Error::EventCancelled]);
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

/// The first sign-up of an address is cancelled between the portion that queues its mail and the portion of its second sign-up.
#[tokio::test]
async fn a_cancellation_between_two_portions_makes_no_second_mail() {
    let world = world().await;
    let first = world.sign_up(0, "ada").await;
    for number in 0..120 {
        world.sign_up(0, &format!("v{number}")).await;
    }
    world.sign_up(1, "ada").await;
    world.deliver().await;
    world.send(hello()).await.unwrap();
    let mails = world.deliver().await;
    let told =
        |mails: &[Mail]| mails.iter().filter(|mail| mail.recipient().as_str() == "ada@example.org").count();
    assert_eq!((mails.len(), told(&mails)), (100, 1));
    world.cancel(first).await;
    world.scene.clock.advance(1);
    let mails = world.deliver().await;
    assert_eq!((mails.len(), told(&mails)), (21, 0));
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
    let refused = world.scene.session.message_recipients(world.event, None).await;
    assert_eq!(refused, Err(Error::MissingRole(Role::Organizer)));
}
