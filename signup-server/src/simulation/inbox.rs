//! The mail server and the mailboxes behind it: what has arrived, and what each address was told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use signup_core::{
    DeliveryId, Mail, MailContent, MessageId, MessageMail, News, NoticeId, PlaceChange, PlaceNews, Secret,
    ShiftId, SignedDuration, Signup, SignupId, SignupStatus, TimeAndPlace, Timestamp,
};
use tokio::time::sleep;

use super::ledger::{FRESH, Ledger, Placed, SignupHistory, State};
use super::notices::NoticeHistory;
use super::world::World;
use crate::mail::{Mailer, SendError, SendErrorKind, SendMail};

/// What has arrived.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    /// What each address was told about a sign-up, by the newest mail that had it.
    pub(super) heard: BTreeMap<SignupId, Heard>,
    /// The links in the mails that have arrived, by address.
    pub(super) links: BTreeMap<String, Vec<Secret>>,
    /// The mails of messages that have arrived.
    pub(super) messages: BTreeMap<(MessageId, String), u32>,
    /// The words of each mail by its Message-ID.
    words: BTreeMap<String, Words>,
    /// The Message-ID of each mail by its words.
    ids: BTreeMap<Words, String>,
    /// The moments of the reminders of each sign-up that have arrived.
    reminded: BTreeSet<(SignupId, Timestamp)>,
    /// How often each delivery to a webhook has arrived.
    pub(super) deliveries: BTreeMap<DeliveryId, u32>,
    /// The number of mails.
    pub(super) arrived: usize,
}

/// The notice of a mail, when it was made, the number of mails before, and what the mail says.
type Words = (NoticeId, Timestamp, u32, String);

#[derive(Debug, Clone)]
pub(super) struct Heard {
    pub(super) status: SignupStatus,
    pub(super) shift: ShiftId,
    pub(super) at: TimeAndPlace,
    /// The index in the ledger of the state of the shift from which the mail was made.
    pub(super) placed: usize,
    /// When the mail was sent.
    pub(super) sent_at: Timestamp,
    /// The version of the notice, by which a late mail is recognized.
    pub(super) version: u32,
}

/// Returns when an address is reminded of a shift: at 10:00 of the wall clock on the day before.
pub(super) fn reminded_at(at: &TimeAndPlace) -> Timestamp {
    let zone = at.zone.rules();
    let day_before = zone.to_datetime(at.interval.start).date().yesterday().unwrap();
    zone.to_timestamp(day_before.at(10, 0, 0, 0)).unwrap()
}

/// The connection of a process to the mail server.
#[derive(Debug)]
pub(super) struct MailServer {
    world: Arc<World>,
    writer: Mailer,
}

impl MailServer {
    pub(super) fn new(world: Arc<World>) -> Self {
        let from = "Signup <signup@example.org>".parse().unwrap();
        Self { world, writer: Mailer::new(None, None, from, "https://example.org") }
    }
}

impl SendMail for MailServer {
    async fn send(&self, mail: &Mail, now: Timestamp) -> Result<(), SendError> {
        let Self { world, writer } = self;
        let _under_way = world.enter();
        world.trace(|| format!("mail to {}: {}", mail.recipient(), in_words(mail)));
        world.check(check_committed(&world.ledger(), mail, world.elapsed()));
        world.check(check_reminders(mail, world.now()));
        let written = writer.write(mail, now)?;
        let faults = world.faults();
        let fails = world.random.chance(faults.mails);
        let fate = if fails { world.random.below(6) } else { 6 };
        let is_slow = faults.mails > 0 && world.random.chance(60);
        let time = |first| if is_slow { world.millis(first, 60_000) } else { world.millis(first, 700) };
        let (before, after) = (time(1), time(0));
        sleep(before).await;
        if fate >= 5 {
            world.trace(|| format!("arrived at {}: {}", mail.recipient(), in_words(mail)));
            let id = written
                .content
                .lines()
                .find_map(|line| line.strip_prefix("Message-ID: "))
                .unwrap_or_default();
            let arrived = world.inbox().arrive(&world.ledger(), mail, now, id, &written.text);
            world.check(arrived);
        }
        sleep(after).await;
        // Each attempt has a reason of its own, so that the ledger recognizes its report.
        let number = world.random.between(0, u64::MAX);
        let failed =
            |word: &str, kind| Err(SendError { reason: format!("{word} {number}"), kind, unquoted: None });
        match fate {
            0 => failed("refused", SendErrorKind::PermanentRefusal),
            1 | 2 => failed("refused", SendErrorKind::TransientRefusal),
            3 => failed("refused", SendErrorKind::Server),
            4 | 5 => failed("unanswered", SendErrorKind::Unanswered),
            _ => Ok(()),
        }
    }

