//! The steps of a run: requests of organizers, of volunteers and of the operator, at random.

use signup_core::jiff::tz::TimeZone;
use signup_core::{
    Attendance, Cancellation, Capacity, Date, DeleteShift, DeliveryId, EmailAddress, Event, EventId,
    EventPatch, Hours, NewEvent, NewMessage, NewShift, NewSignup, PersonName, Secret, Shift, ShiftId,
    ShiftPatch, SignupId, Timestamp, WebhookId, Zone, time,
};

use super::ledger::{Ledger, SignupHistory};
use super::run::Simulation;
use super::world::World;

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
    MoveSignup(SignupId, ShiftId),
    MarkAttendance(SignupId, Option<Attendance>),
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
    let focus = world.focus.lock().unwrap().filter(|_| random.chance(800));
    let of_focus = focus.map(|focus| ledger.shifts[&focus].shift.event);
    let event = *live.iter().find(|event| of_focus == Some(event.id)).unwrap_or_else(|| random.pick(&live));
    let is_there = |shift: &&Shift| shift.event == event.id && shift.deleted_at.is_none();
    let shifts = ledger.shifts.values().map(|history| &history.shift).filter(is_there);
    let shifts: Vec<_> = shifts.map(|shift| shift.id).collect();
    let focus = focus.filter(|focus| shifts.contains(focus) && random.chance(700));
    let shift = focus.or_else(|| random.pick_some(&shifts).copied());
    *world.focus.lock().unwrap() = shift;
    let is_silent = random.chance(300);
    let cancellation = || if is_silent { Cancellation::new().without_mail() } else { Cancellation::new() };
    Some(match random.below(106) {
        0..34 => sign_up(world, event, shift?, &shifts),
        34..42 => {
            let (secret, signup) = link(world, &ledger)?;
            match signup {
                Some(signup) if random.chance(800) => Step::CancelByLink(secret, signup),
                _ => Step::OpenLink(secret),
            }
        }
        42..48 => Step::CancelSignup(some_signup(world, &ledger)?, cancellation()),
        48..50 => {
            let signup = some_signup(world, &ledger)?;
            let event = ledger.signups[&signup].signup.event;
            let shifts = ledger.shifts.values().map(|history| &history.shift);
            let shifts: Vec<_> = shifts.filter(|shift| shift.event == event).collect();
            Step::MoveSignup(signup, random.pick(&shifts).id)
        }
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
        100.. => {
            let marks = [Some(Attendance::Attended), Some(Attendance::Absent), None];
            Step::MarkAttendance(some_signup(world, &ledger)?, *random.pick(&marks))
        }
        _ => {
            let deliveries: Vec<_> = ledger.deliveries.keys().copied().collect();
            Step::Redeliver(*random.pick_some(&deliveries)?)
        }
    })
}

fn sign_up(world: &World, event: &Event, shift: ShiftId, shifts: &[ShiftId]) -> Step {
    let random = &world.random;
    let mut chosen = vec![shift];
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
    let new = if random.chance(600) { new.or_wait() } else { new };
    Step::SignUp(event.slug.clone(), chosen, new.accepting_overlaps())
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
    let focus = world.focus.lock().unwrap().filter(|_| world.random.chance(700));
    let is_in_focus = |history: &&SignupHistory| focus.is_none_or(|focus| history.signup.shift == focus);
    let active = ledger.signups.values().filter(|history| history.is_active()).filter(is_in_focus);
    world.random.pick_some(&active.map(|history| history.signup.id).collect::<Vec<_>>()).copied()
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
    let event = if random.chance(700) { event.with_waiting_list() } else { event };
    if random.chance(900) { event.published() } else { event }
}

fn new_shift(world: &World) -> NewShift {
    let random = &world.random;
    let title = random.pick(&["Packing", "Driving", "Door"]).parse().unwrap();
    let shift = NewShift::new(title, capacity(world)).hours(hours(world));
    if random.chance(300) { shift.location("Dock 1".parse().unwrap()) } else { shift }
}

fn capacity(world: &World) -> Capacity {
    Capacity::new(*world.random.pick(&[0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4])).unwrap()
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
    let patch = match world.random.below(6) {
        0 | 1 => patch.location(world.random.pick(&["Dock 1", "Dock 2", "Dock 3"]).parse().unwrap()),
        2 => patch.hours(hours(world)),
        3 => patch.hours(hours(world)).capacity(capacity(world)),
        _ => patch.capacity(capacity(world)),
    };
    if is_silent { patch.without_mail() } else { patch }
}

fn event_patch(world: &World, event: &Event, is_silent: bool) -> EventPatch {
    let patch = EventPatch::new();
    let patch = match world.random.below(8) {
        0 | 1 => patch.location(world.random.pick(&["Hall", "Park"]).parse().unwrap()),
        4 => patch.waiting_list(world.random.chance(600)),
        2 | 5 => patch.start_date(day(world.now(), *world.random.pick(&[0, 0, 1, 1, 2, 3, 5, 8]))),
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
