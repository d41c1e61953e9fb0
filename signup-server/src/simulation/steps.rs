//! The steps of a run: requests of organizers, of volunteers and of the operator.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use signup_core::jiff::tz::TimeZone;
use signup_core::{
    Cancellation, Capacity, Date, DeleteShift, DeliveryId, DuplicateEvent, EmailAddress, Error, Event,
    EventId, EventPatch, Hours, IdempotencyKey, NewEvent, NewMessage, NewShift, NewSignup, NewWebhook,
    NoticeQuery, PersonName, Result, Scopes, Secret, Session, ShiftId, ShiftPatch, SignupId, Timestamp,
    WebhookId, WebhookPatch, Zone, time,
};

use super::ledger::{Ledger, SignupHistory};
use super::run::{Erasure, Simulation};
use super::world::{Cause, World};

const ADDRESSES: [&str; 4] = ["ada", "bob", "cat", "dan"];
const PEOPLE: [&str; 3] = ["Ann", "Ben", "Cy"];
const ZONES: [&str; 4] = ["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe"];

/// A request, with what it is about.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Create(Box<NewEvent>),
    Duplicate(EventId, Date),
    PatchEvent(EventId, Box<EventPatch>),
    CloseSignups(EventId),
    OpenSignups(EventId),
    AddShift(EventId, NewShift),
    PatchShift(ShiftId, Box<ShiftPatch>),
    DeleteShift(ShiftId, DeleteShift),
    CancelEvent(EventId, Cancellation),
    DeleteEvent(EventId),
    RestoreEvent(EventId),
    Message(EventId, NewMessage),
    CancelSignup(SignupId, Cancellation),
    SignUp(String, Vec<ShiftId>, NewSignup),
    CancelByLink(Secret, SignupId),
    OpenLink(Secret),
    Erase(EmailAddress),
    RetryFailed,
    CreateWebhook,
    PatchWebhook(WebhookId, bool),
    TestWebhook(WebhookId),
    DeleteWebhook(WebhookId),
    Redeliver(DeliveryId),
}

/// Chooses a request that suits the state, if the choice has something to be about.
pub(super) fn choose(simulation: &Simulation) -> Option<Step> {
    let world = &*simulation.world;
    let (random, ledger, now) = (&world.random, world.ledger(), world.now());
    let live: Vec<_> = ledger.events.values().filter(|event| event.deleted_at.is_none()).collect();
    if live.is_empty() || random.chance(40) && live.len() < 4 {
        return Some(Step::Create(Box::new(new_event(world))));
    }
    let event = *random.pick(&live);
    let shifts: Vec<_> = ledger.shifts.values().map(|history| &history.shift).collect();
    let shifts: Vec<_> = shifts.into_iter().filter(|shift| shift.event == event.id).collect();
    let shift = random.pick_some(&shifts).map(|shift| shift.id);
    let is_silent = random.chance(300);
    let cancellation = || if is_silent { Cancellation::new().without_mail() } else { Cancellation::new() };
    Some(match random.below(100) {
        0..34 => sign_up(world, event, &shifts.iter().map(|shift| shift.id).collect::<Vec<_>>())?,
        34..42 => {
            let (secret, signup) = link(world, &ledger)?;
            match signup {
                Some(signup) if random.chance(800) => Step::CancelByLink(secret, signup),
                _ => Step::OpenLink(secret),
            }
        }
        42..50 => Step::CancelSignup(some_signup(world, &ledger)?, cancellation()),
        50..62 => Step::PatchShift(shift?, Box::new(shift_patch(world, is_silent))),
        62..72 => Step::PatchEvent(event.id, Box::new(event_patch(world, event, is_silent))),
        72..75 => Step::AddShift(event.id, new_shift(world)),
        75..78 => {
            let delete = DeleteShift::new();
            let delete = if random.chance(800) { delete.cancel_signups() } else { delete };
            Step::DeleteShift(shift?, if is_silent { delete.without_mail() } else { delete })
        }
        78 => Step::CloseSignups(event.id),
        79 => Step::OpenSignups(event.id),
        80..83 => Step::CancelEvent(event.id, cancellation()),
        83..85 => Step::DeleteEvent(event.id),
        85 => {
            let deleted: Vec<_> = ledger.events.values().filter(|event| event.deleted_at.is_some()).collect();
            Step::RestoreEvent(random.pick_some(&deleted)?.id)
        }
        86..88 => {
            let message = NewMessage::new("News".parse().unwrap(), "Bring a coat.".parse().unwrap());
            Step::Message(event.id, message)
        }
        88..90 => Step::Duplicate(event.id, day(now, random.between(0, 9))),
        90..93 => Step::Erase(address(random.word(&ADDRESSES))),
        93 => Step::RetryFailed,
        94 => Step::CreateWebhook,
        95 => Step::PatchWebhook(some_webhook(world, &ledger)?, random.chance(700)),
        96 => Step::TestWebhook(some_webhook(world, &ledger)?),
        97 if random.chance(300) => Step::DeleteWebhook(some_webhook(world, &ledger)?),
        _ => {
            let deliveries: Vec<_> = ledger.deliveries.keys().copied().collect();
            Step::Redeliver(*random.pick_some(&deliveries)?)
        }
    })
}