    fn idle(&self) {}
}

/// Checks that a mail tells what was committed: each place as it was within the last minute.
fn check_committed(ledger: &Ledger, mail: &Mail, now: Duration) -> Result<(), String> {
    let is_fresh = |next: Option<Duration>| next.is_none_or(|next| next + FRESH >= now);
    let held = |signup: SignupId, status: SignupStatus| {
        let Some(history) = ledger.signups.get(&signup) else { return ledger.erased.contains_key(&signup) };
        let next = |index: usize| history.states.get(index + 1).map(|next: &State| next.since);
        history
            .states
            .iter()
            .enumerate()
            .any(|(index, state)| state.status == status && is_fresh(next(index)))
    };
    // An erasure removes the notice with its links.
    if let Some(secret) = &mail.secret
        && !ledger.links.contains_key(&secret.digest())
        && ledger.notice_of(mail).is_some()
    {
        return Err(format!("a mail to {} has a link that does not work", mail.recipient()));
    }
    match &mail.content {
        MailContent::News(news) => {
            for PlaceNews { signup, shift, at, change, place_in_line, .. } in &news.places {
                if !held(signup.id, signup.status()) {
                    return Err(format!("{} was not {:?}", signup.name, signup.status()));
                }
                check_change(ledger, signup, change)?;
                let (first, last) = ledger.places_in_line(signup, now);
                if place_in_line.is_some_and(|place| !(first..=last).contains(&(place as usize))) {
                    let name = &signup.name;
                    return Err(format!("{name} was {first} to {last} in the line, not {place_in_line:?}"));
                }
                let Some(history) = ledger.shifts.get(&shift.id) else { continue };
                let next = |index: usize| history.placed.get(index + 1).map(|next: &Placed| next.since);
                let was_there =
                    |(index, placed): (usize, &Placed)| placed.at.is_same_as(at) && is_fresh(next(index));
                let is_there = history.placed.iter().enumerate().any(was_there);
                if shift.deleted_at.is_none() && !is_there {
                    return Err(format!("{} was not at {at:?}", shift.title));
                }
            }
            Ok(())
        }
        MailContent::Message(sent) => {
            let MessageMail { places, .. } = &**sent;
            match places.iter().find(|place| !held(place.signup.id, SignupStatus::Confirmed)) {
                Some(place) => Err(format!("a message to {}, who has no place", place.signup.name)),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Checks that a mail names what has become of a sign-up as it is: only those who waited were promoted, and only places are
/// reminded of.
fn check_change(ledger: &Ledger, signup: &Signup, change: &PlaceChange) -> Result<(), String> {
    let waited = |history: &SignupHistory| history.states[0].status == SignupStatus::Waitlisted;
    let waited = ledger.signups.get(&signup.id).map(waited);
    let (expected, is_right) = match change {
        PlaceChange::New => (SignupStatus::Confirmed, waited != Some(true)),
        PlaceChange::Promoted => (SignupStatus::Confirmed, waited != Some(false)),
        PlaceChange::Waiting => (SignupStatus::Waitlisted, waited != Some(false)),
        PlaceChange::Reminder => (SignupStatus::Confirmed, true),
        PlaceChange::Cancelled => (SignupStatus::Cancelled, true),
        _ => (signup.status(), signup.is_active()),
    };
    match is_right && signup.status() == expected {
        true => Ok(()),
        false => Err(format!("{} is {:?}, and the mail says {change:?}", signup.name, signup.status())),
    }
}

/// Checks that reminders are sent in their time: from their moment until two hours before the start.
fn check_reminders(mail: &Mail, now: Timestamp) -> Result<(), String> {
    let MailContent::News(news) = &mail.content else { return Ok(()) };
    for PlaceNews { at, .. } in news.places.iter().filter(|place| place.change == PlaceChange::Reminder) {
        let (first, last) = (reminded_at(at), at.interval.start - SignedDuration::from_hours(2));
        let skew = SignedDuration::from_secs(30);
        if now + skew < first || now - skew > last {
            return Err(format!("{} is reminded at {now} of a shift at {}", news.email, at.interval.start));
        }
    }
    Ok(())
}

impl Inbox {
    /// Notes a mail.
    fn arrive(
        &mut self,
        ledger: &Ledger,
        mail: &Mail,
        now: Timestamp,
        id: &str,
        text: &str,
    ) -> Result<(), String> {
        self.arrived += 1;
        let address = mail.recipient().key().to_owned();
        let secret = mail.secret.as_ref().map_or("", Secret::reveal);
        let words = if secret.is_empty() { text.to_owned() } else { text.replace(secret, "") };
        self.links.entry(address.clone()).or_default().extend(mail.secret.clone());
        let number = mail.notice.recipient().map_or(0, |recipient| recipient.sent);
        let words = (mail.notice.id, mail.notice.created_at, number, words);
        let same = self.words.entry(id.to_owned()).or_insert_with(|| words.clone());
        if *same != words {
            return Err(format!("two mails to {address} have the Message-ID {id}, and other words"));
        }
        if self.ids.entry(words).or_insert_with(|| id.to_owned()) != id {
            return Err(format!("a mail to {address} was repeated with another Message-ID than {id}"));
        }
        let Some(history) = ledger.notice_of(mail) else { return Ok(()) };
        match &mail.content {
            MailContent::News(news) => self.hear(ledger, history, (mail.notice.version, now), news),
            MailContent::Message(sent) => {
                let count = self.messages.entry((sent.message.id, address.clone())).or_default();
                *count += 1;
                if *count > 1 && !history.may_be_repeated(mail.notice.version) {
                    return Err(format!("a message came {count} times to {address}"));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Notes what a mail tells.
    ///
    /// # Errors
    /// Returns what the mail says again although nothing asked for it, and a move that was not announced.
    fn hear(
        &mut self,
        ledger: &Ledger,
        history: &NoticeHistory,
        (version, sent_at): (u32, Timestamp),
        news: &News,
    ) -> Result<(), String> {
        let mut is_new = false;
        let is_repeated = history.may_be_repeated(version);
        for PlaceNews { signup, shift, at, change, .. } in &news.places {
            let Some(of_shift) = ledger.shifts.get(&shift.id) else { continue };
            let status = signup.status();
            let placed = of_shift.placed_at(news.event.version, shift.version);
            let before = self.heard.get(&signup.id).cloned();
            let differs = |heard: &Heard| {
                let is_elsewhere = heard.shift != shift.id || !heard.at.is_same_as(at);
                heard.status != status || is_elsewhere && status != SignupStatus::Cancelled
            };
            is_new |= before.as_ref().is_none_or(differs);
            if *change == PlaceChange::Reminder {
                is_new = true;
                let is_first = self.reminded.insert((signup.id, reminded_at(at)));
                if !is_first && !is_repeated {
                    return Err(format!("{} is reminded twice", signup.name));
                }
            }
            if let Some(before) =
                before.as_ref().filter(|before| !is_repeated && !history.is_unreported(before.version))
            {
                if before.status == SignupStatus::Cancelled {
                    return Err(format!("{} hears of a place after its cancellation", signup.name));
                }
                let is_first =
                    matches!(change, PlaceChange::New | PlaceChange::Promoted | PlaceChange::Waiting);
                if is_first && before.status == status {
                    return Err(format!("{} is told twice to be {status:?}", signup.name));
                }
                let mut since = of_shift.placed.iter().skip(before.placed + 1);
                let is_silent = before.shift == shift.id && since.all(|placed| placed.is_silent);
                if matches!(change, PlaceChange::Moved { .. }) && is_silent {
                    return Err(format!("{} hears of a silent move", signup.name));
                }
            }
            if before.is_none_or(|before| before.version < version) {
                let heard = Heard { status, shift: shift.id, at: at.clone(), placed, sent_at, version };
                self.heard.insert(signup.id, heard);
            }
        }
        if is_new || history.was_asked || is_repeated {
            Ok(())
        } else {
            Err(format!("a mail to {} says nothing new", news.email))
        }
    }
}

/// Returns a mail in words, for a trace.
fn in_words(mail: &Mail) -> String {
    let place = |place: &PlaceNews| {
        let change = match &place.change {
            PlaceChange::New => "new",
            PlaceChange::Waiting => "waiting",
            PlaceChange::Promoted => "promoted",
            PlaceChange::Moved { .. } => "moved",
            PlaceChange::Cancelled => "cancelled",
            PlaceChange::Reminder => "reminder of",
            _ => "has",
        };
        let at = place.at.place().unwrap_or_default();
        format!("{change} {} {} {} at {at}", place.signup.name, place.shift.title, place.at.interval.start)
    };
    match &mail.content {
        MailContent::News(news) => news.places.iter().map(place).collect::<Vec<_>>().join("; "),
        MailContent::Message(sent) => format!("message {}", sent.message.id),
        other => format!("{other:?}"),
    }
}