fn sign_up(world: &World, event: &Event, shifts: &[ShiftId]) -> Option<Step> {
    let random = &world.random;
    let mut chosen = vec![*random.pick_some(shifts)?];
    if random.chance(400) {
        chosen.push(*random.pick(shifts));
    }
    let mut new = NewSignup::new(person(random.word(&PEOPLE)), address(random.word(&ADDRESSES)));
    if random.chance(250) {
        let other = person(random.word(&PEOPLE));
        if other != new.people[0].name {
            new = new.and(other);
        }
    }
    Some(Step::SignUp(event.slug.clone(), chosen, new.accepting_overlaps()))
}

/// Returns a link that has arrived, and a sign-up of its address.
fn link(world: &World, ledger: &Ledger) -> Option<(Secret, Option<SignupId>)> {
    let inbox = world.inbox();
    let addresses: Vec<_> = inbox.links.iter().collect();
    let (address, links) = world.random.pick_some(&addresses)?;
    let own = |history: &&SignupHistory| history.signup.email.key() == address.as_str();
    let own: Vec<_> = ledger.signups.values().filter(own).map(|history| history.signup.id).collect();
    Some((world.random.pick_some(links)?.clone(), world.random.pick_some(&own).copied()))
}

fn some_signup(world: &World, ledger: &Ledger) -> Option<SignupId> {
    let confirmed = ledger.signups.values().filter(|history| history.is_confirmed());
    world.random.pick_some(&confirmed.map(|history| history.signup.id).collect::<Vec<_>>()).copied()
}

fn some_webhook(world: &World, ledger: &Ledger) -> Option<WebhookId> {
    world.random.pick_some(&ledger.webhooks.keys().copied().collect::<Vec<_>>()).copied()
}

fn new_event(world: &World) -> NewEvent {
    let random = &world.random;
    let zone = zone(random.word(&ZONES));
    let first = day(world.now(), random.between(0, 8));
    let mut event = NewEvent::new("Food drive".parse().unwrap(), first, zone);
    for _ in 0..random.between(1, 3) {
        event = event.shift(new_shift(world));
    }
    let event = if random.chance(200) { event.without_reminders() } else { event };
    if random.chance(900) { event.published() } else { event }
}

fn new_shift(world: &World) -> NewShift {
    let random = &world.random;
    let title = random.pick(&["Packing", "Driving", "Door"]).parse().unwrap();
    let shift = NewShift::new(title, capacity(world)).hours(hours(world));
    if random.chance(300) { shift.location("Dock 1".parse().unwrap()) } else { shift }
}

fn capacity(world: &World) -> Capacity {
    Capacity::new(u32::try_from(world.random.between(1, 4)).unwrap()).unwrap()
}

fn hours(world: &World) -> Hours {
    match world.random.below(4) {
        0 => Hours::ALL_DAY,
        1 => Hours::overnight("22:00".parse().unwrap(), "02:30".parse().unwrap()).unwrap(),
        2 => Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0)).unwrap(),
        _ => Hours::between(time(13, 0, 0, 0), time(17, 0, 0, 0)).unwrap(),
    }
}

fn shift_patch(world: &World, is_silent: bool) -> ShiftPatch {
    let patch = ShiftPatch::new();
    let patch = match world.random.below(4) {
        0 | 1 => patch.location(world.random.pick(&["Dock 1", "Dock 2", "Dock 3"]).parse().unwrap()),
        2 => patch.hours(hours(world)),
        _ => patch.capacity(capacity(world)),
    };
    if is_silent { patch.without_mail() } else { patch }
}

fn event_patch(world: &World, event: &Event, is_silent: bool) -> EventPatch {
    let patch = EventPatch::new();
    let patch = match world.random.below(6) {
        0 | 1 => patch.location(world.random.pick(&["Hall", "Park"]).parse().unwrap()),
        2 => patch.start_date(day(world.now(), world.random.between(0, 8))),
        3 if world.random.chance(400) => patch.reminders(world.random.chance(700)),
        3 => patch.zone(zone(world.random.word(&ZONES))),
        _ => patch.published(!event.is_published || world.random.chance(300)),
    };
    if is_silent { patch.without_mail() } else { patch }
}

fn zone(name: &str) -> Zone {
    name.parse().unwrap()
}

fn day(now: Timestamp, days: u64) -> Date {
    let today = TimeZone::UTC.to_datetime(now).date();
    (0..days).fold(today, |day, _| day.tomorrow().unwrap())
}

fn address(name: &str) -> EmailAddress {
    format!("{name}@example.org").parse().unwrap()
}

fn person(name: &str) -> PersonName {
    name.parse().unwrap()
}

/// Makes a request, and checks its result.
pub(super) async fn perform(simulation: &Simulation, step: Step) {
    let cause = simulation.cause();
    let silent = |is_silent| Cause { is_silent, ..cause };
    let mut is_keyed = true;
    let result = match step.clone() {
        Step::Create(event) => {
            write(simulation, cause, move |session, key| {
                let event = (*event).clone();
                async move { session.create_event(event).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::Duplicate(event, day) => {
            write(simulation, cause, move |session, key| {
                let copy = DuplicateEvent::on(day);
                async move { session.duplicate_event(event, copy).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::PatchEvent(event, patch) => {
            write(simulation, silent(patch.without_mail), move |session, key| {
                let patch = (*patch).clone();
                async move { session.patch_event(event, patch).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::CloseSignups(event) => {
            write(simulation, cause, move |session, key| {
                async move { session.close_signups(event).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::OpenSignups(event) => {
            write(simulation, cause, move |session, key| {
                async move { session.open_signups(event).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::AddShift(event, shift) => {
            write(simulation, cause, move |session, key| {
                let shifts = vec![shift.clone()];
                async move { session.add_shifts(event, shifts).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::PatchShift(shift, patch) => {
            write(simulation, silent(patch.without_mail), move |session, key| {
                let patch = (*patch).clone();
                async move { session.patch_shift(shift, patch).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::DeleteShift(shift, delete) => {
            write(simulation, silent(delete.without_mail), move |session, key| {
                let delete = delete.clone();
                async move { session.delete_shift(shift, delete).with_key(key).await }.boxed()
            })
            .await
        }
        Step::CancelEvent(event, cancel) => {
            write(simulation, silent(cancel.without_mail), move |session, key| {
                let cancel = cancel.clone();
                async move { session.cancel_event(event, cancel).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::DeleteEvent(event) => {
            write(simulation, cause, move |session, key| {
                async move { session.delete_event(event).with_key(key).await }.boxed()
            })
            .await
        }
        Step::Message(event, message) => {
            let (organizer, key) = (simulation.organizer(), key(cause));
            let send = move |service| {
                let (organizer, message, key) = (organizer.clone(), message.clone(), key.clone());
                async move {
                    let session = organizer.session(&service).await?;
                    session.send_message(event, message).with_key(key).await.map(drop)
                }
            };
            simulation.ask(cause, send).await
        }
        Step::CreateWebhook => {
            write(simulation, cause, move |session, key| {
                let new = NewWebhook::new("http://127.0.0.1/hooks".parse().unwrap());
                async move { session.create_webhook(new).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::PatchWebhook(webhook, is_enabled) => {
            write(simulation, cause, move |session, key| {
                let patch = WebhookPatch::new().enabled(is_enabled);
                async move { session.patch_webhook(webhook, patch).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::TestWebhook(webhook) => {
            write(simulation, cause, move |session, key| {
                async move { session.test_webhook(webhook).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::DeleteWebhook(webhook) => {
            write(simulation, cause, move |session, key| {
                async move { session.delete_webhook(webhook).with_key(key).await }.boxed()
            })
            .await
        }
        Step::Redeliver(delivery) => {
            write(simulation, cause, move |session, key| {
                async move { session.redeliver(delivery).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        without_key => {
            is_keyed = false;
            perform_without_key(simulation, cause, without_key).await
        }
    };
    simulation.world.trace(|| format!("request {} {step:?}: {result:?}", cause.request));
    let effects = simulation.world.ledger().effects.get(&cause.request).copied().unwrap_or(0);
    let expected = u32::from(result.is_ok());
    if is_keyed && effects != expected {
        let broken = format!("{step:?} answered {result:?} and took effect {effects} times");
        simulation.world.check(Err(broken));
    }
}

/// Makes a request that is safe to repeat without a key.
async fn perform_without_key(simulation: &Simulation, cause: Cause, step: Step) -> Result<()> {
    let organization = simulation.world.organization();
    match step {
        Step::SignUp(slug, shifts, new) => {
            let address = new.email.key().to_owned();
            simulation.erased.lock().unwrap().remove(&address);
            let cause = Cause { is_sign_up: true, ..cause };
            let signed_up = simulation.ask(cause, move |service| {
                let (slug, shifts, new) = (slug.clone(), shifts.clone(), new.clone());
                async move {
                    let form = service.volunteers().form(&slug, shifts).await?;
                    form.sign_up(new).await?.into_places().map(drop)
                }
            });
            let signed_up = signed_up.await;
            simulation.erased.lock().unwrap().remove(&address);
            signed_up
        }
        Step::CancelByLink(secret, signup) => {
            let answer = simulation.ask(cause, {
                let secret = secret.clone();
                move |service| {
                    let secret = secret.clone();
                    async move { service.volunteers().cancel(&secret, signup).await }
                }
            });
            let answer = answer.await;
            simulation.world.check(check_cancelled(simulation, &secret, signup, &answer));
            answer.map(drop)
        }
        Step::OpenLink(secret) => {
            let answer = simulation.ask(cause, {
                let secret = secret.clone();
                move |service| {
                    let secret = secret.clone();
                    async move { service.volunteers().places(&secret).await.map(drop) }
                }
            });
            let answer = answer.await;
            if answer == Err(Error::NotFound) && works(simulation, &secret) {
                simulation.world.check(Err("a link of a mail does not work".to_owned()));
            }
            answer
        }
        Step::CancelSignup(signup, cancel) => {
            let cause = Cause { is_silent: cancel.without_mail, ..cause };
            let organizer = simulation.organizer();
            let cancel = move |service| {
                let (organizer, cancel) = (organizer.clone(), cancel.clone());
                async move { organizer.session(&service).await?.cancel_signup(signup, cancel).await.map(drop) }
            };
            simulation.ask(cause, cancel).await
        }
        Step::RestoreEvent(event) => {
            simulation
                .ask(
                    cause,
                    move |service| async move { service.admin().restore_event(event).await.map(drop) },
                )
                .await
        }
        Step::Erase(address) => {
            let key = address.key().to_owned();
            simulation.erased.lock().unwrap().insert(key.clone(), Erasure::Begun);
            let answer = simulation.ask(cause, move |service| {
                let address = address.clone();
                async move { service.admin().erase_signups(organization, &address).await.map(drop) }
            });
            let answer = answer.await;
            if let (Ok(()), Some(erasure)) = (&answer, simulation.erased.lock().unwrap().get_mut(&key)) {
                *erasure = Erasure::Done;
            }
            answer
        }
        _ => {
            retry_failed(simulation).await;
            Ok(())
        }
    }
}

/// Queues every failed notice again.
pub(super) async fn retry_failed(simulation: &Simulation) {
    let retry = |service: signup_core::Service| async move {
        let admin = service.admin();
        for failed in admin.notices(NoticeQuery::Failed(None), 99).await? {
            match admin.retry_notice(failed.id).await {
                Ok(_) | Err(Error::NoticeNotFailed | Error::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    };
    drop(simulation.ask(simulation.cause(), retry).await);
}

/// Returns whether the link of a mail must still work.
fn works(simulation: &Simulation, secret: &Secret) -> bool {
    let (ledger, now) = (simulation.world.ledger(), simulation.world.now());
    let soon = now + signup_core::Notice::CLOCK_SKEW;
    ledger.links.get(&secret.digest()).is_some_and(|link| link.expires_at > soon)
}

fn check_cancelled(
    simulation: &Simulation,
    secret: &Secret,
    signup: SignupId,
    answer: &Result<signup_core::Signup>,
) -> std::result::Result<(), String> {
    let is_working = works(simulation, secret);
    let ledger = simulation.world.ledger();
    let history = ledger.signups.get(&signup);
    match (answer, history) {
        (Ok(_), Some(history)) if history.is_confirmed() => Err(format!("{signup} was not cancelled")),
        (Err(Error::NotFound), Some(history)) if is_working => {
            let is_deleted = ledger.events[&history.signup.event].deleted_at.is_some();
            if is_deleted { Ok(()) } else { Err(format!("the link of {signup} does not work")) }
        }
        _ => Ok(()),
    }
}

fn key(cause: Cause) -> IdempotencyKey {
    format!("request-{}", cause.request).parse().unwrap()
}

/// Makes a write under a key of its own.
async fn write(
    simulation: &Simulation,
    cause: Cause,
    write: impl Fn(Session, IdempotencyKey) -> BoxFuture<'static, Result<()>> + Clone + Send + Sync + 'static,
) -> Result<()> {
    let organization = simulation.world.organization();
    let request = move |service: signup_core::Service| {
        let (write, key) = (write.clone(), key(cause));
        async move { write(service.session_for(organization, Scopes::all()).await?, key).await }
    };
    simulation.ask(cause, request).await
}
